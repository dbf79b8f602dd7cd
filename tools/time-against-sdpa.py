#!/usr/bin/env python3
"""Times v1 and v2 beside PyTorch's scaled_dot_product_attention on the card of this machine.

SDPA runs its flash back end, PyTorch's own build of FlashAttention-2: a yardstick that runs in the same minutes on the
same card, so that the ratios mean something where bare times would not. For each shape SDPA is timed, then
`flashlens compare` times v1 and v2 in turns in one process, then SDPA is timed again; its figure is the mean of its two
medians, and a row where these differ by more than 5 % is marked.

TFLOP/s are 4 B H S S D over the time, half of that under a causal mask, for all three alike.
"""

import argparse
import datetime
import json
import math
import pathlib
import subprocess
import sys

try:
    import torch
    import torch.nn.functional
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as error:
    sys.exit(f"time-against-sdpa: needs Python with PyTorch 2.3 or newer and CUDA ({error}); pip install torch")

SHAPES = (  # batch, heads, seqlen, head_dim
    "32,32,512,64 16,32,1024,64 8,32,2048,64 4,32,4096,64 2,32,8192,64 1,32,16384,64 "
    "32,16,512,128 16,16,1024,128 8,16,2048,128 4,16,4096,128 2,16,8192,128 1,16,16384,128 "
    "4,64,4096,32 4,8,4096,256 1,1,16384,64 1,4,16384,64 1,8,8192,128 2,40,1024,64 1,8,4096,64"
)
VARIANTS = ("v1", "v2")
SAMPLES = 11
SAMPLE_US = 1000.0
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
    parser.add_argument("--masks", choices=("full", "causal", "both"), default="both")
    parser.add_argument("--dtype", choices=("fp16", "bf16"), default="fp16")
    parser.add_argument(
        "--alone",
        action="store_true",
        help="time with bin/time_kernels of the build folder: the same launches and timing, without the seconds that "
        "compare takes to draw inputs and to count on the CPU machine",
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all figures there too")
    given = parser.parse_args()
    if given.flashlens.is_dir():
        given.flashlens = given.flashlens / "bin" / "flashlens"
    if given.alone:
        given.flashlens = given.flashlens.parent / "time_kernels"
    if not given.flashlens.is_file():
        parser.error(f"no program at {given.flashlens}")
    return given


def time_sdpa_us(shape, causal, dtype):
    """The median of SAMPLES samples, each a mean over as many launches as take about a millisecond."""
    batch, heads, seqlen, head_dim = shape
    kind = torch.float16 if dtype == "fp16" else torch.bfloat16
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
        return start.elapsed_time(stop) * 1e3 / launches

    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        time_us(3)
        launches = max(1, min(200, int(SAMPLE_US / time_us(3))))
        samples = sorted(time_us(launches) for _ in range(SAMPLES))
    del q, k, v
    torch.cuda.empty_cache()
    return samples[len(samples) // 2]


def command_for(program, shape, causal, dtype):
    if program.name == "time_kernels":
        return [str(program), *map(str, shape), "causal" if causal else "full", dtype]
    command = [str(program), "compare", "--machine", "gpu", "--verify", "off", "--json", "-", "--dtype", dtype]
    for option, value in zip(["--batch", "--heads", "--seqlen", "--head-dim"], shape):
        command += [option, str(value)]
    return command + ["--causal" if causal else "--no-causal"]


def time_flashlens_us(program, shape, causal, dtype):
    """Both variants of one run: {"v1": microseconds, or None where it can't run this shape, "v2": ...}."""
    command = command_for(program, shape, causal, dtype)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"time-against-sdpa: {' '.join(command)} failed:\n{done.stderr or done.stdout}")
    report = json.loads(done.stdout)
    if report["machine"] != "gpu":
        sys.exit(f"time-against-sdpa: {' '.join(command)} did not run on the card")
    found = {variant["name"]: variant for variant in report["variants"]}
    times = {}
    for name in VARIANTS:
        if name not in found or (found[name]["runs"] and not found[name]["time_us"]):
            sys.exit(f"time-against-sdpa: {' '.join(command)} gave no time for {name}")
        times[name] = found[name]["time_us"] if found[name]["runs"] else None
    return times


def measure(program, shape, causal, dtype):
    batch, heads, seqlen, head_dim = shape
    before = time_sdpa_us(shape, causal, dtype)
    times = time_flashlens_us(program, shape, causal, dtype)
    after = time_sdpa_us(shape, causal, dtype)
    sdpa = (before + after) / 2
    flops = 4 * batch * heads * seqlen * seqlen * head_dim / (2 if causal else 1)
    row = {"batch": batch, "heads": heads, "seqlen": seqlen, "head_dim": head_dim, "causal": causal, "dtype": dtype}
    row |= {"sdpa_us": sdpa, "sdpa_before_us": before, "sdpa_after_us": after, "sdpa_tflops": flops / sdpa / 1e6}
    for name, us in times.items():
        row[f"{name}_us"] = us
        row[f"{name}_tflops"] = flops / us / 1e6 if us else None
        row[f"{name}_over_sdpa"] = sdpa / us if us else None
    return row


def line(row):
    def figure(key, digits):
        return "–" if row[key] is None else f"{row[key]:.{digits}f}"

    drifted = abs(row["sdpa_before_us"] - row["sdpa_after_us"]) > DRIFT * row["sdpa_us"]
    cells = [
        f"{row['batch']} {row['heads']} {row['seqlen']} {row['head_dim']}",
        "causal" if row["causal"] else "full",
        figure("sdpa_tflops", 0) + (" (drifts)" if drifted else ""),
    ]
    for name in VARIANTS:
        cells += [figure(f"{name}_tflops", 0), figure(f"{name}_over_sdpa", 3)]
    return "| " + " | ".join(cells) + " |"


def geometric_means(rows):
    for causal in (False, True):
        for name in VARIANTS:
            ratios = [row[f"{name}_over_sdpa"] for row in rows if row["causal"] == causal]
            ratios = [ratio for ratio in ratios if ratio]
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                mask = "causal" if causal else "full"
                yield f"{name}/SDPA, {mask} mask: {mean:.3f} (geometric mean of {len(ratios)} shapes, {min(ratios):.3f} to {max(ratios):.3f})"


def driver_version():
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main():
    given = arguments()
    if not torch.cuda.is_available():
        sys.exit("time-against-sdpa: PyTorch sees no card here")
    heading = {
        "card": torch.cuda.get_device_name(0),
        "driver": driver_version(),
        "pytorch": torch.__version__,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }
    print(
        f"### {heading['card']}, driver {heading['driver']}, PyTorch {heading['pytorch']}, {given.dtype}, "
        f"forward, {heading['date']}\n"
    )
    print("| B H S D | mask | SDPA TFLOP/s | v1 TFLOP/s | v1/SDPA | v2 TFLOP/s | v2/SDPA |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    masks = {"full": (False,), "causal": (True,), "both": (False, True)}[given.masks]
    rows = []
    for causal in masks:
        for shape in given.shapes:
            rows.append(measure(given.flashlens, shape, causal, given.dtype))
            print(line(rows[-1]), flush=True)
            if given.json:  # each time, lest a run that is cut short leaves nothing
                given.json.write_text(json.dumps(heading | {"rows": rows}, indent=2) + "\n", encoding="utf-8")
    print()
    for text in geometric_means(rows):
        print(f"- {text}")


if __name__ == "__main__":
    main()
