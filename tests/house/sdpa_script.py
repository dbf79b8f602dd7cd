"""What tools/time-against-sdpa.py makes of SDPA's times and of flashlens's report. Needs neither a card nor PyTorch: both
programs are put in their place."""

import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True  # nothing is left beside the script
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/time-against-sdpa.py"

torch = types.ModuleType("torch")
torch.__version__ = "2.11"
torch.cuda = types.SimpleNamespace(is_available=lambda: True)
attention = types.ModuleType("torch.nn.attention")
attention.SDPBackend = attention.sdpa_kernel = None
sys.modules |= {"torch": torch, "torch.nn": types.ModuleType("torch.nn"), "torch.nn.attention": attention}
sys.modules |= {"torch.nn.functional": types.ModuleType("torch.nn.functional")}
specification = importlib.util.spec_from_file_location("time_against_sdpa", SCRIPT)
script = importlib.util.module_from_spec(specification)
specification.loader.exec_module(script)

# v1 takes 400 us and v2 100 us, twice that at 2048 keys; v1 has no head dim 256. It writes down how it was called.
FLASHLENS = """#!{python}
import json, pathlib, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(" ".join(arguments) + "\\n")
def value(option):
    return arguments[arguments.index(option) + 1]
batch, heads, seqlen, head_dim = map(int, value("--shapes").split(","))
rows = []
for causal in [False] * ("--causal" not in arguments) + [True] * ("--no-causal" not in arguments):
    pairs = seqlen * (seqlen + 1) // 2 if causal else seqlen * seqlen
    flops = 4 * batch * heads * head_dim * pairs
    problem = dict(batch=batch, heads=heads, kv_heads=heads, seqlen_q=seqlen, seqlen_k=seqlen, head_dim=head_dim,
                   causal=causal, dtype=value("--dtype"), flops=flops)
    variants = []
    for name, us in (("v1", 400.0), ("v2", 100.0)):
        us = None if name == "v1" and head_dim == 256 else us * (2 if seqlen == 2048 else 1)
        variants.append(dict(name=name, time_us=us, tflops=us and flops / us / 1e6, spread=us and 0.01, verdict="pass",
                             reason=""))
    if head_dim == 8:
        variants[1] |= dict(verdict="fail", time_us=None, tflops=None, spread=None, reason="O(0, 0, 0, 0) is NaN")
    rows.append(dict(problem=problem, variants=variants))
limit = dict(tflops=690.4, source="measured", library="cuBLAS 13.1.0")
print(json.dumps(dict(card=dict(name="H200"), driver="580.1", cuda_of_build="13.0", date="2026-11-29 20:15 UTC",
                      samples=21, verify="sample", limit=limit, rows=rows)))
sys.exit(3 if head_dim == 8 else 0)
"""


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        self.log = self.folder / "log"
        program = self.folder / "bin" / "flashlens"
        program.write_text(FLASHLENS.format(python=sys.executable, log=str(self.log)), encoding="utf-8")
        program.chmod(0o755)
        self.asked = []

    def run_script(self, *arguments, sdpa_us=lambda calls: 200.0):
        """What it prints. sdpa_us gives the time of SDPA's n-th measurement, from 0."""

        def time_sdpa_us(shape, causal, given):
            self.asked.append((shape, causal))
            return sdpa_us(len(self.asked) - 1)

        out = io.StringIO()
        command = [str(SCRIPT), str(self.folder), *arguments]
        with mock.patch.object(sys, "argv", command), mock.patch.object(script, "time_sdpa_us", time_sdpa_us):
            with contextlib.redirect_stdout(out):
                script.main()
        return out.getvalue()

    def test_rows_means_and_files(self):
        printed = self.run_script(
            "--shapes", "1,1,1024,64 1,1,2048,64 1,1,1024,256",
            "--json", str(self.folder / "a.json"), "--markdown", str(self.folder / "a.md"),
        )  # fmt: skip
        self.assertIn("### H200, driver 580.1, PyTorch 2.11, built with CUDA 13.0, fp16", printed)
        self.assertIn("Matmul limit: 690 TFLOP/s (cuBLAS 13.1.0, measured)", printed)
        # 268.4 MFLOP in 200, 400 and 100 us
        self.assertIn("| 1 1 1024 64 | full | 1 | 1 | 0.500 | 3 | 2.000 |", printed)
        self.assertIn("| 1 1 1024 256 | causal | 3 | – | – | 5 | 2.000 |", printed)
        self.assertIn("- v1/SDPA, no mask: 0.354 (geometric mean of 2 shapes, 0.250 to 0.500)", printed)
        self.assertIn("- v2/SDPA, causal mask: 1.587 (geometric mean of 3 shapes, 1.000 to 2.000)", printed)
        self.assertNotIn("drifts", printed)

        rows = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))["rows"]
        self.assertEqual([row["causal"] for row in rows], [False, True] * 3)
        self.assertEqual(rows[0]["variants"]["v2"]["over_sdpa"], 2.0)
        self.assertAlmostEqual(rows[0]["sdpa_tflops"], 4 * 64 * 1024 * 1024 / 200e-6 / 1e12)
        self.assertIsNone(rows[4]["variants"]["v1"]["time_us"])

        table = (self.folder / "a.md").read_text(encoding="utf-8").splitlines()
        self.assertIn("| B H S D | SDPA | v1 | v2 | v2 / SDPA | causal: SDPA | v1 | v2 | v2 / SDPA |", table)
        self.assertIn("| 1 1 1024 64 | 1 | 1 | 3 | 2.00 | 1 | 0 | 1 | 2.00 |", table)
        self.assertIn("| 1 1 1024 256 | 5 | – | 11 | 2.00 | 3 | – | 5 | 2.00 |", table)

    def test_one_process_a_shape_between_two_measurements_of_sdpa(self):
        self.run_script("--shapes", "1,1,1024,64 1,2,1024,64", "--samples", "5", "--variants", "v1,v2")
        one, two = (1, 1, 1024, 64), (1, 2, 1024, 64)
        turns = lambda shape: [(shape, False), (shape, True), (shape, True), (shape, False)]
        self.assertEqual(self.asked, turns(one) + turns(two))
        calls = self.log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(calls), 2)
        self.assertIn("bench --shapes 1,1,1024,64 --dtype fp16 --samples 5", calls[0])
        self.assertIn("--variants v1,v2", calls[0])
        self.assertIn("--limit measured", calls[0])  # once is enough
        self.assertIn("--limit nominal", calls[1])
        self.run_script("--shapes", "1,1,1024,64", "--masks", "causal", "--dtype", "bf16")
        self.assertIn("--causal", self.log.read_text(encoding="utf-8").splitlines()[-1])
        self.assertEqual(self.asked[-2:], [(one, True)] * 2)

    def test_drift_is_marked(self):
        drifting = self.run_script("--shapes", "1,1,1024,64", sdpa_us=lambda call: [200.0, 200.0, 200.0, 212.0][call])
        self.assertIn("| full | 1 (drifts) |", drifting)
        self.assertEqual(drifting.count("drifts"), 1)

    def test_a_wrong_result_ends_it(self):
        with self.assertRaises(SystemExit) as raised:
            self.run_script("--shapes", "1,1,1024,8")
        self.assertIn("v2: O(0, 0, 0, 0) is NaN", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
