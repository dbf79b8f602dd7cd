"""What tools/check-counters makes of ncu's output, and whether it notices what differs. Needs neither ncu nor a card.

The program's path as only argument: its JSON must have what the script compares.
"""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.dont_write_bytecode = True  # nothing is left beside the script
PROJECT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = PROJECT / "tools/check-counters"
RECORDED = PROJECT / "tests/gpu/counters.json"  # of a card, by --json; tests/gpu/counters.md is its page
loader = importlib.machinery.SourceFileLoader("check_counters", str(SCRIPT))
check_counters = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_counters", loader))
loader.exec_module(check_counters)

PROGRAM = None
V1 = ("void flashlens::on_gpu::v1::kernel<flashlens::on_gpu::v1::Traits<flashlens::on_gpu::fp16, (int)64, (int)256>, "
      "(bool)0>(flashlens::AttentionParams)")
TUNED = V1.replace("v1", "v2_tuned")

# As ncu prints them: its own lines around, every cell in quotes, units below the names, thousands separators.
ABOUT = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
         '"CC"')
RAW = f"""\
==PROF== Connected to process 4711 (/build/bin/flashlens)
{ABOUT},"inst_executed","l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum","smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum","smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"
"","","","","","","","","","","","inst","","sector","sector"
"0","4711","flashlens","127.0.0.1","{V1}","1","7","(128, 1, 1)","(1, 2, 30)","0","9.0","1,234,567","0","n/a","40.00"
"1","4711","flashlens","127.0.0.1","{TUNED}","1","7","(256, 1, 1)","(4, 1, 2)","0","9.0","99","12","1,024","-"
==PROF== Disconnected from process 4711
"""
COLUMNS = ('"#","Address","Source","Warp Stall Sampling (All Samples)","# Samples","Instructions Executed",'
           '"Thread Instructions Executed","Predicated-On Thread Instructions Executed","Address Space",'
           '"L1 Wavefronts Shared Excessive","L1 Wavefronts Shared","L1 Wavefronts Shared Ideal",'
           '"L2 Theoretical Sectors Global"')
SOURCE = f"""\
"Kernel Name","{V1}"
{COLUMNS}
"1","0x7f10","      MOV R1, c[0x0][0x28] ","3","3","8","256","256","-","0","0","0","0"
"2","0x7f20","      @!PT LDS RZ, [RZ] ","0","0","24","768","0","Shared","0","0","0","0"
"3","0x7f30","      LDS.128 R4, [R2+UR4] ","0","0","1,000","32,000","31,000","Shared","5","2,005","2,000","0"
"4","0x7f40","      @P3 LDS.128 R8, [R2] ","0","0","10","320","16","Shared","0","4","4","0"
"5","0x7f50","@!UP0 LDG.E.128 R8, desc[UR18][R2.64] ","0","0","7","224","14","Global","0","0","0","7"
"6","0x7f60","      LDGSTS.E.BYPASS.128 [R190], desc[UR8][R2.64], P1 ","0","0","2","64","64","Global","7","15","8","20"
"7","0x7f70","      STS.64 [R2], R4 ","0","0","10","320","320","Shared","3","23","20","0"
"Kernel Name","{TUNED}"
{COLUMNS}
"1","0x7f10","      HMMA.16816.F32.BF16 R4, R8, R2, R4 ","0","0","512","16384","16384","-","0","0","0","0"
"""
OLD_SOURCE = """\
"Kernel Name","void kernel<(bool)1, (int)32>(float *, int)",
"Address","Source","Warp Stall Sampling (All Cycles)","Instructions Executed","# Samples","Instructions Executed","Thread Instructions Executed","Predicated-On Thread Instructions Executed"
"0x7fc48541d900","      BAR.SYNC 0x0 ","42","36","42","36","1152","1152"
"""


