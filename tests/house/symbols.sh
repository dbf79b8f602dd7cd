#!/usr/bin/env bash
# symbols.sh NM CPU_ARCHIVE GPU_ARCHIVE: the host compiler's instance of a kernel and nvcc's share no symbol of this
# project. If they did, the linker would keep one of the two and the program would run the wrong one without a word.
set -euo pipefail
nm=$1 cpu=$2 gpu=$3

# Symbols that an archive defines, ours only: the standard library's templates are the same in both.
defined() { "$nm" --defined-only "$1" 2>/dev/null | awk 'NF == 3 && $2 != "b" && $2 != "r" && $2 != "t" && $2 != "d" {print $3}' |
    grep flashlens | sort -u; }

ours_cpu=$(defined "$cpu") ours_gpu=$(defined "$gpu")
# Both have kernels; otherwise nothing would be compared.
[[ $ours_cpu == *on_cpu* ]] || { echo "no symbol of flashlens::on_cpu in $cpu"; exit 1; }
[[ $ours_gpu == *on_gpu* ]] || { echo "no symbol of flashlens::on_gpu in $gpu"; exit 1; }
shared=$(comm -12 <(printf '%s\n' "$ours_cpu") <(printf '%s\n' "$ours_gpu"))
[[ -z $shared ]] || { printf 'in both %s and %s:\n%s\n' "$cpu" "$gpu" "$shared"; exit 1; }
stray=$(printf '%s\n' "$ours_cpu" | grep on_gpu; printf '%s\n' "$ours_gpu" | grep on_cpu || true)
[[ -z $stray ]] || { printf 'of the other machine:\n%s\n' "$stray"; exit 1; }
