# cmake --install: the program, what it shows and what a newcomer runs it on.
if(TARGET flashlens)
  install(TARGETS flashlens)
endif()
install(FILES README.md README.zh.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/flashlens/data)