class Pages(unittest.TestCase):
    def test_raw_page(self):
        v1, tuned = check_counters.parse_raw_page(RAW)
        self.assertEqual(v1, {"kernel": V1, "block": [128, 1, 1], "grid": [1, 2, 30], "metrics": {
            "inst_executed": 1234567, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 0,
            check_counters.SECTORS.format("st"): 40}})
        self.assertEqual(tuned["metrics"][check_counters.SECTORS.format("ld")], 1024)
        self.assertNotIn(check_counters.SECTORS.format("st"), tuned["metrics"])

    def test_source_page(self):
        (v1, opcodes), (tuned, of_tuned) = check_counters.parse_source_page(SOURCE)
        self.assertEqual((v1, tuned), (V1, TUNED))
        self.assertEqual(opcodes, {"MOV": [8, 256, 256, 0, 0, 0], "LDS": [24, 768, 0, 0, 0, 0],
                                   "LDS.128": [1010, 32320, 31016, 2009, 2004, 0], "LDG.E.128": [7, 224, 14, 0, 0, 7],
                                   "LDGSTS.E.BYPASS.128": [2, 64, 64, 15, 8, 20],
                                   "STS.64": [10, 320, 320, 23, 20, 0]})
        self.assertEqual(of_tuned, {"HMMA.16816.F32.BF16": [512, 16384, 16384, 0, 0, 0]})

    def test_source_page_of_older_versions(self):
        self.assertEqual(check_counters.parse_source_page(OLD_SOURCE),
                         [("void kernel<(bool)1, (int)32>(float *, int)", {"BAR.SYNC": [36, 1152, 1152, None, None, None]})])

    def test_a_page_without_a_needed_column_says_so(self):
        with self.assertRaisesRegex(check_counters.Problem, "Predicated-On"):
            check_counters.parse_source_page('"Address","Source","Instructions Executed"\n"0x0","  NOP ","1"\n')

    def test_instances(self):
        self.assertEqual(check_counters.parse_instances("1,012 (HMMA.16816.F32: 1,000; BAR.SYNC.DEFER_BLOCKING: 12)"),
                         {"HMMA.16816.F32": 1000, "BAR.SYNC.DEFER_BLOCKING": 12})
        self.assertEqual(check_counters.parse_instances("1,012"), {})

    def test_variants(self):
        self.assertEqual(check_counters.variant_of(TUNED), "v2-tuned")
        self.assertIsNone(check_counters.variant_of("void at::native::kernel<4>(int)"))


class Counts(unittest.TestCase):
    def card(self):
        (_, opcodes), _ = check_counters.parse_source_page(SOURCE)
        return check_counters.Card({"grid": [1], "opcodes": opcodes, "metrics": {}})

    def test_lanes_turned_off_do_not_count(self):
        card = self.card()
        self.assertEqual(card.lanes("LDS"), 31016)
        self.assertEqual(card.bytes("LDS"), 16 * 31016)
        self.assertEqual(card.bytes("LDG"), 16 * 14)  # LDGSTS is another
        self.assertEqual(card.executed("LDGSTS"), 2)
        self.assertEqual(card.executed("HMMA"), 0)
        self.assertEqual(card.conflicts(), 3)  # neither of LDGSTS nor of LDS.128, which parts of warps execute

    def test_nothing_is_known_without_instructions(self):
        card = check_counters.Card({"grid": [1], "opcodes": {}, "metrics": {}})
        for answer in (card.executed("HMMA"), card.warps("BAR"), card.bytes("LDG"), card.conflicts()):
            self.assertIsNone(answer)

    def test_sizes(self):
        sizes = {"LDG.E": 4, "LDG.E.64": 8, "STG.E.128": 16, "LDG.E.U16": 2, "STS": 4, "STG.E.U8": 1, "LDG.E.EF.64": 8,
                 "LDGSTS.E.BYPASS.128": 16, "LDG.E.128.CONSTANT": 16}
        self.assertEqual({opcode: check_counters.access_bytes(opcode) for opcode in sizes}, sizes)

    def test_ldmatrix(self):
        opcodes = {"LDSM.16.M88.4": [10, 320, 288, 37, 36, 0], "LDSM.16.MT88.2": [3, 96, 96, 6, 6, 0],
                   "LDSM.16.M88": [1, 32, 32, 1, 1, 0]}  # one of the first ten was turned off by its predicate
        card = check_counters.Card({"grid": [1], "opcodes": opcodes, "metrics": {}})
        self.assertEqual(card.warps("LDSM"), 9 + 3 + 1)
        self.assertEqual(card.ldmatrix_bytes(), 128 * (9 * 4 + 3 * 2 + 1))
        self.assertEqual(card.conflicts(), 1)


