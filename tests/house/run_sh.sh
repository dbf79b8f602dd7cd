#!/usr/bin/env bash
# shellcheck disable=SC2016  # the stand-ins expand their own variables
# run_sh.sh ROOT: what run.sh and test.sh do when something is wrong. Everything that they would call is a stand-in, so
# nothing is installed or built.
set -euo pipefail
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/project/tools"
cp "$root"/{run.sh,test.sh} "$folder/project"
cp "$root/tools/prepare.sh" "$folder/project/tools"
for tool in bash env cat sed grep tail head id realpath mkdir sort ls nproc dirname tee tr; do
    ln -s "$(command -v "$tool")" "$folder/bin/$tool"
done

tool() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}

# expect STATUS PATTERN COMMAND...: PATTERN is looked for on standard error; standard output must be the program's.
expect() {
    local status=$1 pattern=$2 code=0
    shift 2
    env -i HOME="$folder" PATH="$folder/bin" "$@" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
    if [[ $code != "$status" ]] || ! grep -q -e "$pattern" "$folder/err"; then
        echo "$*: expected status $status and \"$pattern\", got status $code:"
        cat "$folder/out" "$folder/err"
        exit 1
    fi
}

# No apt: what to install, by name, and nothing else happens.
expect 1 'cmake ninja-build g++' "$folder/project/run.sh"
expect 1 'there is no apt' "$folder/project/test.sh"
[[ ! -s $folder/out ]] || { echo "run.sh without apt writes to standard output"; exit 1; }

# apt, but nothing to install with it: its own words.
tool apt-get '[[ $* == *update* ]] || { echo "E: Unable to locate package"; exit 100; }'
if [[ $(id -u) -eq 0 ]]; then
    expect 1 'Unable to locate package' "$folder/project/run.sh"
else
    expect 1 'needs root' "$folder/project/run.sh"
fi

# All there: the compiler finds every header, cmake is too old, then configures, then ninja fails, then builds.
tool c++ 'exit 0'
tool python3 'exit 0'
tool cmake 'echo cmake version 3.22.1'
tool ninja 'exit 1'
expect 1 'CMake 3.22.1 is too old' "$folder/project/run.sh"
tool cmake '
[[ $1 == --version ]] && { echo cmake version 3.28.3; exit; }
echo "CMake Error: no such luck"; exit 1'
expect 1 'no such luck' "$folder/project/run.sh"
tool cmake '
[[ $1 == --version ]] && { echo cmake version 3.28.3; exit; }
echo chatter; echo chatter >&2
while [[ $1 != -B ]]; do shift; done
touch "$2/build.ninja"; echo "$*" >>"$2/asked"; echo BUILD_TESTING:BOOL=$([[ $* == *BUILD_TESTING=ON* ]] && echo ON) >"$2/CMakeCache.txt"'
tool touch "exec $(command -v touch) \"\$@\""
tool ninja 'echo "FAILED: a.o"; echo "a.cpp:1: error: broken"; exit 1'
expect 1 'a.cpp:1: error: broken' "$folder/project/run.sh"
mkdir -p "$folder/project/build/bin"
tool ninja '
[[ $* == *-n* ]] && exit
echo "[1/1] chatter"'
printf '#!/usr/bin/env bash\nprintf "%%s|" "$PWD" "$@"; exit 3\n' >"$folder/project/build/bin/flashlens"
chmod +x "$folder/project/build/bin/flashlens"
cd "$folder"
expect 3 building "$folder/project/run.sh" compare --input 'a b' --json -
[[ $(<"$folder/out") == "$folder|compare|--input|a b|--json|-|" ]] ||
    { echo "run.sh does not pass on folder and arguments: $(<"$folder/out")"; exit 1; }
# Configured once for all these runs; the tests ask for more, once; then run.sh is content with it.
asked=$folder/project/build/asked
[[ $(wc -l <"$asked") -eq 1 ]] || { echo "run.sh configures again: $(<"$asked")"; exit 1; }
tool ctest 'echo "$*"'
expect 0 building "$folder/project/test.sh" -R simt
grep -q -- "-E _full.* -R simt" "$folder/out" || { echo "test.sh does not pass on: $(<"$folder/out")"; exit 1; }
expect 0 building "$folder/project/test.sh" --full
grep -q -- _full "$folder/out" && { echo "test.sh --full leaves tests out: $(<"$folder/out")"; exit 1; }
expect 3 building "$folder/project/run.sh"
[[ $(wc -l <"$asked") -eq 2 ]] || { echo "expected two configurations: $(<"$asked")"; exit 1; }
# Other arguments for CMake, or a CUDA compiler that wasn't there before: configured anew.
expect 3 configuring FLASHLENS_CMAKE_ARGS=-DX=1 "$folder/project/run.sh"
tool nvcc :
expect 3 configuring "$folder/project/run.sh"
