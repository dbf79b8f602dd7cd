// Launching a kernel on the CPU machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/counters.h"
#include "simt/device.h"

namespace flashlens::simt {

/// Somewhere in a kernel, and who of a warp is there.
struct Place {
    std::string what{};  ///< "store_shared", "ldmatrix_x4", "__syncthreads"
    std::string file{};  ///< as the compiler was told of it; empty: nowhere, the lanes have returned
    unsigned line = 0;
    std::string step{};  ///< "": no Step covers it
    unsigned warp = 0;
    std::uint32_t lanes = 0;  ///< a bit each
    bool writes = false;

    friend bool operator==(const Place&, const Place&) = default;
};

/// "0-3, 7", for Place::lanes.
std::string lane_ranges(std::uint32_t lanes);

/// A kernel did what CUDA does not allow. what() is a full report: what happened, kernel, step, source file and line,
/// block, warp and lanes, and for a race the other access too. details() has the same, for programs.
class KernelError : public std::runtime_error {
public:
    /// Stable names, for tests: what kind of mistake it is.
    enum class Kind {
        race,             ///< two lanes touch a shared word, one writes, nothing orders them
        unfinished_copy,  ///< data of a cp.async read or overwritten before its wait
        unwritten_read,   ///< shared or scratch memory read that nobody wrote
        out_of_bounds,    ///< shared or global
        misaligned,
        divergent_barrier,  ///< __syncthreads that lanes of the CTA don't all reach, or reach at different lines
        missing_lane,       ///< a warp collective that a lane of the warp never comes to
    };

    struct Details {
        std::string kernel{};  ///< its name, as launch() was told
        Dim3 block{};
        std::optional<Place> access{};   ///< the one that is not allowed; none where lanes wait for ever
        std::optional<Place> earlier{};  ///< race, unfinished copy: the access that it has to be ordered with, the copy
        bool earlier_by_others = false;  ///< ... of which other lanes made more
        bool other_cta = false;          ///< ... of another CTA
        // Unfinished copy: its group, of those its lane has begun, from 1 on; how many the lane has committed by now, and
        // had at its last cp_async_wait; how many of those came after the copy.
        std::uint32_t copy_group = 0;
        std::uint32_t committed_groups = 0;
        std::uint32_t committed_at_wait = 0;
        std::uint32_t waits_since_copy = 0;
        std::vector<Place> waiting{};  ///< meeting points: who waits where, or has returned
        // Of accesses: of which memory, "shared memory" or a region's name; from which byte of its `memory_bytes` on.
        std::string memory{};
        std::uint64_t memory_bytes = 0;
        std::int64_t address = 0;  ///< of the 4 bytes that two accesses share, or of an access out of bounds
        unsigned bytes = 0;
    };

    KernelError(Kind kind, const std::string& report, Details details)
        : std::runtime_error(report), kind_(kind), details_(std::move(details)) {}
    Kind kind() const { return kind_; }
    const Details& details() const { return details_; }

private:
    Kind kind_;
    Details details_;
};

/// A piece of global memory that the kernel may touch. Anything outside all regions is out of bounds.
struct Region {
    enum class Use { input, output, scratch };  ///< input: never written; scratch: read only after it was written
    void* base = nullptr;
    std::size_t bytes = 0;
    const char* name = "";
    Use use = Use::input;
};

/// For tests that show the checks work: leave out what stands at this line of the kernel.
struct Omission {
    enum class What { barrier, cp_async_wait } what = What::barrier;
    unsigned line = 0;
    /// How the name of the file ends; empty: any file.
    std::string file = {};
};

struct LaunchOptions {
    std::vector<Region> memory;
    /// 0: all cores.
    unsigned os_threads = 0;
    /// Not 0: lanes run in an order shuffled by this seed (results and counts must not depend on it).
    std::uint64_t lane_order_seed = 0;
    /// false: without the checks of order, copies and unwritten memory. Bounds, alignment, meeting points and counting
    /// stay.
    bool checks = true;
    /// Shared memory counts as written by somebody before the CTA starts. To read what nobody wrote is no mistake then,
    /// and where the write comes too late it is found as the race that it is.
    bool shared_is_written = false;
    /// false: count what is executed without computing it. No matrix product, shuffle, vote or copy moves data, loads
    /// give zeros, stores leave memory (outputs too) untouched, a vote gives each lane its own predicate, and warps
    /// don't wait for each other. Arithmetic is done, and bounds and alignment are checked, but nothing else is: checks
    /// count as false. The counts are those with values as long as no branch of the kernel depends on data.
    bool values = true;
    /// How many CTAs of the grid this CTA stands for: 0 leaves it out, n counts it n times. Null: every CTA once.
    /// Asked in the calling thread, before anything runs.
    std::function<std::uint64_t(Dim3 block)> multiplicity;
    /// Called now and then from one thread with the share of CTAs done, 0..1.
    std::function<void(double)> progress;
    std::vector<Omission> omissions;
};

struct StepCounters {
    std::string name;  ///< "" for what no Step covers
    Counters counters;
};

struct LaunchReport {
    Counters total;
    std::vector<StepCounters> steps;  ///< "" first, then in order of first appearance: by block, then by thread
    /// Counters of the step of that name; all zero where nothing ran in it.
    Counters step(std::string_view name) const;
    /// Distinct bytes touched in global memory (2-byte granules); only when every CTA ran once and with
    /// values, else 0.
    std::uint64_t unique_read_bytes = 0;
    std::uint64_t unique_write_bytes = 0;
    std::uint64_t ctas_run = 0;
    std::size_t shared_bytes = 0;  ///< of a CTA, dynamic
    double wall_us = 0.0;
};

/// Runs lane_main once for every thread of every CTA: `threads` of them (32, 64, ... 1024; else std::invalid_argument),
/// with `shared_bytes` of dynamic shared memory. What lane_main captures must stand being used by several OS threads.
/// Throws KernelError at the first mistake, or what else a lane threw: that of the lowest block that fails, however
/// many OS threads there are. By then all CTAs have stopped, and the next launch in the same process works.
LaunchReport launch(const char* kernel, Dim3 grid, unsigned threads, std::size_t shared_bytes,
                    const LaunchOptions& options, const std::function<void()>& lane_main);

}  // namespace flashlens::simt
