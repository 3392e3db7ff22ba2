# Compiler and linker settings that hold for every target of the repository.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O3 costs compile time and gains nothing measurable here.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(SRVPROF_CCACHE ccache)
mark_as_advanced(SRVPROF_CCACHE)
if(SRVPROF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SRVPROF_CCACHE})
endif()

set(SRVPROF_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

# Relative paths in __FILE__: the binary is the same wherever the tree lies.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
# srvprof walks its own stack in the overhead bench and is itself profiled: keep frame pointers.
add_compile_options(-fno-omit-frame-pointer)

if(SRVPROF_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
  add_compile_options(${sanitizers})
  add_link_options(${sanitizers})
endif()

if(SRVPROF_FUZZ)
  set(fuzzing -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_compile_options(-gline-tables-only ${fuzzing})
  if(NOT SRVPROF_FUZZ_QUICK)
    add_compile_options(-O1)
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()

if(SRVPROF_STATIC)
  if(SRVPROF_SANITIZE)
    message(FATAL_ERROR "SRVPROF_STATIC and SRVPROF_SANITIZE exclude each other")
  endif()
  add_compile_options(-ffunction-sections -fdata-sections)
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  # A whole archive of libc is not wanted: only what is reached stays in the binary.
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -static -Wl,--gc-sections")
endif()
