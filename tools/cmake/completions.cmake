# cmake -DPROGRAM= -DSHELL= -DOUTPUT= -P completions.cmake
# Writes what `PROGRAM --completions SHELL` prints; an empty file when the program does not run.
execute_process(COMMAND ${PROGRAM} --completions ${SHELL} OUTPUT_VARIABLE text RESULT_VARIABLE rc
                ERROR_VARIABLE messages)
if(NOT rc EQUAL 0)
  message("no completions for ${SHELL}: ${PROGRAM} --completions ended with ${rc}: ${messages}")
  set(text "")
endif()
file(WRITE ${OUTPUT} "${text}")
