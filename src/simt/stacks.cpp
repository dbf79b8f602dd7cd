#include "simt/stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace flashlens::simt {
namespace {

constexpr std::size_t stack_bytes = std::size_t{128} * 1024;

/// Lanes do the same thing at the same depth. Were their stacks alike modulo the page, their hot lines would fall into
/// the same few sets of the L1 cache; so each starts a little lower than its neighbour.
std::size_t stagger(unsigned lane) {
    return lane % 32 * 128;
}

}  // namespace

LaneStacks::LaneStacks(unsigned lanes)
    : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), stride_(stack_bytes + page_), bytes_(lanes * stride_) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    base_ = static_cast<std::byte*>(memory);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        mprotect(base_ + lane * stride_, page_, PROT_NONE);
    }
}

LaneStacks::~LaneStacks() {
    munmap(base_, bytes_);
}

std::byte* LaneStacks::top(unsigned lane) const {
    return base_ + (lane + 1) * stride_ - stagger(lane);
}

std::size_t LaneStacks::size(unsigned lane) const {
    return stride_ - page_ - stagger(lane);
}

}  // namespace flashlens::simt
