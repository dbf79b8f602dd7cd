#!/usr/bin/env bash
# configure.sh ROOT CMAKE: what cmake/FlashlensCuda.cmake decides and says on machines that aren't this one. A stand-in
# plays nvcc: it knows its version and whether it takes its host compiler.
set -euo pipefail
root=$1 cmake=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# nvcc VERSION ACCEPTS_HOST
nvcc() {
    cat >"$folder/nvcc" <<NVCC
#!/bin/sh
case "\$*" in
--version) echo "Cuda compilation tools, release $1, V$1.99" ;;
--list-gpu-arch) printf 'compute_80\ncompute_90\n' ;;
*) $2 || { echo "error: unsupported GNU version"; exit 1; } ;;
esac
NVCC
    chmod +x "$folder/nvcc"
}

# host VERSION: a host compiler that says so.
host() {
    printf '#!/bin/sh\necho %s\n' "$1" >"$folder/g++"
    chmod +x "$folder/g++"
}

# expect STATUS PATTERN ARGUMENT...: how configuring ends, and what it says.
expect() {
    local status=$1 pattern=$2 said code=0
    shift 2
    said=$(env -u CUDACXX -u CUDAARCHS -u CUDAHOSTCXX -u NVCC_CCBIN "$cmake" -DPROJECT_BINARY_DIR="$folder" "$@" \
        -P "$root/cmake/FlashlensCuda.cmake" 2>&1) || code=1
    said=$(tr -s ' \n' '  ' <<<"$said")
    if [[ $code != "$status" || ! $said =~ $pattern ]]; then
        echo "with $*: expected status $status and \"$pattern\", got status $code: $said"
        exit 1
    fi
}

nvcc 12.4 true
here=-DCMAKE_CUDA_COMPILER=$folder/nvcc
expect 0 'not built.*FLASHLENS_CUDA=OFF' -DFLASHLENS_CUDA=OFF "$here"
expect 1 'AUTO, ON or OFF would work' -DFLASHLENS_CUDA=MAYBE "$here"
expect 0 'not built.*no nvcc' -DFLASHLENS_CUDA=AUTO -DCMAKE_CUDA_COMPILER=/nowhere/nvcc
expect 1 'no nvcc' -DFLASHLENS_CUDA=ON -DCMAKE_CUDA_COMPILER=/nowhere/nvcc
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
    expect 0 'not built.*nvcc 12.4, but no card here' -DFLASHLENS_CUDA=AUTO "$here"
fi

# Too old, by name; never fatal under AUTO.
nvcc 11.8 true
expect 0 'not built.*CUDA 11.8 .*12.0 or newer' -DFLASHLENS_CUDA=AUTO "$here" -DCMAKE_CUDA_ARCHITECTURES=80
expect 1 'CUDA 11.8 .*12.0 or newer' -DFLASHLENS_CUDA=ON "$here"

# Chips that the kernels don't run on: the first of them by name.
nvcc 12.4 true
expect 1 'CMAKE_CUDA_ARCHITECTURES has 70-real.*sm_75 or newer' -DFLASHLENS_CUDA=ON "$here" \
    '-DCMAKE_CUDA_ARCHITECTURES=75;70-real;80'
expect 0 'not built.*has 61' -DFLASHLENS_CUDA=AUTO "$here" -DCMAKE_CUDA_ARCHITECTURES=61

# A host compiler that is too new: which one to set.
nvcc 12.4 false
host 14
expect 1 'CMAKE_CUDA_HOST_COMPILER=g\+\+-13' -DFLASHLENS_CUDA=ON "$here" "-DCMAKE_CUDA_HOST_COMPILER=$folder/g++"
expect 0 'not built.*CMAKE_CUDA_HOST_COMPILER=g\+\+-13' -DFLASHLENS_CUDA=AUTO "$here" \
    "-DCMAKE_CUDA_HOST_COMPILER=$folder/g++" -DCMAKE_CUDA_ARCHITECTURES=90
nvcc 12.8 false
host 15
expect 1 'CMAKE_CUDA_HOST_COMPILER=g\+\+-14' -DFLASHLENS_CUDA=ON "$here" "-DCMAKE_CUDA_HOST_COMPILER=$folder/g++"
