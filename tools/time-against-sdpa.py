#!/usr/bin/env python3
"""Times the kernels beside PyTorch's scaled_dot_product_attention on the card of this machine.

SDPA runs its flash back end, PyTorch's own build of FlashAttention-2: a yardstick that runs in the same minutes on the
same card, so that the ratios mean something where bare times would not. For each shape SDPA is timed, then
`flashlens bench` times its variants in turns in one process, then SDPA is timed again; its figure is the mean of its two
medians, and a row where these differ by more than 5 % is marked. A wrong output ends it: no time without a right result.

TFLOP/s are 4 B H D times the visible (query, key) pairs over the time, for all alike.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

try:
    import torch
    import torch.nn.functional
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as error:
    sys.exit(f"time-against-sdpa: needs Python with PyTorch 2.3 or newer and CUDA ({error}); pip install torch")

SHAPES = (  # batch, heads, seqlen, head_dim: the table of a bare `flashlens bench`
    "32,32,512,64 16,32,1024,64 8,32,2048,64 4,32,4096,64 2,32,8192,64 1,32,16384,64 "
    "32,16,512,128 16,16,1024,128 8,16,2048,128 4,16,4096,128 2,16,8192,128 1,16,16384,128 "
    "4,64,4096,32 4,8,4096,256 1,1,16384,64 1,4,16384,64 1,8,8192,128 2,40,1024,64 1,8,4096,64"
)
MASKS = {"full": [False], "causal": [True], "both": [False, True]}
# As src/gpu/gpu.h has them, so that all are timed alike.
WARM_UP_US = 10e3
SAMPLE_US = 1e3
DRIFT = 0.05


def shapes(text):
    result = []
    for word in text.split():
        parts = word.split(",")
        if len(parts) != 4 or not all(part.isdecimal() and int(part) > 0 for part in parts):
            raise argparse.ArgumentTypeError(f"{word}: a shape is BATCH,HEADS,SEQLEN,HEAD_DIM, such as 4,32,4096,64")
        result.append(tuple(int(part) for part in parts))
    if not result:
        raise argparse.ArgumentTypeError("names no shape")
    return result


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("flashlens", type=pathlib.Path, help="the program, or the build folder with bin/flashlens")
    parser.add_argument("--shapes", type=shapes, default=shapes(SHAPES), metavar='"B,H,S,D ..."')
    parser.add_argument("--masks", choices=MASKS, default="both")
    parser.add_argument("--dtype", choices=("fp16", "bf16"), default="fp16")
    parser.add_argument("--variants", metavar="v1,v2", help="as flashlens takes them; all unless given")
    parser.add_argument("--samples", type=int, default=21, help="of each on each shape (21)")
    parser.add_argument("--verify", choices=("sample", "off"), default="sample")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all figures there too")
    parser.add_argument(
        "--markdown", type=pathlib.Path, metavar="FILE", help="write a table with both masks of a shape side by side there"
    )
    given = parser.parse_args()
    if given.flashlens.is_dir():
        given.flashlens = given.flashlens / "bin" / "flashlens"
    if not given.flashlens.is_file():
        parser.error(f"no program at {given.flashlens}")
    if given.samples < 3:
        parser.error(f"--samples {given.samples}: must be at least 3")
    return given


def time_sdpa_us(shape, causal, given):
    """The median of the samples, each a mean over as many launches as take about a millisecond."""
    batch, heads, seqlen, head_dim = shape
    kind = torch.float16 if given.dtype == "fp16" else torch.bfloat16
    q, k, v = (
        torch.randn(batch, seqlen, heads, head_dim, device="cuda", dtype=kind).transpose(1, 2) for _ in range(3)
    )
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def time_us(launches):
        start.record()
        for _ in range(launches):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        stop.record()
        torch.cuda.synchronize()
        return max(start.elapsed_time(stop) * 1e3 / launches, 0.1)

    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        time_us(3)
        once = spent = 0.0
        while spent < WARM_UP_US:
            once = time_us(3)
            spent += 3 * once
        launches = max(1, min(200, int(SAMPLE_US / once)))
        samples = sorted(time_us(launches) for _ in range(given.samples))
    del q, k, v
    torch.cuda.empty_cache()
    return (samples[len(samples) // 2] + samples[(len(samples) - 1) // 2]) / 2


def environment():
    """Ours, and the cuBLAS that PyTorch has loaded for a machine that has no other."""
    folders = set()
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            folders = {os.path.dirname(line.split()[-1]) for line in maps if "/libcublas.so" in line}
    except OSError:
        pass
    path = [os.environ.get("LD_LIBRARY_PATH", "")] + sorted(folders)
    return os.environ | {"LD_LIBRARY_PATH": ":".join(folder for folder in path if folder)}


def bench(shape, given, limit):
    """What `flashlens bench --json -` says of one shape, under the masks asked for."""
    command = [str(given.flashlens), "bench", "--shapes", ",".join(map(str, shape)), "--dtype", given.dtype]
    command += ["--samples", str(given.samples), "--verify", given.verify, "--limit", limit, "--json", "-"]
    command += {"full": ["--no-causal"], "causal": ["--causal"], "both": []}[given.masks]
    command += ["--variants", given.variants] if given.variants else []
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    report = json.loads(done.stdout) if done.returncode in (0, 3) else {"rows": []}
    wrong = [
        f"{variant['name']}: {variant['reason']}"
        for row in report["rows"]
        for variant in row["variants"]
        if variant["verdict"] == "fail"
    ]
    if done.returncode != 0:
        sys.exit(f"time-against-sdpa: {' '.join(command)} failed:\n" + ("\n".join(wrong) or done.stderr))
    return report


def measure(shape, given, limit):
    """One row for each mask, and flashlens's own report."""
    masks = MASKS[given.masks]
    before = {causal: time_sdpa_us(shape, causal, given) for causal in masks}
    report = bench(shape, given, limit)
    after = {causal: time_sdpa_us(shape, causal, given) for causal in reversed(masks)}
    rows = []
    for causal, found in zip(masks, report["rows"]):
        problem = found["problem"]
        assert problem["causal"] == causal
        sdpa = (before[causal] + after[causal]) / 2
        row = {name: problem[name] for name in ("batch", "heads", "seqlen_k", "head_dim", "causal", "dtype", "flops")}
        row |= {"sdpa_us": sdpa, "sdpa_before_us": before[causal], "sdpa_after_us": after[causal]}
        row |= {"sdpa_tflops": problem["flops"] / sdpa / 1e6, "variants": {}}
        for variant in found["variants"]:
            us = variant["time_us"]
            row["variants"][variant["name"]] = {
                "time_us": us,
                "tflops": variant["tflops"],
                "spread": variant["spread"],
                "over_sdpa": sdpa / us if us else None,
                "verdict": variant["verdict"],
            }
        rows.append(row)
    return rows, report