# A v2 of one CTA with four warps, and what a card counts of it when both agree.
COUNTERS = {
    "global_read_bytes": 1600, "cp_async_read_bytes": 1536, "global_read_sectors": 50, "cp_async_read_sectors": 48,
    "global_write_bytes": 2048, "global_write_sectors": 64, "shared_bytes": 0, "shared_read_bytes": 512 * 6 + 512,
    "shared_write_bytes": 512 * 4 + 128, "shared_wavefronts": 46, "load_wavefronts": 4, "store_wavefronts": 2,
    "ldmatrix_wavefronts": 24, "cp_async_wavefronts": 16, "bank_conflicts": 1, "barriers": 3, "shuffles": 8, "votes": 4,
    "ldmatrix": 6, "mma": 128, "cp_async": 4, "exp2": 640, "log2": 5, "fp32_div": 5, "converts": 7, "fp32_add": 1,
    "fp32_mul": 2, "fp32_fma": 3, "fp32_max": 4, "fp32_select": 5,
}
INSTRUCTIONS = {  # executed, threads, lanes that are on, wavefronts, ideal, sectors
    "HMMA.16816.F32": (128, 4096, 4096, 0, 0, 0), "BAR.SYNC.DEFER_BLOCKING": (16, 512, 384, 0, 0, 0),
    "SHFL.BFLY": (8, 256, 256, 0, 0, 0), "VOTE.ANY": (4, 128, 128, 0, 0, 0), "MUFU.EX2": (24, 768, 640, 0, 0, 0),
    "LDSM.16.M88.4": (4, 128, 128, 16, 16, 0), "LDSM.16.MT88.4": (2, 64, 64, 8, 8, 0),
    "LDGSTS.E.BYPASS.128": (4, 128, 128, 16, 16, 48), "LDG.E": (2, 64, 16, 0, 0, 2), "STG.E.128": (4, 128, 128, 0, 0, 64),
    "LDS.128": (1, 32, 32, 4, 4, 0), "LDS": (3, 96, 0, 0, 0, 0), "STS": (1, 32, 32, 2, 1, 0), "IMAD": (9, 288, 288, 0, 0, 0),
}
MEMORY = {check_counters.SECTORS.format("ld"): 2, check_counters.SECTORS.format("st"): 64,
          check_counters.SECTORS.format("ldgsts"): 48, check_counters.WAVEFRONTS.format("ld"): 4,
          check_counters.WAVEFRONTS.format("st"): 2, check_counters.WAVEFRONTS.format("ldsm"): 24,
          check_counters.WAVEFRONTS.format("ldgsts"): 16}


def a_shape(**different):
    """A shape in which the card counts what the CPU machine does, but for what is given: opcode=sums or metric=value."""
    opcodes = {**{name: list(sums) for name, sums in INSTRUCTIONS.items()}, **different.pop("opcodes", {})}
    metrics = {**MEMORY, **different.pop("metrics", {})}
    shape = {"options": "-b 1 -H 1 -s 128", "error": None, "card_name": "NVIDIA H200", "refused": {"v1": "why not"},
             "machine": {"v2": {"grid": [1, 1, 1], "threads": 128, "counters": COUNTERS}}, "sampled": {"v2": COUNTERS},
             "card": {"v2": {"kernel": "", "block": [128, 1, 1], "grid": [1, 1, 1], "opcodes": opcodes, "metrics": metrics}},
             "seconds": 1.0}
    return {**shape, **different}


def raw_of(*shapes):
    return {"format": 1, "card": "NVIDIA H200", "driver": "580.1", "ncu": "Nsight Compute, Version 2025.3.1.0", "date": "2026-01-02",
            "command": "tools/check-counters --build build", "missing_metrics": [], "shapes": list(shapes)}


def differences(shape):
    return [row[0] for row in check_counters.compare(shape)["v2"] if row[2] != row[3]]


