# Libraries, all of them packages of Debian and Ubuntu (tools/install-deps.sh installs them).
# Targets to name after LINK:
#   PkgConfig::LIBELF PkgConfig::LIBDW PkgConfig::ZLIB PkgConfig::ZSTD PkgConfig::LIBBPF (capture)
#   Boost::program_options nlohmann_json::nlohmann_json Threads::Threads benchmark::benchmark
# fmt (PkgConfig::FMT) is linked by every srvprof_library and need not be named.
find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# srvprof_package(<PREFIX> <module>): target PkgConfig::<PREFIX>. In a static build the link list is
# the private one (`pkg-config --static`): what libelf needs, for one, differs by release.
function(srvprof_package prefix module)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  if(SRVPROF_STATIC)
    set_property(TARGET PkgConfig::${prefix}
                 PROPERTY INTERFACE_LINK_LIBRARIES ${${prefix}_STATIC_LIBRARIES})
  endif()
endfunction()

srvprof_package(LIBELF libelf)
srvprof_package(LIBDW libdw)
srvprof_package(ZLIB zlib)
srvprof_package(ZSTD libzstd)
srvprof_package(FMT fmt)
if(SRVPROF_CAPTURE)
  srvprof_package(LIBBPF libbpf)
endif()

if(SRVPROF_STATIC)
  set(Boost_USE_STATIC_LIBS ON)
  # Some releases ship fmt without an archive: then its code is compiled in.
  find_library(SRVPROF_FMT_ARCHIVE NAMES libfmt.a)
  if(NOT SRVPROF_FMT_ARCHIVE)
    set_property(TARGET PkgConfig::FMT PROPERTY INTERFACE_LINK_LIBRARIES "")
    set_property(TARGET PkgConfig::FMT
                 PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  endif()
endif()
if(POLICY CMP0167)  # newer CMake has no FindBoost; Boost's own file is there everywhere
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.10 REQUIRED)
