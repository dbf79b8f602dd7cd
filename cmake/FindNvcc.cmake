# What FlashlensCuda.cmake asks the machine: where nvcc is, which cards are here, which host compiler nvcc would use.

# path is empty where there is no nvcc that runs.
function(flashlens_find_nvcc path_out version_out)
  set(${path_out} "" PARENT_SCOPE)
  set(${version_out} "" PARENT_SCOPE)
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc)
    set(nvcc "$ENV{CUDACXX}")
  endif()
  if(NOT nvcc)
    # Installers put CUDA there without touching PATH.
    unset(nvcc)
    find_program(nvcc nvcc NO_CACHE HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
  endif()
  if(NOT nvcc)
    return()
  endif()
  execute_process(
    COMMAND ${nvcc} --version
    OUTPUT_VARIABLE said
    ERROR_QUIET
    RESULT_VARIABLE failed)
  if(failed OR NOT said MATCHES "release ([0-9]+\\.[0-9]+)")
    return()
  endif()
  set(${path_out} "${nvcc}" PARENT_SCOPE)
  set(${version_out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# chips: 80;90 and so on, ascending and each once; empty where the driver doesn't say.
function(flashlens_find_cards has_card_out chips_out)
  set(${has_card_out} FALSE PARENT_SCOPE)
  set(${chips_out} "" PARENT_SCOPE)
  # /dev/nvidia0, or /dev/dxg under WSL: without either the driver's tool needn't be asked.
  file(GLOB devices /dev/nvidia[0-9]* /dev/dxg)
  if(NOT devices)
    return()
  endif()
  find_program(nvidia_smi nvidia-smi NO_CACHE PATHS /usr/lib/wsl/lib)
  if(NOT nvidia_smi)
    return()
  endif()
  execute_process(
    COMMAND ${nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE said
    ERROR_QUIET
    TIMEOUT 30
    RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${said}")
  if(failed OR NOT found)
    return()
  endif()
  list(TRANSFORM found REPLACE "\\." "")
  list(REMOVE_DUPLICATES found)
  list(SORT found COMPARE NATURAL)
  set(${has_card_out} TRUE PARENT_SCOPE)
  set(${chips_out} "${found}" PARENT_SCOPE)
endfunction()

# CMake's words for chips as numbers: native is those of the cards here, all and all-major are what this nvcc knows, from
# sm_75 on. Other words stay.
function(flashlens_named_chips nvcc chips out)
  if(chips STREQUAL "native")
    flashlens_find_cards(has_card found)
    if(has_card)
      flashlens_known_to_nvcc(${nvcc} "${found}" chips)
    endif()
  elseif(chips MATCHES "^all(-major)?$")
    set(major_only ${CMAKE_MATCH_1})
    execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE said ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+" known "${said}")
    list(SORT known COMPARE NATURAL)
    list(GET known 0 oldest)
    list(GET known -1 newest)
    set(chips "")
    foreach(chip IN LISTS known)
      if(chip GREATER_EQUAL 75 AND (NOT major_only OR chip MATCHES "0$" OR chip EQUAL oldest))
        list(APPEND chips ${chip}-real)
      endif()
    endforeach()
    list(APPEND chips ${newest}-virtual)
  endif()
  set(${out} "${chips}" PARENT_SCOPE)
endfunction()

# Chips newer than this nvcc get the newest PTX that it knows; the driver compiles that when it loads it.
function(flashlens_known_to_nvcc nvcc chips out)
  execute_process(
    COMMAND ${nvcc} --list-gpu-arch
    OUTPUT_VARIABLE said
    ERROR_QUIET)
  string(REGEX MATCHALL "compute_[0-9]+" known "${said}")
  list(TRANSFORM known REPLACE "compute_" "")
  list(SORT known COMPARE NATURAL)
  set(result "")
  foreach(chip IN LISTS chips)
    if(chip IN_LIST known)
      list(APPEND result ${chip}-real)
    else()
      list(GET known -1 newest)
      list(APPEND result ${newest}-virtual)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES result)
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# problem is empty when nvcc takes its host compiler; else it says which one to set.
function(flashlens_check_host_compiler nvcc nvcc_version problem_out)
  set(${problem_out} "" PARENT_SCOPE)
  set(host "${CMAKE_CUDA_HOST_COMPILER}")
  foreach(variable CUDAHOSTCXX NVCC_CCBIN)
    if(NOT host)
      set(host "$ENV{${variable}}")
    endif()
  endforeach()
  if(NOT host)
    unset(host)
    find_program(host g++ NO_CACHE) # what nvcc takes by itself
  endif()
  if(NOT host)
    set(${problem_out} "nvcc needs a host compiler and finds no g++; set -DCMAKE_CUDA_HOST_COMPILER=/path/to/g++"
        PARENT_SCOPE)
    return()
  endif()

  set(file "${PROJECT_BINARY_DIR}/CMakeFiles/host_compiler.cu")
  file(WRITE ${file} "#include <cstdint>\n#include <utility>\nint main() { return 0; }\n")
  execute_process(
    COMMAND ${nvcc} -std=c++20 -ccbin ${host} -cuda -o ${file}.ii ${file}
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
    RESULT_VARIABLE failed)
  if(NOT failed)
    return()
  endif()

  # The newest gcc that each nvcc takes, by NVIDIA's installation guides.
  if(nvcc_version VERSION_LESS 12.4)
    set(newest 12)
  elseif(nvcc_version VERSION_LESS 12.8)
    set(newest 13)
  elseif(nvcc_version VERSION_LESS 13.0)
    set(newest 14)
  else()
    set(newest 15)
  endif()
  execute_process(COMMAND ${host} -dumpversion OUTPUT_VARIABLE host_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX MATCH "^[0-9]+" host_major "${host_version}")
  set(reason "CUDA ${nvcc_version} does not work with the host compiler ${host} ${host_version}")
  if(host_major GREATER newest)
    find_program(fitting NAMES g++-${newest} NO_CACHE)
    set(advice "set -DCMAKE_CUDA_HOST_COMPILER=g++-${newest}")
    if(NOT fitting)
      string(APPEND advice " after apt-get install g++-${newest}")
    endif()
  else()
    string(REGEX MATCH "[^\n]*error[^\n]*" line "${said}")
    set(advice "it says: ${line}; -DCMAKE_CUDA_HOST_COMPILER=/path/to/g++ chooses another")
  endif()
  set(${problem_out} "${reason}: ${advice}" PARENT_SCOPE)
endfunction()
