// What a kernel did that CUDA does not allow, as the CPU machine found it, said in both languages.
#pragma once

#include "practice/verdict.h"
#include "simt/launch.h"

namespace flashlens::practice {

/// A Finding with what the machine knows of it, for checks that can say more.
struct BrokenRule : Finding {
    simt::KernelError error;
    /// What the machine met first was a read of what nobody had written yet. (Then `error` may be the race with the write.)
    bool read_unwritten = false;
};

/// Its id: "race", "unfinished-copy", "unwritten-read", "out-of-bounds", "misaligned", "divergent-barrier",
/// "missing-lane".
BrokenRule broken_rule(const simt::KernelError& error);

/// "line 52", of the learner's own file; "line 56 of kernels/primitives/tile.cuh".
Message line_text(const simt::Place& place);

/// "line 52 (store_shared, step pack, warp 1, lane 0)"
Message place_text(const simt::Place& place);

/// Of two accesses that nothing orders, or a copy and what is done before it has arrived: "line ... writes what line ...
/// reads".
Message conflict_text(const simt::KernelError::Details& details);

/// As a sentence begins.
Message capital(Message message);

}  // namespace flashlens::practice
