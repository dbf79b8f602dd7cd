// What the watched copies of the kernels tell, and are told. For runs on one OS thread.
#pragma once

#include <vector>

#include "simt/device.h"

namespace flashlens::kernel_tests {

/// The warp whose P V is left out; none below 0.
inline int silent_warp = -1;
inline bool silent(int warp) {
    return warp == silent_warp;
}

/// Where the rows begin that thread 0 loads, load by load.
inline std::vector<const void*> loads;
inline void note_load(const void* first_row) {
    if (simt::thread_index().x == 0) {
        loads.push_back(first_row);
    }
}

}  // namespace flashlens::kernel_tests
