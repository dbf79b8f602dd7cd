# The libraries, as imported targets: Boost::context fmt::fmt Eigen3::Eigen CLI11::CLI11 nlohmann_json::nlohmann_json
# md4c::md4c, and doctest::doctest for the tests. Everything that is missing is named at once, with its package on Debian and Ubuntu.

# Boost is found through the BoostConfig.cmake that it installs itself; CMake's own FindBoost is on its way out.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()

set(flashlens_missing "")
macro(flashlens_need library package)
  find_package(${library} ${ARGN} QUIET)
  if(NOT ${library}_FOUND)
    string(APPEND flashlens_missing "\n  ${library}: ${package}")
    list(APPEND flashlens_missing_packages ${package})
  endif()
endmacro()

flashlens_need(Threads libc6-dev)
flashlens_need(Boost libboost-context-dev 1.74 COMPONENTS context)
flashlens_need(fmt libfmt-dev 8)
flashlens_need(Eigen3 libeigen3-dev)
flashlens_need(CLI11 libcli11-dev 2.1)
flashlens_need(nlohmann_json nlohmann-json3-dev 3)
flashlens_need(md4c libmd4c-dev)
if(BUILD_TESTING)
  flashlens_need(doctest doctest-dev 2.4)
endif()
if(flashlens_missing)
  list(JOIN flashlens_missing_packages " " packages)
  message(
    FATAL_ERROR
      "Libraries are missing; each with its package on Debian and Ubuntu:${flashlens_missing}\n"
      "  sudo apt-get install ${packages}\n"
      "(./run.sh and ./test.sh do that by themselves. The tests alone need doctest: -DBUILD_TESTING=OFF does without.)")
endif()