class Comparison(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(differences(a_shape()), [])
        self.assertEqual(check_counters.judged(raw_of(a_shape())), (len(check_counters.EQUAL) + 1, [], []))

    def test_every_count_is_compared(self):
        """Whichever counter of the CPU machine is one off, the script notices, unless it is among those only shown."""
        shown = {"log2", "fp32_div", "converts", "fp32_add", "fp32_mul", "fp32_fma", "fp32_max", "fp32_select",
                 "shared_bytes", "shared_wavefronts"}
        for counter in COUNTERS:
            changed = {**COUNTERS, counter: COUNTERS[counter] + 1}
            shape = a_shape(machine={"v2": {"grid": [1, 1, 1], "threads": 128, "counters": changed}}, sampled={})
            self.assertEqual(bool(differences(shape)), counter not in shown, counter)

    def test_what_differs_is_named(self):
        shape = a_shape(opcodes={"MUFU.EX2": [24, 768, 639, 0, 0, 0]})
        self.assertEqual(differences(shape), ["exponentials"])
        _, unequal, _ = check_counters.judged(raw_of(shape))
        self.assertEqual(unequal, ["-b 1 -H 1 -s 128: v2: exponentials (MUFU.EX2, lanes): CPU machine 640, card 639 (-1)"])
        self.assertEqual(differences(a_shape(opcodes={"VOTE.ALL": [4, 128, 128, 0, 0, 0]})), ["votes"])
        self.assertEqual(differences(a_shape(metrics={check_counters.SECTORS.format("st"): 65})), ["sectors stored"])
        self.assertEqual(differences(a_shape(sampled={"v2": {**COUNTERS, "log2": 6}})), ["counters, one CTA a class"])

    def test_a_missing_metric_is_not_equal(self):
        shape = a_shape()
        del shape["card"]["v2"]["metrics"][check_counters.SECTORS.format("ldgsts")]
        del shape["card"]["v2"]["metrics"][check_counters.WAVEFRONTS.format("st")]  # the source page has it, too
        self.assertEqual(differences(shape), ["sectors by cp.async"])
        _, unequal, _ = check_counters.judged(raw_of(shape))
        self.assertIn("ncu has no such count", unequal[0])
        self.assertIn("card -", check_counters.page(raw_of(shape)))

    def test_a_variant_that_ncu_did_not_see_is_not_equal(self):
        self.assertEqual(differences(a_shape(card={})), ["launch"])

    def test_page(self):
        page = check_counters.page(raw_of(a_shape(), a_shape(opcodes={"VOTE.ANY": [5, 160, 160, 0, 0, 0]})))
        self.assertIn("NVIDIA H200, driver 580.1", page)
        self.assertIn("| matrix products | HMMA, warps | does not run | 128 |", page)
        self.assertIn("| votes | VOTE, warps | does not run | **machine 4, card 5** |", page)
        self.assertIn("counts are equal, 1 different", page)
        self.assertIn("| all instructions | warps | - / 421 |", page)
        for line in page.splitlines():
            if line.startswith("| "):
                self.assertEqual(line.count("|"), 5, line)


# The program and ncu as the script meets them. ncu "profiles" by leaving a file that it finds again when it imports.
FAKE_PROGRAM = """\
    #!{python}
    import json, sys
    variant = {{"name": "v2", "runs": True, "grid": [1, 1, 1], "threads": 128, "reason": "",
                "counters": {{**json.loads({counters!r}), "sampled": "gpu" in sys.argv, "ctas_run": 1}}}}
    refused = {{"name": "v1", "runs": False, "grid": None, "threads": None, "reason": "why not", "counters": None}}
    if "512" in sys.argv:
        sys.exit("flashlens: this shape needs more memory")
    text = json.dumps({{"card": {{"name": "NVIDIA H200"}}, "variants": [refused, variant]}})
    output = sys.argv[sys.argv.index("--json") + 1]
    print(text) if output == "-" else open(output, "w").write(text)
"""
FAKE_NCU = """\
    #!{python}
    import subprocess, sys
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print("NVIDIA (R) Nsight Compute Command Line Profiler\\nVersion 2025.3.1.0 (build 36398880) (public-release)")
    elif "--import" in arguments:
        print(open({folder!r} + ("/source.csv" if "source" in arguments else "/raw.csv")).read())
    else:
        metrics = arguments[arguments.index("--metrics") + 1].split(",") if "--metrics" in arguments else []
        program = next(i for i, word in enumerate(arguments) if word.endswith("/flashlens"))
        print("==PROF== Connected to process 1")
        if {unknown!r} in metrics:
            sys.exit("==ERROR== Failed to access the following 1 metrics: " + {said!r} + "\\n==ERROR== Failed to profile")
        code = subprocess.run(arguments[program:]).returncode
        if code == 0:
            open(arguments[arguments.index("-o") + 1], "w").write("report")
        sys.exit(code)
"""


class WholeRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        self.write("bin/flashlens", FAKE_PROGRAM, counters=json.dumps(COUNTERS))
        self.ncu(unknown="nothing")
        self.pages(INSTRUCTIONS, MEMORY)
        (self.folder / "shapes").write_text("# two shapes\n-b 1 -s 128\n-b 2 -s 128\n")

    def write(self, name, text, **fields):
        path = self.folder / name
        path.write_text(textwrap.dedent(text).format(python=sys.executable, **fields))
        path.chmod(0o755)

    def ncu(self, unknown, said=None):
        self.write("ncu", FAKE_NCU, folder=str(self.folder), unknown=unknown, said=said or unknown)

    def pages(self, instructions, metrics):
        kernel = V1.replace("v1", "v2")
        lines = [f'"Kernel Name","{kernel}"', COLUMNS]
        for i, (opcode, sums) in enumerate(instructions.items()):
            executed, threads, lanes, wavefronts, ideal, sectors = (f"{value:,}" for value in sums)
            lines.append(f'"{i}","0x{16 * i:x}","      @P1 {opcode} R0, R1 ","0","0","{executed}","{threads}","{lanes}","-",'
                         f'"0","{wavefronts}","{ideal}","{sectors}"')
        (self.folder / "source.csv").write_text("\n".join(lines) + "\n")
        names, values = ",".join(f'"{name}"' for name in metrics), ",".join(f'"{value:,}"' for value in metrics.values())
        units = ",".join(['""'] * (11 + len(metrics)))
        launch = f'"0","1","flashlens","127.0.0.1","{kernel}","1","7","(128, 1, 1)","(1, 1, 1)","0","9.0",{values}'
        (self.folder / "raw.csv").write_text(f"==PROF== something\n{ABOUT},{names}\n{units}\n{launch}\n")

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPT), "--build", str(self.folder), "--ncu", str(self.folder / "ncu"),
                               *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_all_equal(self):
        kept, page, raw = self.folder / "kept", self.folder / "page.md", self.folder / "raw.json"
        code, said = self.run_script("--shapes", str(self.folder / "shapes"), "--json", str(raw), "--page", str(page),
                                     "--keep", str(kept))
        self.assertEqual(code, 0, said)
        self.assertIn(f"{2 * (len(check_counters.EQUAL) + 1)} counts equal, 0 different, 0 of 2 shapes failed", said)
        self.assertIn("v1: does not run", said)
        self.assertTrue((kept / "shape01.ncu-rep").exists())
        self.assertIn("## `-b 2 -s 128`", page.read_text())
        # ... and again without a card: the page is the same
        again = subprocess.run([sys.executable, str(SCRIPT), "--replay", str(raw), "--page", str(self.folder / "again.md")],
                               capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual((self.folder / "again.md").read_text(), page.read_text())

    def test_one_count_differs(self):
        self.pages({**INSTRUCTIONS, "SHFL.BFLY": (9, 288, 288, 0, 0, 0)}, MEMORY)
        code, said = self.run_script("--shapes", str(self.folder / "shapes"))
        self.assertEqual(code, 1)
        self.assertIn("v2: shuffles (SHFL, warps): CPU machine 8, card 9 (+1)", said)

    def test_a_metric_that_ncu_does_not_know_is_left_out_and_said(self):
        name = check_counters.SECTORS.format("ldgsts")
        self.ncu(unknown=name)
        self.pages(INSTRUCTIONS, {key: value for key, value in MEMORY.items() if key != name})
        code, said = self.run_script("--shapes", str(self.folder / "shapes"))
        self.assertEqual(code, 1)
        self.assertRegex(said, "metrics that this ncu does not have: .*" + name.replace(".", r"\."))
        self.assertIn("sectors by cp.async", said)
        self.assertNotIn("FAILED", said)

    def test_ncu_that_does_not_say_which_metric_it_does_not_know_counts_what_it_can(self):
        self.ncu(unknown=check_counters.SECTORS.format("ld"), said="(one of them)")
        self.pages(INSTRUCTIONS, {})
        code, said = self.run_script("--shapes", str(self.folder / "shapes"))
        self.assertEqual(code, 1)
        self.assertIn("sectors loaded", said)
        self.assertNotIn("matrix products", said)
        self.assertNotIn("FAILED", said)

    def test_a_shape_that_fails_does_not_stop_the_others(self):
        (self.folder / "shapes").write_text("-s 512\n-s 128\n")
        code, said = self.run_script("--shapes", str(self.folder / "shapes"))
        self.assertEqual(code, 1)
        self.assertIn("this shape needs more memory", said)
        self.assertIn("0 different, 1 of 2 shapes failed", said)

    def test_without_the_source_page_ncu_counts_by_opcode(self):
        (self.folder / "source.csv").write_text("no such page\n")
        opcodes = "; ".join(f"{name}: {sums[0]}" for name, sums in INSTRUCTIONS.items())
        lanes = "; ".join(f"{name}: {sums[2]}" for name, sums in INSTRUCTIONS.items())
        raw = (self.folder / "raw.csv").read_text().splitlines()
        raw[1] += f',"{check_counters.EXECUTED_BY_OPCODE}","{check_counters.LANES_BY_OPCODE}"'
        raw[2] += ',"inst","thread"'
        raw[3] += f',"207 ({opcodes})","6,144 ({lanes})"'
        (self.folder / "raw.csv").write_text("\n".join(raw) + "\n")
        code, said = self.run_script("--shapes", str(self.folder / "shapes"))
        self.assertEqual(code, 1)
        self.assertIn("counting from its metrics by opcode", said)
        different = [line for line in said.splitlines() if line.startswith("  v2: ")]
        self.assertEqual(len(different), 2, said)  # one for each shape: conflicts come from the source page alone
        self.assertIn("bank conflicts", different[0])

    def test_probe_prints_what_ncu_said(self):
        code, said = self.run_script("--probe")
        self.assertEqual(code, 0, said)
        for text in ("STS 1 32 32 2 1 0", "others 9", check_counters.WAVEFRONTS.format("ldsm") + " 24", "not judged"):
            self.assertIn(text, said)

    def test_usage(self):
        for arguments in (("--ncu", "/nowhere/ncu"), ("--shapes", "/nowhere/shapes"), ("--replay", __file__)):
            code, said = self.run_script(*arguments)
            self.assertEqual(code, 2, said)
            self.assertIn("/", said)
        done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


class Recording(unittest.TestCase):
    def test_the_page_shows_the_recording(self):
        page = check_counters.page(json.loads(RECORDED.read_text()))
        self.assertEqual(page, RECORDED.with_suffix(".md").read_text())


class Program(unittest.TestCase):
    """The real program: what it counts is there under the names that the script reads, at every shape of its list."""

    def setUp(self):
        if not PROGRAM:
            self.skipTest("no program given")

    def test_every_shape(self):
        for text in (*check_counters.SHAPES, check_counters.PROBE_SHAPE):
            done = subprocess.run([PROGRAM, "compare", "--machine", "cpu", "--gpu", "H200", "--verify", "off", "--json", "-",
                                   *text.split()], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            machine, refused = check_counters.machine_counts(json.loads(done.stdout))
            self.assertIn("v2", machine)
            self.assertEqual("v1" in machine, "v1" not in refused)
            for variant in machine.values():
                for _, _, count, _ in check_counters.EQUAL:
                    self.assertIsInstance(count(variant, variant["counters"]), int)
                for _, _, _, count, _ in check_counters.SHOWN:
                    count(variant, variant["counters"])

    def test_recorded_counts_are_held_against_the_program_of_now(self):
        shape = {**a_shape(), "options": "-b 1 -H 1 -s 128 -d 64"}
        with tempfile.TemporaryDirectory() as folder:
            raw = pathlib.Path(folder) / "raw.json"
            raw.write_text(json.dumps(raw_of(shape)))
            build = pathlib.Path(PROGRAM).parents[1]
            done = subprocess.run([sys.executable, str(SCRIPT), "--replay", str(raw), "--build", str(build)],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        # four warps, one key block of 128 keys: 128 products for S and 128 for O
        self.assertIn("matrix products (HMMA, warps): CPU machine 1,024, card 128", done.stdout)

    def test_the_program_counts_what_a_card_counted(self):
        """Every count of every recorded shape, with no card here."""
        build = pathlib.Path(PROGRAM).parents[1]
        done = subprocess.run([sys.executable, str(SCRIPT), "--replay", str(RECORDED), "--build", str(build)],
                              capture_output=True, text=True, check=False)
        again = ("Another kernel or another tile than was profiled? Then the card has to be asked again: "
                 "tools/check-counters --build DIR --json tests/gpu/counters.json --page tests/gpu/counters.md")
        self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}\n{again}")
        shapes = json.loads(RECORDED.read_text())["shapes"]
        launches = sum(len(shape["card"]) for shape in shapes)
        self.assertGreaterEqual(launches, 3 * 6)
        self.assertIn(f"{launches * len(check_counters.EQUAL)} counts equal, 0 different, 0 of {len(shapes)} shapes failed",
                      done.stdout)


if __name__ == "__main__":
    if len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_file():
        PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
