// Stacks for lanes: each with a guard page below, so that a lane that runs over ends the process and not its neighbour.
#pragma once

#include <cstddef>

namespace flashlens::simt {

class LaneStacks {
public:
    explicit LaneStacks(unsigned lanes);
    ~LaneStacks();
    LaneStacks(const LaneStacks&) = delete;
    LaneStacks& operator=(const LaneStacks&) = delete;

    /// The end of a lane's stack: it grows down from here, `size(lane)` bytes.
    std::byte* top(unsigned lane) const;
    std::size_t size(unsigned lane) const;

private:
    std::byte* base_ = nullptr;
    std::size_t page_;
    std::size_t stride_;
    std::size_t bytes_;
};

}  // namespace flashlens::simt
