# cmake --install: the program, its completions, what it is read with and what a newcomer runs it on.
if(TARGET flashlens)
  install(TARGETS flashlens)
  # The program itself writes its completions.
  set(completions ${PROJECT_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${completions})
  install(
    CODE "
    foreach(shell bash zsh)
      execute_process(
        COMMAND \"$<TARGET_FILE:flashlens>\" completion \${shell}
        OUTPUT_FILE \"${completions}/\${shell}\"
        COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
  install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME flashlens)
  install(FILES ${completions}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _flashlens)
endif()
install(FILES README.md README.zh.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/flashlens/data)
# The lessons, and beside them what they point into: the sources, and the READMEs.
install(FILES README.md README.zh.md DESTINATION ${CMAKE_INSTALL_DATADIR}/flashlens)
install(
  DIRECTORY lessons/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/flashlens/lessons
  FILES_MATCHING
  PATTERN "*.md"
  PATTERN "*.csv"
  PATTERN "*.svg"
  PATTERN "quiz" EXCLUDE # the program has these two built in
  PATTERN "exercises" EXCLUDE)
install(
  DIRECTORY kernels/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/flashlens/kernels
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*.cuh"
  PATTERN "*.md"
  PATTERN "CMakeLists.txt")
