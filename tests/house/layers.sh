#!/usr/bin/env bash
# layers.sh ROOT: arrows between rooms run downwards only.
#   cli -> report -> practice -> teaching -> explorer -> hardware, simt, gpu, reference -> kernels
# kernels/ includes of src/ the CPU machine's header alone, and of libraries only the two compilers' own; which machine a
# kernel is compiled for is asked in kernels/primitives alone. The reference shares nothing with the kernels. First it
# breaks each rule in a copy, to show that it would notice.
set -euo pipefail

# Rooms whose headers a room may include, besides its own and src/*.h.
allowed() {
    case $1 in
        kernels) echo 'kernels' ;;
        simt) echo 'simt' ;;
        hardware) echo 'hardware kernels' ;;
        gpu) echo 'gpu hardware kernels' ;;
        reference) echo 'reference' ;;
        explorer) echo 'explorer hardware simt gpu reference kernels' ;;
        teaching) echo 'teaching explorer hardware reference kernels/attention.h' ;;
        practice) echo 'practice teaching explorer hardware simt reference kernels lessons/exercises' ;;
        report) echo 'report practice teaching explorer hardware simt kernels/attention.h' ;;
        cli) echo 'cli report practice teaching explorer hardware simt reference kernels' ;;
    esac
}

# Prints one line per violation.
violations() {
    local root=$1 room folder file line header rule fits
    cd "$root"
    for room in kernels simt hardware gpu reference explorer teaching practice report cli; do
        folder=src/$room
        [[ $room == kernels || $room == reference ]] && folder=$room
        [[ -d $folder ]] || continue
        while IFS=: read -r file line header; do
            header=${header#*\"}
            header=${header%%\"*}
            # A neighbour, or a file right under src/.
            if [[ $header != */* && ( -e $(dirname "$file")/$header || -e src/$header ) ]]; then continue; fi
            fits=
            for rule in $(allowed "$room"); do
                if [[ $header == "$rule" || $header == "$rule"/* ]]; then fits=1; fi
            done
            # The CPU machine's header, by kernels/primitives, and its launch, by the entry that starts a kernel on it.
            [[ $room == kernels && $header == simt/* ]] && fits=1
            [[ -n $fits ]] || echo "$file:$line: $room/ must not include \"$header\""
        done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$folder" --include='*.h' --include='*.cpp' \
            --include='*.cu' --include='*.cuh' || true)
    done
    # What nvcc compiles stays plain: no library that another compiler's bugs or minutes could come from.
    grep -rnE '#[[:space:]]*include[[:space:]]*[<"](fmt|Eigen|CLI|doctest|nlohmann|boost)/' kernels src/gpu \
        --include='*.h' --include='*.cu' --include='*.cuh' --include='*.cpp' 2>/dev/null |
        sed 's/$/   (kernels and the GPU room use no library)/' || true
    # Which machine is asked in one place.
    grep -rnE '^[[:space:]]*#[[:space:]]*(el)?if.*(__CUDACC__|__CUDA_ARCH__|__NVCC__|FLASHLENS_(ON|CPU|GPU|SIMT|CUDA|WITH))' \
        kernels --include='*.h' --include='*.cu' --include='*.cuh' --include='*.cpp' 2>/dev/null |
        grep -v '^kernels/primitives/' | sed 's/$/   (the machine is asked in kernels\/primitives alone)/' || true
    grep -rn '__CUDA_ARCH__' kernels --include='*.h' --include='*.cu' --include='*.cuh' --include='*.cpp' 2>/dev/null |
        grep -v '^kernels/primitives/' | sed 's/$/   (the chip is a template parameter)/' || true
}

# shellcheck source=tests/house/notices.sh
source "$(dirname "${BASH_SOURCE[0]}")/notices.sh"
notices kernels/v1/bad.h '#include "explorer/problem.h"'
notices kernels/v1/bad.h '#include <fmt/core.h>'
notices kernels/v2/bad.h '#ifdef __CUDACC__'
notices kernels/v2/bad.h '#if defined(__CUDA_ARCH__)'
notices src/gpu/bad.cu '#include <Eigen/Core>'
notices src/simt/bad.h '#include "kernels/attention.h"'
notices src/hardware/bad.cpp '#include "explorer/problem.h"'
notices src/explorer/bad.h '#include "report/table.h"'
notices src/explorer/bad.h '#include "teaching/kernel_texts.h"'
notices src/teaching/bad.h '#include "report/table.h"'
notices src/teaching/bad.h '#include "practice/exercise.h"'
notices src/practice/bad.h '#include "report/table.h"'
notices src/report/bad.h '#include "cli/options.h"'
notices reference/bad.h '#include "kernels/attention.h"'

found=$(violations "$(realpath "$1")")
[[ -z $found ]] && exit 0
echo "$found"
exit 1
