# The kernel side: every bpf/*.bpf.c is compiled by clang, bpftool links the objects into one and
# makes one skeleton header. Needs no vmlinux.h and no BTF of the building machine.

set(SRVPROF_CLANG_MIN 14)

function(srvprof_find_clang)
  foreach(name clang clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
    unset(candidate CACHE)
    find_program(candidate ${name})
    if(NOT candidate)
      continue()
    endif()
    execute_process(COMMAND ${candidate} -dumpversion OUTPUT_VARIABLE version
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(version VERSION_GREATER_EQUAL SRVPROF_CLANG_MIN)
      set(SRVPROF_CLANG ${candidate} CACHE FILEPATH "clang that compiles bpf/")
      unset(candidate CACHE)
      return()
    endif()
  endforeach()
  unset(candidate CACHE)
  message(FATAL_ERROR "no clang >= ${SRVPROF_CLANG_MIN} for bpf/\n"
    "  hint: tools/install-deps.sh --build-only, or -DSRVPROF_CAPTURE=OFF for reports only")
endfunction()

# Ubuntu's /usr/sbin/bpftool is a script that refuses to run when the tools of the running kernel are
# not installed; any real bpftool beside it will do, since only files are made here.
function(srvprof_find_bpftool)
  file(GLOB versioned /usr/lib/linux-tools/*/bpftool /usr/lib/linux-tools-*/bpftool)
  find_program(SRVPROF_BPFTOOL_FOUND bpftool PATHS /usr/sbin /usr/local/sbin /sbin)
  mark_as_advanced(SRVPROF_BPFTOOL_FOUND)
  foreach(candidate ${SRVPROF_BPFTOOL_FOUND} ${versioned})
    execute_process(COMMAND ${candidate} version RESULT_VARIABLE rc OUTPUT_QUIET ERROR_QUIET)
    if(rc EQUAL 0)
      set(SRVPROF_BPFTOOL ${candidate} CACHE FILEPATH "bpftool that makes the skeleton")
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no working bpftool\n"
    "  hint: tools/install-deps.sh --build-only, or -DSRVPROF_CAPTURE=OFF for reports only")
endfunction()

function(srvprof_bpf_arch out)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(${out} x86 PARENT_SCOPE)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(${out} arm64 PARENT_SCOPE)
  else()
    message(FATAL_ERROR "bpf/ is written for x86_64 and arm64, not ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
endfunction()

# srvprof_add_bpf(): target srvprof_skeleton, whose users include "srvprof.skel.h".
function(srvprof_add_bpf)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bpf/*.bpf.c)
  # The linker wants the definition of a map before its declarations.
  list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/bpf/core.bpf.c)
  list(PREPEND sources ${CMAKE_SOURCE_DIR}/bpf/core.bpf.c)
  add_library(srvprof_skeleton INTERFACE)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/bpf/core.bpf.c)
    message(WARNING "bpf/ holds no *.bpf.c: there is no skeleton")
    return()
  endif()
  if(NOT SRVPROF_CLANG)
    srvprof_find_clang()
  endif()
  if(NOT SRVPROF_BPFTOOL)
    srvprof_find_bpftool()
  endif()
  srvprof_bpf_arch(arch)

  set(dir ${CMAKE_BINARY_DIR}/bpf)
  file(MAKE_DIRECTORY ${dir})
  # v2: what clang 14 to 21 agree on; returning atomics (v3) are not in the oldest kernels anyway.
  set(flags -target bpf -mcpu=v2 -O2 -g -std=gnu11 -D__TARGET_ARCH_${arch} -Wall -Wextra -Werror
      -Wno-unused-parameter -I${CMAKE_SOURCE_DIR}/bpf)
  foreach(include IN LISTS LIBBPF_INCLUDE_DIRS)
    list(APPEND flags -isystem ${include})
  endforeach()
  if(CMAKE_LIBRARY_ARCHITECTURE)  # <asm/types.h> of Debian lies in the multiarch folder
    list(APPEND flags -isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()

  set_property(GLOBAL PROPERTY SRVPROF_BPF_FLAGS "${flags}")

  set(objects)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME)
    string(REGEX REPLACE "\\.bpf\\.c$" ".bpf.o" name ${name})
    set(object ${dir}/${name})
    add_custom_command(OUTPUT ${object}
      COMMAND ${SRVPROF_CLANG} ${flags} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "BPF ${name}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()

  set(linked ${dir}/srvprof.o)
  add_custom_command(OUTPUT ${linked}
    COMMAND ${SRVPROF_BPFTOOL} gen object ${linked} ${objects}
    DEPENDS ${objects} COMMENT "BPF link srvprof.o" VERBATIM)
  set(header ${dir}/include/srvprof.skel.h)
  file(MAKE_DIRECTORY ${dir}/include)
  # bpftool writes to stdout; a failed run must not leave half a header behind.
  add_custom_command(OUTPUT ${header}
    COMMAND sh -c "\"$1\" gen skeleton \"$2\" name srvprof_bpf > \"$3.tmp\" && mv \"$3.tmp\" \"$3\""
            sh ${SRVPROF_BPFTOOL} ${linked} ${header}
    DEPENDS ${linked} COMMENT "BPF skeleton srvprof.skel.h" VERBATIM)
  add_custom_target(srvprof_bpf DEPENDS ${header})
  target_include_directories(srvprof_skeleton SYSTEM INTERFACE ${dir}/include)
  target_link_libraries(srvprof_skeleton INTERFACE PkgConfig::LIBBPF)
  add_dependencies(srvprof_skeleton srvprof_bpf)
endfunction()

# srvprof_test_bpf(<target> SOURCE x.bpf.c NAME <name>): a test's own BPF program, linked with core.bpf.o (the
# shared maps and knobs). `target` gets <name>.skel.h, whose struct is <name>_bpf.
function(srvprof_test_bpf target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;NAME" "")
  get_property(flags GLOBAL PROPERTY SRVPROF_BPF_FLAGS)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/bpf)
  file(MAKE_DIRECTORY ${dir})
  set(object ${dir}/${arg_NAME}.bpf.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${SRVPROF_CLANG} ${flags} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "BPF ${arg_NAME}" VERBATIM)
  set(header ${dir}/${arg_NAME}.skel.h)
  add_custom_command(OUTPUT ${header}
    COMMAND sh -c "\"$1\" gen object \"$2.o\" \"$3\" \"$4\" && \"$1\" gen skeleton \"$2.o\" name $5 > \"$2.tmp\" && mv \"$2.tmp\" \"$2\""
            sh ${SRVPROF_BPFTOOL} ${header} ${CMAKE_BINARY_DIR}/bpf/core.bpf.o ${object} ${arg_NAME}_bpf
    DEPENDS ${object} ${CMAKE_BINARY_DIR}/bpf/core.bpf.o COMMENT "BPF skeleton ${arg_NAME}.skel.h" VERBATIM)
  add_custom_target(${target}_skeleton DEPENDS ${header})
  add_dependencies(${target}_skeleton srvprof_bpf)
  add_dependencies(${target} ${target}_skeleton)
  target_include_directories(${target} SYSTEM PRIVATE ${dir})
  target_link_libraries(${target} PRIVATE PkgConfig::LIBBPF)
endfunction()
