"""What tools/registers makes of ptxas's output, of kernel names and of compile commands. Needs c++filt, no compiler."""

import importlib.machinery
import importlib.util
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing is left beside the script
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/registers"
loader = importlib.machinery.SourceFileLoader("registers", str(SCRIPT))
registers = importlib.util.module_from_spec(importlib.util.spec_from_loader("registers", loader))
loader.exec_module(registers)

V2 = ("_ZN9flashlens6on_gpu2v26kernelINS1_6TraitsINS0_4fp16ELi64ELi128ELi128ELi4EEELb1EEEvNS_15AttentionParamsE")
V1 = ("_ZN9flashlens6on_gpu2v16kernelINS1_6TraitsINS0_4bf16ELi128ELi128EEELb0EEEvNS_15AttentionParamsE")
PTXAS = f"""\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{V2}' for 'sm_80'
ptxas info    : Function properties for {V2}
    272 bytes stack frame, 260 bytes spill stores, 272 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 464 bytes cmem[0]
ptxas info    : Compile time = 5120.342 ms
ptxas info    : Compiling entry function '{V1}' for 'sm_90a'
ptxas info    : (C7510) Potential Performance Loss: something that ptxas says in between
ptxas info    : Function properties for helper
    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for {V1}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers
"""


class ParsePtxas(unittest.TestCase):
    def test_each_entry_function_has_its_own_figures(self):
        self.assertEqual(registers.parse_ptxas(PTXAS), {(V2, 80): (255, 260, 272), (V1, 90): (168, 0, 0)})

    @unittest.skipUnless(shutil.which("c++filt"), "no c++filt")
    def test_rows(self):
        self.assertEqual(registers.rows_from(PTXAS), [("v1", 90, "bf16", 0, 128, 16, 128, 4, 168, 0, 0),
                                                      ("v2", 80, "fp16", 1, 64, 128, 128, 4, 255, 260, 272)])


class ParseKernel(unittest.TestCase):
    def name(self, kernel):
        return registers.parse_kernel(f"void flashlens::on_gpu::{kernel}(flashlens::AttentionParams)")

    def test_names_of_instances(self):
        traits = "flashlens::on_gpu::v2::Traits<flashlens::on_gpu::fp16, 64, 128, 32, 4>"
        self.assertEqual(self.name(f"v2::kernel<{traits}, true>"), ("v2", "fp16", 1, 64, 128, 32, 4))
        traits = "flashlens::on_gpu::v2_tuned::Traits<flashlens::on_gpu::bf16, (int)64, (int)128, (int)32, (int)8>"
        self.assertEqual(self.name(f"v2_tuned::kernel<{traits}, (bool)0>"), ("v2-tuned", "bf16", 0, 64, 128, 32, 8))
        traits = "flashlens::on_gpu::v1::Traits<flashlens::on_gpu::fp16, 32, 256>"
        self.assertEqual(self.name(f"v1::kernel<{traits}, false>"), ("v1", "fp16", 0, 32, 16, 256, 4))
        self.assertEqual(self.name(f"query_blocks::kernel<{traits}, false>"),
                         ("query-blocks", "fp16", 0, 32, 16, 256, 4))
        traits = "flashlens::on_gpu::async_late_norm::Traits<flashlens::on_gpu::fp16, 64, 128, 128, 4>"
        self.assertEqual(self.name(f"async_first::kernel<{traits}, true>"),
                         ("async-late-norm", "fp16", 1, 64, 128, 128, 4))
        traits = "flashlens::on_gpu::v2::Traits<flashlens::on_gpu::fp16_sm75, 64, 128, 64, 4>"
        self.assertEqual(self.name(f"v2::kernel<{traits}, true>"), ("v2", "fp16", 1, 64, 128, 64, 4))

    def test_other_kernels_are_refused(self):
        for kernel in ("v2::combine<64>", "v2::kernel<flashlens::on_gpu::v2::Traits<float, 64, 128, 32, 4>, true>",
                       "v2::kernel<flashlens::on_gpu::Timed<flashlens::on_gpu::v2::Traits<flashlens::on_gpu::fp16, 64, 128, "
                       "32, 4> >, true>",
                       "v2::kernel<flashlens::on_gpu::v2::Traits<flashlens::on_gpu::fp16, 64, 128>, true>",
                       "v2::kernel<flashlens::on_gpu::v2::Traits<flashlens::on_gpu::fp16, 64, 128, 32, 4, 1>, true>"):
            with self.assertRaises(registers.Problem):
                self.name(kernel)


class Commands(unittest.TestCase):
    def test_a_command_keeps_its_flags_but_not_its_chips_and_outputs(self):
        command = ("nvcc -ccbin=g++-12 -I/a --fmad=false -std=c++20 --generate-code=arch=compute_80,code=[sm_80] "
                   "-gencode arch=compute_90,code=sm_90 -MD -MT x.o -MF x.o.d -x cu -rdc=true -DFLASHLENS_RUNS_ON=7 -c a.cu -o x.o").split()
        self.assertEqual(registers.command_for_chip(command, 120),
                         "nvcc -ccbin=g++-12 -I/a --fmad=false -std=c++20 -x cu a.cu -DFLASHLENS_RUNS_ON=32 "
                         "-cubin -arch=sm_120 -Xptxas=-v -o /dev/null".split())


class Table(unittest.TestCase):
    ROWS = [("v2", 90, "fp16", 1, 64, 128, 128, 4, 255, 260, 272), ("v2", 80, "fp16", 1, 64, 128, 128, 4, 254, 0, 0)]

    def test_differences_are_shown_by_row(self):
        self.assertEqual(registers.differences(self.ROWS, self.ROWS[::-1]), [])
        other = [self.ROWS[0][:8] + (253, 0, 0)]
        self.assertEqual(registers.differences(self.ROWS, other), ["- v2,80,fp16,1,64,128,128,4,254,0,0",
                                                                   "- v2,90,fp16,1,64,128,128,4,255,260,272",
                                                                   "+ v2,90,fp16,1,64,128,128,4,253,0,0"])

    def test_a_table_is_read_as_written_and_rows_of_other_chips_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "registers.csv"
            path.write_text(registers.table_text("nvcc 1.2.3", self.ROWS))
            self.assertEqual(path.read_text().splitlines()[0], "# nvcc 1.2.3")
            self.assertEqual(registers.read_table(path), ("nvcc 1.2.3", self.ROWS[::-1]))
            self.assertEqual(registers.rows_that_stay("nvcc 1.2.3", [90], path), [self.ROWS[1]])
            self.assertEqual(registers.rows_that_stay("nvcc 4.5.6", registers.CHIPS, path), [])
            with self.assertRaises(registers.Problem):
                registers.rows_that_stay("nvcc 4.5.6", [90], path)

    def test_the_table_checked_in_is_sorted_as_the_script_writes_it(self):
        compiler, rows = registers.read_table(registers.TABLE)
        self.assertEqual(registers.table_text(compiler, rows), registers.TABLE.read_text())


if __name__ == "__main__":
    unittest.main()
