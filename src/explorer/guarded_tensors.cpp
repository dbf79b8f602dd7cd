#include "explorer/guarded_tensors.h"

#include <bit>

#include "explorer/variant.h"

namespace flashlens {
namespace {

// A NaN with a payload in fp16 and fp32 that no arithmetic makes, -3e37 in bf16.
constexpr std::uint16_t o_pattern = 0xfdb7;
constexpr std::uint32_t fp32_pattern = 0xffedcba9;

constexpr std::size_t guard_bytes = std::size_t{1} << 17;

/// Room behind it is room that a vector has and does not use.
template <class T>
std::vector<T> guarded(const std::vector<T>& tensor) {
    std::vector<T> copy;
    copy.reserve(tensor.size() + guard_bytes / sizeof(T));
    copy = tensor;
    return copy;
}

std::vector<float> unwritten_floats(std::size_t count) {
    return guarded(std::vector<float>(count, std::bit_cast<float>(fp32_pattern)));
}

std::size_t rows_of(const Problem& problem) {
    return static_cast<std::size_t>(problem.batch * problem.heads * problem.seqlen_q);
}

template <class T>
simt::Region region(const std::vector<T>& tensor, const char* name, simt::Region::Use use) {
    return {const_cast<T*>(tensor.data()), tensor.size() * sizeof(T), name, use};
}

}  // namespace

GuardedTensors::GuardedTensors(const Problem& problem, const Inputs& inputs)
    : q_(guarded(inputs.q)),
      k_(guarded(inputs.k)),
      v_(guarded(inputs.v)),
      o_(guarded(std::vector<std::uint16_t>(inputs.q.size(), o_pattern))),
      lse_(unwritten_floats(rows_of(problem))),
      o_tmp_(unwritten_floats(inputs.q.size())),
      huge_rows_(unwritten_floats(2 * rows_of(problem))),
      params_(kernel_params(problem)) {
    params_.q = q_.data();
    params_.k = k_.data();
    params_.v = v_.data();
    params_.o = o_.data();
    params_.lse = lse_.data();
    params_.o_tmp = o_tmp_.data();
    params_.huge_rows = huge_rows_.data();
}

std::vector<simt::Region> GuardedTensors::regions() const {
    using Use = simt::Region::Use;
    return {region(q_, "Q", Use::input),
            region(k_, "K", Use::input),
            region(v_, "V", Use::input),
            region(o_, "O", Use::output),
            region(lse_, "lse", Use::scratch),
            region(o_tmp_, "o_tmp", Use::scratch),
            region(huge_rows_, "huge_rows", Use::scratch)};
}

std::vector<bool> GuardedTensors::o_unwritten() const {
    std::vector<bool> unwritten;
    unwritten.reserve(o_.size());
    for (const std::uint16_t word : o_) {
        unwritten.push_back(word == o_pattern);
    }
    return unwritten;
}

std::vector<bool> GuardedTensors::lse_unwritten() const {
    std::vector<bool> unwritten;
    unwritten.reserve(lse_.size());
    for (const float value : lse_) {
        unwritten.push_back(std::bit_cast<std::uint32_t>(value) == fp32_pattern);
    }
    return unwritten;
}

}  // namespace flashlens
