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

/// Rows first_row ... of the head that starts at `head`, in the order in which thread 0 loads them.
struct Load {
    const void* head;
    int first_row;
};
inline std::vector<Load> loads;
inline void note_load(const void* head, int first_row) {
    if (simt::thread_index().x == 0) {
        loads.push_back({head, first_row});
    }
}

}  // namespace flashlens::kernel_tests
