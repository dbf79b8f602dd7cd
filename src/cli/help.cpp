#include "cli/help.h"

namespace flashlens::cli {

std::string help_text() {
    return R"(usage: flashlens [compare] [options]   run FlashAttention-1 (v1), -2 (v2) and a
                                       CPU reference, and show what differs
       flashlens explain [options]     grid, occupancy, waves; nothing is run
       flashlens sweep [options]       lists and ranges: a table and a chart
       flashlens bench [options]       times on the card here; a table to paste
       flashlens devices [options]     cards that --gpu knows, and the one here
       flashlens completion bash|zsh   a script with which the shell completes

shape    -b, --batch N (2)   -H, --heads N (16)   --kv-heads N (as --heads)
         -s, --seqlen N (512: queries and keys)   --seqlen-q N   --seqlen-k N
         -d, --head-dim N (64; a multiple of 8, up to 128 for v1 and 256 for v2)
         --model NAME    a model's shape and mask; what else is given wins
mask     --causal   --no-causal   --align bottom-right|top-left
numbers  --dtype fp16|bf16   --scale X (1/sqrt(D))
         --seed N   --dist normal|uniform|sharp|ones
run      --machine auto|gpu|cpu    the GPU here, or the kernels on the CPU
         --gpu NAME (A100)         the card to compute launch and occupancy for
         --variants v1,v2[,v2-tuned]   --splits N (v1's num_splits)
         --verify full|sample|off (sample)   how many rows the reference checks
files    --input DIR    q.npy, k.npy, v.npy of (batch, seqlen, heads, dim)
         --output DIR   writes o.npy and lse.npy of each variant
         --json FILE    every figure; - is standard output   --csv, --svg FILE
sweep    takes lists: 1,8  64:128:+8  512:8192:x2   --causal --no-causal: both
         --chart NAME (speedup with a card, else sm-fill)   --count auto|on|off
bench    --shapes "B,H,S,D ..."   or B,H,KV,Sq,Sk,D; else one shape, or a table
         --samples N (21)   --limit measured|nominal (matmul's)
show     --lang en|zh   --no-color   -h, --help   -V, --version

examples   flashlens -b 1 -H 8 -s 1024 --causal
           flashlens explain -s 16384 -H 1 -b 1 --gpu "RTX 3090"
           flashlens sweep -s 512:8192:x2 -H 1,8 --svg fill.svg
           flashlens bench --shapes "4,32,4096,64 1,8,4096,128" --csv times.csv
           flashlens --model llama3-8b --seqlen 256 --dtype bf16 --json -
exit code  0 all right, 1 could not run, 2 bad usage, 3 a result is wrong
)";
}

std::string version_text() {
    return "flashlens " FLASHLENS_VERSION;
}

}  // namespace flashlens::cli