def shape_of(row):
    return f"{row['batch']} {row['heads']} {row['seqlen_k']} {row['head_dim']}"


def figure(value, digits):
    return "–" if value is None else f"{value:.{digits}f}"


def markdown_line(cells):
    return "| " + " | ".join(cells) + " |"


def head(names):
    cells = ["B H S D", "mask", "SDPA TFLOP/s"]
    for name in names:
        cells += [f"{name} TFLOP/s", f"{name}/SDPA"]
    return markdown_line(cells) + "\n" + markdown_line(["---"] * 2 + ["---:"] * (len(cells) - 2))


def line(row):
    drifted = abs(row["sdpa_before_us"] - row["sdpa_after_us"]) > DRIFT * row["sdpa_us"]
    cells = [shape_of(row), "causal" if row["causal"] else "full"]
    cells.append(figure(row["sdpa_tflops"], 0) + (" (drifts)" if drifted else ""))
    for variant in row["variants"].values():
        cells += [figure(variant["tflops"], 0), figure(variant["over_sdpa"], 3)]
    return markdown_line(cells)


def side_by_side(rows):
    """A line for each shape; of each mask SDPA, the variants, and beside SDPA those that are not v1."""
    names = list(rows[0]["variants"])
    compared = [name for name in names if name != "v1"] or names
    masks = sorted({row["causal"] for row in rows})
    cells = ["B H S D"]
    for causal in masks:
        cells.append("causal: SDPA" if causal else "SDPA")
        cells += names + [f"{name} / SDPA" for name in compared]
    lines = [markdown_line(cells), markdown_line(["---"] * len(cells))]
    for shape in dict.fromkeys(map(shape_of, rows)):
        cells = [shape]
        for row in sorted((row for row in rows if shape_of(row) == shape), key=lambda row: row["causal"]):
            cells.append(figure(row["sdpa_tflops"], 0))
            cells += [figure(row["variants"][name]["tflops"], 0) for name in names]
            cells += [figure(row["variants"][name]["over_sdpa"], 2) for name in compared]
        lines.append(markdown_line(cells))
    return "\n".join(lines) + "\n"


def geometric_means(rows):
    for causal in (False, True):
        for name in rows[0]["variants"]:
            ratios = [row["variants"][name]["over_sdpa"] for row in rows if row["causal"] == causal]
            ratios = [ratio for ratio in ratios if ratio]
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                mask = "causal mask" if causal else "no mask"
                yield f"{name}/SDPA, {mask}: {mean:.3f} (geometric mean of {len(ratios)} shapes, {min(ratios):.3f} to {max(ratios):.3f})"


def heading(report, given):
    found = {name: report[name] for name in ("driver", "cuda_of_build", "date", "samples", "verify", "limit")}
    return {"card": report["card"]["name"], "pytorch": torch.__version__, "dtype": given.dtype} | found


def title(found):
    limit = found["limit"]
    text = (
        f"### {found['card']}, driver {found['driver']}, PyTorch {found['pytorch']}, built with CUDA "
        f"{found['cuda_of_build']}, {found['dtype']}, forward, medians of {found['samples']} samples, {found['date']}"
    )
    if limit["source"]:
        measured = f"{limit['library']}, measured" if limit["source"] == "measured" else "the data sheet's"
        text += f"\n\nMatmul limit: {limit['tflops']:.0f} TFLOP/s ({measured})"
    return text


def main():
    given = arguments()
    if not torch.cuda.is_available():
        sys.exit("time-against-sdpa: PyTorch sees no card here")
    rows = []
    found = None
    for shape in given.shapes:
        more, report = measure(shape, given, "nominal" if found else "measured")
        if not found:
            found = heading(report, given)
            print(title(found) + "\n\n" + head(more[0]["variants"]))
        rows += more
        print("\n".join(map(line, more)), flush=True)
        if given.json:  # each time, lest a run that is cut short leaves nothing
            given.json.write_text(json.dumps(found | {"rows": rows}, indent=2) + "\n", encoding="utf-8")
    print()
    for text in geometric_means(rows):
        print(f"- {text}")
    if given.markdown:
        given.markdown.write_text(title(found) + "\n\n" + side_by_side(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
