# cmake --install: the program, its man page, shell completions and the documents.
#   cmake --build build/release && cmake --install build/release --prefix /usr/local [--strip]

configure_file(${CMAKE_SOURCE_DIR}/tools/man/srvprof.1 ${CMAKE_BINARY_DIR}/man/srvprof.1 @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/man/srvprof.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET srvprof)
  set_target_properties(srvprof PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  install(TARGETS srvprof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

  # The program writes its own completions: commands and flags are listed nowhere else. When it
  # cannot run here (a cross build), there are none to install.
  set(completions ${CMAKE_BINARY_DIR}/completions)
  set(made)
  foreach(shell bash zsh)
    add_custom_command(OUTPUT ${completions}/${shell}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:srvprof> -DSHELL=${shell}
              -DOUTPUT=${completions}/${shell} -P ${CMAKE_SOURCE_DIR}/tools/cmake/completions.cmake
      DEPENDS srvprof ${CMAKE_SOURCE_DIR}/tools/cmake/completions.cmake
      COMMENT "Completions for ${shell}" VERBATIM)
    list(APPEND made ${completions}/${shell})
  endforeach()
  add_custom_target(srvprof_completions ALL DEPENDS ${made})
  install(CODE "set(srvprof_completions \"${completions}\")")
  install(CODE "set(srvprof_datadir \"${CMAKE_INSTALL_DATADIR}\")")
  install(SCRIPT ${CMAKE_SOURCE_DIR}/tools/cmake/install_completions.cmake)
endif()
