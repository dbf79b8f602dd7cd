# Decides whether the GPU part is built, and for which chips.
#
#   FLASHLENS_CUDA=AUTO  where there is both nvcc and a card, or CMAKE_CUDA_ARCHITECTURES is given. Never breaks
#                        configuring: what stands in the way is one line, and the CPU machine is built alone.
#   FLASHLENS_CUDA=ON    always; what stands in the way is an error. For CI, and for building on one machine to run on
#                        another.
#   FLASHLENS_CUDA=OFF   never.
#
# Chips: CMAKE_CUDA_ARCHITECTURES where given, else those of the cards here, else flashlens_default_chips. sm_75 (T4) has
# kernels of its own, which are compiled where it is among them; the PTX of 75 or 75-virtual runs on newer cards, too.
# Sets FLASHLENS_WITH_CUDA (TRUE or FALSE) for the folders that follow; CUDA is an enabled language only where it is TRUE.

set(FLASHLENS_CUDA AUTO CACHE STRING "Build the GPU part: AUTO (nvcc and a card here), ON or OFF")
set_property(CACHE FLASHLENS_CUDA PROPERTY STRINGS AUTO ON OFF)

set(FLASHLENS_WITH_CUDA FALSE)
# sm_80 code runs on 80, 86 and 89 too; compute_90 is compiled by the driver on anything newer. sm_75's few kernels take
# seconds.
set(flashlens_default_chips 75-real 80-real 90)
set(flashlens_oldest_chip 75) # mma with fp32 sums on 16-bit numbers, ldmatrix

include(${CMAKE_CURRENT_LIST_DIR}/FindNvcc.cmake)

# Ends the search: a reason why the GPU part can't be built (an error under ON).
macro(flashlens_no_cuda reason)
  if(FLASHLENS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FLASHLENS_CUDA=ON: ${reason}.")
  endif()
  message(STATUS "GPU part: not built, the CPU machine alone (${reason})")
  return()
endmacro()

string(TOUPPER "${FLASHLENS_CUDA}" FLASHLENS_CUDA)
if(FLASHLENS_CUDA MATCHES "^(OFF|0|NO|FALSE)$")
  message(STATUS "GPU part: not built, the CPU machine alone (FLASHLENS_CUDA=OFF)")
  return()
elseif(FLASHLENS_CUDA MATCHES "^(ON|1|YES|TRUE)$")
  set(FLASHLENS_CUDA ON)
elseif(NOT FLASHLENS_CUDA STREQUAL "AUTO")
  message(FATAL_ERROR "FLASHLENS_CUDA=${FLASHLENS_CUDA}: AUTO, ON or OFF would work.")
endif()

flashlens_find_nvcc(nvcc nvcc_version)
if(NOT nvcc)
  flashlens_no_cuda("no nvcc found; -DCMAKE_CUDA_COMPILER=... names one")
endif()

# The chips. Asking the cards is what tells whether there is one.
if(DEFINED ENV{CUDAARCHS} AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
endif()
if(DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(flashlens_why "CMAKE_CUDA_ARCHITECTURES")
else()
  flashlens_find_cards(has_card cards_chips)
  if(has_card)
    set(flashlens_why "the cards here")
  elseif(FLASHLENS_CUDA STREQUAL "AUTO")
    flashlens_no_cuda("nvcc ${nvcc_version}, but no card here; -DFLASHLENS_CUDA=ON builds it anyway")
  else()
    set(flashlens_why "no card here, so the default")
  endif()
endif()

if(nvcc_version VERSION_LESS 12)
  flashlens_no_cuda("CUDA ${nvcc_version} at ${nvcc} is too old, 12.0 or newer is needed; \
-DCMAKE_CUDA_COMPILER=/path/to/nvcc chooses another")
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${flashlens_default_chips})
  if(cards_chips)
    list(GET cards_chips 0 oldest) # sorted
    if(oldest LESS flashlens_oldest_chip)
      flashlens_no_cuda("the card here is sm_${oldest}; the kernels need sm_${flashlens_oldest_chip} or newer")
    endif()
    flashlens_known_to_nvcc(${nvcc} "${cards_chips}" CMAKE_CUDA_ARCHITECTURES)
  endif()
endif()

# In numbers, as kernels/ compiles its files for some of them only.
flashlens_named_chips(${nvcc} "${CMAKE_CUDA_ARCHITECTURES}" CMAKE_CUDA_ARCHITECTURES)
foreach(chip IN LISTS CMAKE_CUDA_ARCHITECTURES)
  string(REGEX MATCH "^[0-9]+" number "${chip}")
  if(number AND number LESS flashlens_oldest_chip)
    flashlens_no_cuda("CMAKE_CUDA_ARCHITECTURES has ${chip}; the kernels need sm_${flashlens_oldest_chip} or newer")
  endif()
endforeach()

flashlens_check_host_compiler(${nvcc} ${nvcc_version} host_problem)
if(host_problem)
  flashlens_no_cuda("${host_problem}")
endif()

set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "nvcc")
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  # CMake 3.25 doesn't know that nvcc has C++20 since CUDA 12.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(FLASHLENS_WITH_CUDA TRUE)
message(STATUS "GPU part: CUDA ${nvcc_version}, for ${CMAKE_CUDA_ARCHITECTURES} (${flashlens_why})")
