#!/usr/bin/env bash
# ./test.sh [--full] [options of ctest]
# Installs what is missing (apt, on Debian and Ubuntu), builds and runs the tests: the quick ones, which take minutes, or
# with --full all of them. ./test.sh -R simt runs those whose name has "simt" in it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/prepare.sh
source "$top/tools/prepare.sh"

# Slow tests are doctest suites named "full" (tests/doctest_main.cpp) and tests whose name ends in _full; the target
# full_tests is what those need to be built (tests/CMakeLists.txt).
export FLASHLENS_TEST_TIER=quick
tier=(-E '_full$')
targets=(all)
arguments=()
for argument in "$@"; do
    case $argument in
        --full)
            FLASHLENS_TEST_TIER=full
            tier=()
            targets+=(full_tests)
            ;;
        -h | --help)
            sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"
            exit
            ;;
        *) arguments+=("$argument") ;;
    esac
done

configure tests
compile "${targets[@]}"
exec ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 1200 -j "$(nproc)" "${tier[@]}" \
    "${arguments[@]}"
