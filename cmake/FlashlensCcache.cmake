# Compiles through ccache where it is installed and nobody chose another launcher. It keeps nothing that was compiled with
# precompiled headers, so there are none then, unless asked for.
find_program(FLASHLENS_CCACHE ccache)
mark_as_advanced(FLASHLENS_CCACHE)
if(FLASHLENS_CCACHE)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${FLASHLENS_CCACHE})
    endif()
  endforeach()
  if(NOT DEFINED CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endif()
