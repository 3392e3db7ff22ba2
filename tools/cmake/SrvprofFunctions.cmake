# The functions that the CMakeLists.txt of the folders are written in.

# Folders that may see bpf/records.h, the records as the kernel side sends them.
set(SRVPROF_RECORDS_FOLDERS recording collect)

# srvprof_add_folder(<path>): add_subdirectory for a folder that has a CMakeLists.txt.
function(srvprof_add_folder path)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${path}/CMakeLists.txt)
    add_subdirectory(${path})
  endif()
endfunction()

# Remembers that `target` needs the libraries of `folders` (see srvprof_check_deps) and links them.
function(srvprof_link_folders target scope)
  foreach(dep IN LISTS ARGN)
    target_link_libraries(${target} ${scope} srvprof_${dep})
    set_property(GLOBAL APPEND PROPERTY SRVPROF_DEPS "${target}:srvprof_${dep}")
  endforeach()
endfunction()

# SRVPROF_VERSION is a string literal; its one source is project() in the top CMakeLists.txt.
function(srvprof_common_options target)
  target_compile_options(${target} PRIVATE ${SRVPROF_WARNINGS})
  target_compile_definitions(${target} PRIVATE SRVPROF_VERSION="${PROJECT_VERSION}")
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
endfunction()

# srvprof_library(<folder> SOURCES a.cc... [DEPS base...] [LINK PkgConfig::FOO...])
# The static library srvprof_<folder>. Includes are written from src/: "base/result.h".
# recording and collect also see bpf/ ("records.h"), collect the skeleton ("srvprof.skel.h").
function(srvprof_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "srvprof_library(${name}): unknown words: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target srvprof_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  srvprof_common_options(${target})
  if(name IN_LIST SRVPROF_RECORDS_FOLDERS)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/bpf)
  endif()
  if(name STREQUAL "collect")
    target_link_libraries(${target} PRIVATE srvprof_skeleton PUBLIC PkgConfig::LIBBPF)
  endif()
  srvprof_link_folders(${target} PUBLIC ${arg_DEPS})
  target_link_libraries(${target} PUBLIC PkgConfig::FMT ${arg_LINK})
endfunction()

# srvprof_executable(<name> SOURCES main.cc... [DEPS cli...] [LINK ...]): a program, put into bin/.
function(srvprof_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LINK")
  add_executable(${name} ${arg_SOURCES})
  srvprof_common_options(${name})
  srvprof_link_folders(${name} PRIVATE ${arg_DEPS})
  target_link_libraries(${name} PRIVATE PkgConfig::FMT ${arg_LINK})
endfunction()

# srvprof_test(<name> SOURCES a_test.cc... [DEPS base...] [LINK ...])
# A GoogleTest program; each of its tests is one ctest entry `<name>.Suite.Test` labelled "unit".
# SRVPROF_FIXTURES is the absolute path of tests/fixtures.
function(srvprof_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "srvprof_test(${name}): unknown words: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  srvprof_common_options(${name})
  target_compile_definitions(${name}
    PRIVATE SRVPROF_FIXTURES="${CMAKE_SOURCE_DIR}/tests/fixtures")
  foreach(folder IN LISTS SRVPROF_RECORDS_FOLDERS)
    if(folder IN_LIST arg_DEPS)
      target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/bpf)
    endif()
  endforeach()
  srvprof_link_folders(${name} PRIVATE ${arg_DEPS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} PkgConfig::FMT GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# srvprof_check(<name> COMMAND ... [LABELS ...] [TIMEOUT s]): a test that is a command.
# Its exit code 77 means skipped; the reason is the last line that it prints.
function(srvprof_check name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS check)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
                       SKIP_RETURN_CODE 77)
endfunction()

# Called last: a DEPS word without a library is told here by name, not by the linker as "-lsrvprof_x".
function(srvprof_check_deps)
  get_property(deps GLOBAL PROPERTY SRVPROF_DEPS)
  list(REMOVE_DUPLICATES deps)
  foreach(pair IN LISTS deps)
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 target)
    list(GET pair 1 dep)
    if(NOT TARGET ${dep})
      message(WARNING "${target}: DEPS names ${dep}, which no folder of src/ makes")
    endif()
  endforeach()
endfunction()
