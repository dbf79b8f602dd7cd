#!/usr/bin/env python3
"""against_python.py FLASHLENS DATA: holds the program, from outside, against attention written in plain Python.

Needs nothing but Python's standard library: it writes and reads .npy files itself, computes softmax(scale Q K^T) V and the
log-sum-exp row by row in doubles, and compares them with what `compare --input --output` wrote.
"""

import array
import json
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

CODES = {"<f2": "e", "<f4": "f", "<f8": "d"}


def read_npy(path):
    """(shape, flat list) of a little-endian C-order file of format 1.0."""
    raw = path.read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00", path
    (length,) = struct.unpack_from("<H", raw, 8)
    header = raw[10:10 + length].decode("latin1")
    assert "'fortran_order': False" in header, header
    shape = tuple(int(n) for n in re.search(r"'shape': \(([^)]*)\)", header)[1].split(",") if n.strip())
    code = CODES[re.search(r"'descr': '([^']*)'", header)[1]]
    values = struct.unpack_from(f"<{math.prod(shape)}{code}", raw, 10 + length)
    return shape, list(values)


def write_npy(path, descr, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    body = struct.pack(f"<{len(values)}{CODES[descr]}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body)


def to_fp16(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def to_bf16(x):
    """The nearest bf16, ties to even, of a number that is an fp32."""
    (bits,) = struct.unpack("<I", struct.pack("<f", x))
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def attention(tensors, scale, causal, top_left=False):
    """{(b, i, h): (output row, lse)}."""
    (q_shape, q), (k_shape, k), (_, v) = tensors
    batch, sq, heads, dim = q_shape
    sk, kv_heads = k_shape[1], k_shape[2]

    def row(tensor, b, length, i, n, h):
        begin = ((b * length + i) * n + h) * dim
        return tensor[begin:begin + dim]

    found = {}
    for b in range(batch):
        for h in range(heads):
            kv = h // (heads // kv_heads)
            keys = [row(k, b, sk, j, kv_heads, kv) for j in range(sk)]
            columns = list(zip(*(row(v, b, sk, j, kv_heads, kv) for j in range(sk))))
            for i in range(sq):
                seen = min(sk, max(0, i + 1 + (0 if top_left else sk - sq))) if causal else sk
                if seen == 0:
                    found[b, i, h] = [0.0] * dim, -math.inf
                    continue
                query = row(q, b, sq, i, heads, h)
                logits = [scale * sum(map(float.__mul__, query, key)) for key in keys[:seen]]
                largest = max(logits)
                p = [math.exp(x - largest) for x in logits]
                total = math.fsum(p)
                out = [sum(map(float.__mul__, p, column)) / total for column in columns]
                found[b, i, h] = out, largest + math.log(total)
    return found


def errors(folder, expected, shape):
    """The largest errors of o.npy and lse.npy."""
    batch, sq, heads, dim = shape
    o_shape, o = read_npy(folder / "o.npy")
    lse_shape, lse = read_npy(folder / "lse.npy")
    assert o_shape == shape, f"{folder}/o.npy is {o_shape}, not {shape}"
    assert lse_shape == (batch, heads, sq), f"{folder}/lse.npy is {lse_shape}, not {(batch, heads, sq)}"
    worst_o = worst_lse = 0.0
    for (b, i, h), (out, log_sum) in expected.items():
        begin = ((b * sq + i) * heads + h) * dim
        worst_o = max(worst_o, *(abs(x - y) for x, y in zip(o[begin:begin + dim], out)))
        got = lse[(b * heads + h) * sq + i]
        if got != log_sum:
            worst_lse = max(worst_lse, abs(got - log_sum))
    return worst_o, worst_lse


def check(program, name, folder, options, to_type, u, causal=False, top_left=False, scale=None):
    tensors = [read_npy(folder / f"{x}.npy") for x in "qkv"]
    tensors = [(shape, [to_type(x) for x in values]) for shape, values in tensors]
    shape = tensors[0][0]
    out = folder / "out"
    command = [program, "compare", "--input", folder, "--output", out, "--verify", "full", "--machine", "cpu", "--json", "-"]
    done = subprocess.run([*map(str, command), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{name}: ended with {done.returncode}\n{done.stdout}{done.stderr}"
    said = json.loads(done.stdout)
    problem = said["problem"]
    assert (problem["batch"], problem["seqlen_q"], problem["heads"], problem["head_dim"]) == shape, problem
    assert (problem["seqlen_k"], problem["kv_heads"]) == tensors[1][0][1:3], problem

    expected = attention(tensors, scale or 1 / math.sqrt(shape[3]), causal, top_left)
    largest_v = max(map(abs, tensors[2][1]))
    o, lse = errors(out / "reference", expected, shape)
    assert o < 1e-12 * largest_v and lse < 1e-11, f"{name}: the reference is off by {o} and {lse}"
    for variant in said["variants"]:
        o, lse = errors(out / variant["name"], expected, shape)
        # P and O are rounded to the type: u of each, at most max|V|; sums in fp32.
        assert o <= 2.5 * u * largest_v, f"{name}, {variant['name']}: O is off by {o}"
        assert lse <= 1e-4, f"{name}, {variant['name']}: lse is off by {lse}"
        assert math.isclose(o, variant["max_abs_error"], rel_tol=1e-6), f"{name}: {o} but it says {variant['max_abs_error']}"
        assert abs(lse - variant["lse_max_abs_error"]) < 1e-9, f"{name}: {lse}, says {variant['lse_max_abs_error']}"
    assert {v["name"] for v in said["variants"]} == {"v1", "v2"}, said["variants"]
    print(f"{name}: O within {o:.2e}, lse within {lse:.2e}")


def own(folder, descr, q_shape, kv_shape, seed):
    folder.mkdir()
    numbers = random.Random(seed)
    for name, shape in (("q", q_shape), ("k", kv_shape), ("v", kv_shape)):
        values = array.array("f", (numbers.gauss(0, 1.5) for _ in range(math.prod(shape))))  # fp32: rounded to a type once
        write_npy(folder / f"{name}.npy", descr, shape, values)
    return folder


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        real = folder / "minilm"
        real.mkdir()
        for name in ("q.npy", "k.npy", "v.npy"):
            (real / name).write_bytes((data / name).read_bytes())
        check(program, "real inputs", real, [], float, 2**-11)

        mixed = own(folder / "gqa", "<f4", (2, 37, 6, 40), (2, 71, 2, 40), 1)
        check(program, "GQA, bottom-right, bf16", mixed, ["--dtype", "bf16", "--causal"], to_bf16, 2**-8, causal=True)
        check(program, "the same, top-left", mixed, ["--dtype", "bf16", "--causal", "--align", "top-left"], to_bf16, 2**-8,
              causal=True, top_left=True)
        short = own(folder / "short", "<f8", (1, 70, 2, 64), (1, 33, 2, 64), 2)
        check(program, "rows that see nothing", short, ["--causal", "--scale", "0.3"], to_fp16, 2**-11, causal=True, scale=0.3)


if __name__ == "__main__":
    main()
