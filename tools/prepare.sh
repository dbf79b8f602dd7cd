# shellcheck shell=bash
# Sourced by run.sh, test.sh and .ci/run: installs what is missing, configures, builds. Everything it says goes to
# standard error, and what the tools say to a log, so that standard output is the program's alone.
#
#   FLASHLENS_BUILD       the build folder; build/ when unset
#   FLASHLENS_CMAKE_ARGS  more arguments for configuring, separated by blanks

build=$(realpath -m "${FLASHLENS_BUILD:-$top/build}")
log=$build/flashlens.log

say() { printf 'flashlens: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

# Which Debian packages are missing, by what they bring: a compiler or a library that came another way is as good.
# With "tests": those for the tests too.
missing_packages() {
    local headers='boost/context/fiber.hpp=libboost-context-dev fmt/core.h=libfmt-dev Eigen/Core=libeigen3-dev
        CLI/CLI.hpp=libcli11-dev nlohmann/json.hpp=nlohmann-json3-dev md4c.h=libmd4c-dev'
    [[ ${1-} == tests ]] && headers+=' doctest/doctest.h=doctest-dev'
    command -v cmake >/dev/null || echo cmake
    command -v ninja >/dev/null || echo ninja-build
    [[ ${1-} != tests ]] || command -v python3 >/dev/null || echo python3
    local compiler=${CXX:-c++} pair
    if ! command -v "${compiler%% *}" >/dev/null; then
        echo g++
        compiler=
    fi
    for pair in $headers; do
        if [[ -z $compiler ]]; then
            # Without a compiler to ask: where the packages put them.
            [[ -e /usr/include/${pair%=*} || -e /usr/include/eigen3/${pair%=*} ]] || echo "${pair#*=}"
        else
            printf '#if !__has_include(<%s>)\n%s\n#endif\n' "${pair%=*}" "${pair#*=}"
        fi
    done | if [[ -n $compiler ]]; then
        $compiler -x c++ -E -P -I/usr/include/eigen3 - 2>/dev/null | sed '/^ *$/d'
    else
        cat
    fi
}

install_packages() {
    local packages as_root=()
    mapfile -t packages < <(missing_packages "$@")
    [[ ${#packages[@]} -gt 0 ]] || return 0
    if ! command -v apt-get >/dev/null; then
        die "needs what Debian calls: ${packages[*]}. Install that (there is no apt here to do it) and start again."
    fi
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || die "needs root for: apt-get install ${packages[*]}"
        as_root=(sudo)
        [[ -t 0 ]] || as_root=(sudo -n)
    fi
    say "installing ${packages[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -y)
    # A broken third-party source is no reason to stop before trying.
    "${apt[@]}" update >>"$log" 2>&1 || true
    "${apt[@]}" install --no-install-recommends "${packages[@]}" >>"$log" 2>&1 </dev/null ||
        die "apt-get install ${packages[*]} failed: $(tail -n 20 "$log")"
}

# What the configured build depends on and CMake wouldn't notice by itself: nvcc, cards, the arguments.
machine() {
    echo "$top" "${FLASHLENS_CMAKE_ARGS-}" "${CXX-}" "${CUDACXX-}" "${CUDAARCHS-}"
    command -v nvcc cmake ninja
    ls -d /usr/local/cuda*/bin/nvcc /dev/nvidia[0-9]* /dev/dxg 2>/dev/null
    return 0
}

# configure tests|program: only when something changed since the last time.
configure() {
    local stamp=$build/.configured now
    now=$(machine)
    if [[ -e $build/build.ninja && -e $stamp && $(<"$stamp") == "$now"* ]]; then
        [[ ${1-} != tests || $(<"$stamp") == *$'\n'tests ]] && return
    fi
    mkdir -p "$build"
    : >"$log"
    install_packages "$@"
    now=$(machine) # cmake and ninja may be new
    local version args=()
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    if [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) != 3.25 ]]; then
        die "CMake $version is too old, 3.25 or newer is needed (Debian 12, Ubuntu 24.04 or later have it)"
    fi
    read -ra args <<<"${FLASHLENS_CMAKE_ARGS-}"
    [[ ${1-} == tests ]] && args+=(-DBUILD_TESTING=ON)
    [[ ${1-} == tests || -e $build/build.ninja ]] || args+=(-DBUILD_TESTING=OFF)
    say "configuring $build"
    if ! cmake -S "$top" -B "$build" -G Ninja "${args[@]}" >>"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        die "configuring failed; all of it is in $log"
    fi
    sed -n 's/^-- \(GPU part: .*\)/flashlens: \1/p' "$log" >&2
    grep -q '^BUILD_TESTING:BOOL=ON' "$build/CMakeCache.txt" && now+=$'\n'tests
    printf '%s' "$now" >"$stamp"
}

# One line that is written over, where somebody watches.
show_progress() {
    if [[ -t 2 ]]; then
        local line
        while IFS= read -r line; do
            printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$line" >&2
        done
        printf '\r\033[K' >&2
    else
        cat >/dev/null
    fi
}

# compile TARGET...
compile() {
    local state
    state=$(ninja -C "$build" -n "$@" 2>&1) || true
    [[ $state == *'no work to do'* ]] && return
    say "building"
    if ! ninja -C "$build" "$@" 2>&1 </dev/null | tee "$log" | show_progress; then
        grep -A 12 -m 3 'FAILED:' "$log" >&2 || tail -n 40 "$log" >&2
        die "building failed; all of it is in $log"
    fi
}
