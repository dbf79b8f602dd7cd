// How fast the CPU machine executes the real kernels, counting and all checks on: B1 H8 S1024 D64, fp16, no mask, on one
// OS thread. Prints GFLOP/s, the FLOPs of attention over processor time (wall time would measure what else the machine is
// doing, too). Fails below 1.5, or below its argument.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

int main(int argc, char** argv) {
    const double least = argc > 1 ? std::atof(argv[1]) : 1.5;
    const Problem p = shape(1, 8, 8, 1024, 1024, 64);
    const Inputs inputs = random_inputs(p);
    bool fast_enough = true;
    for (const Variant variant : every_variant()) {
        How how{.variant = variant, .splits = 1};
        how.options.os_threads = 1;
        std::vector<double> gflops;
        for (int i = 0; i < 3; ++i) {
            const std::clock_t start = std::clock();
            run(p, inputs, how);
            const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            gflops.push_back(static_cast<double>(flops(p)) / seconds / 1e9);
        }
        std::sort(gflops.begin(), gflops.end());
        std::printf("%s  B1 H8 S1024 D64 fp16 no mask, one core: %.2f GFLOP/s (median of %.2f %.2f %.2f)\n",
                    name_of(variant).c_str(), gflops[1], gflops[0], gflops[1], gflops[2]);
        fast_enough = fast_enough && gflops[1] >= least;
    }
    if (!fast_enough) {
        std::printf("less than the %.2f GFLOP/s asked for\n", least);
    }
    return fast_enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
