// The CPU machine as a kernel sees it: the one header of src/ that kernels/ includes, and only when it is compiled for
// this machine. Every lane of every warp is a fiber; each call below is what the instruction of the same name does on a
// GPU, and is counted and checked.
//
// Every call that can be reported takes the source location of its caller as a defaulted last argument.
#pragma once

#include <cmath>
#include <cstdint>

#include "simt/counters.h"
#include "simt/where.h"

namespace flashlens::simt {

struct Dim3 {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
};

/// What a kernel may know of the lane that runs. (The rest of it is the machine's.)
struct RunningLane {
    unsigned thread = 0;
};
constinit inline thread_local RunningLane* running_lane = nullptr;
constinit inline thread_local Dim3 running_block;
constinit inline thread_local Dim3 running_grid;

inline Dim3 thread_index() {
    return {running_lane->thread, 0, 0};
}
inline Dim3 block_index() {
    return running_block;
}
inline Dim3 grid_size() {
    return running_grid;
}

// --- meeting points ------------------------------------------------------------------------------------------------

/// __syncthreads: all lanes of the CTA meet; orders shared and global memory among them.
void barrier(Where where = Where::current());
/// __syncwarp with a full mask: the 32 lanes meet; orders memory among them.
void sync_warp(Where where = Where::current());
/// __shfl_xor_sync with a full mask, 32-bit values. Orders nothing.
std::uint32_t shuffle_xor(std::uint32_t value, unsigned lane_mask, Where where = Where::current());
/// __any_sync with a full mask.
bool any(bool predicate, Where where = Where::current());
/// ldmatrix.sync.aligned.m8n8.x4[.trans].shared.b16: lane i gives the address of row i%8 of matrix i/8.
void ldmatrix_x4(std::uint32_t (&registers)[4], std::uint32_t shared_address, bool transposed,
                 Where where = Where::current());
/// mma.sync.aligned.m16n8k16.row.col.f32.{f16,bf16}: d += a b. Products are exact, sums are fp32.
void mma_m16n8k16_fp16(float* d, const std::uint32_t* a, const std::uint32_t* b, Where where = Where::current());
void mma_m16n8k16_bf16(float* d, const std::uint32_t* a, const std::uint32_t* b, Where where = Where::current());
/// mma.sync.aligned.m16n8k8.row.col.f32.f16, sm_75's: a has two registers, b one.
void mma_m16n8k8_fp16(float* d, const std::uint32_t* a, const std::uint32_t* b, Where where = Where::current());

// --- memory --------------------------------------------------------------------------------------------------------
// A shared address is a byte offset into the CTA's dynamic shared memory (as a 32-bit .shared address is on a GPU).
// bytes is 4, 8 or 16, and addresses are aligned to it.

void load_shared(void* to, std::uint32_t shared_address, unsigned bytes, Where where = Where::current());
void store_shared(std::uint32_t shared_address, const void* from, unsigned bytes, Where where = Where::current());
/// Global accesses may also be of 2 bytes.
void load_global(void* to, const void* from, unsigned bytes, Where where = Where::current());
void store_global(void* to, const void* from, unsigned bytes, Where where = Where::current());
/// cp.async.cg.shared.global 16, with src-size: copies the first source_bytes (0 or 16) and fills the rest with zeros.
/// The data arrives at the wait that covers it, never before.
void cp_async_16(std::uint32_t shared_address, const void* from, unsigned source_bytes, Where where = Where::current());
void cp_async_commit(Where where = Where::current());
/// cp.async.wait_group: all but this lane's newest `pending` groups have arrived.
void cp_async_wait(unsigned pending, Where where = Where::current());

// --- arithmetic ----------------------------------------------------------------------------------------------------

/// An fp32 register. Each operator is one instruction, rounded to nearest and counted; nothing is ever fused behind the
/// kernel's back (fma says when it is).
struct f32 {
    float value;

    f32() = default;
    constexpr f32(float v) : value(v) {}  // NOLINT(google-explicit-constructor): literals are registers too

    friend f32 operator+(f32 a, f32 b) {
        ++tally->fp32_add;
        return {a.value + b.value};
    }
    friend f32 operator-(f32 a, f32 b) {
        ++tally->fp32_add;
        return {a.value - b.value};
    }
    friend f32 operator*(f32 a, f32 b) {
        ++tally->fp32_mul;
        return {a.value * b.value};
    }
    friend f32 operator/(f32 a, f32 b) {
        ++tally->fp32_div;
        return {a.value / b.value};
    }
    f32& operator+=(f32 b) { return *this = *this + b; }
    f32& operator*=(f32 b) { return *this = *this * b; }
    friend f32 operator-(f32 a) { return {-a.value}; }  // a source modifier on a GPU: free
    friend bool operator<(f32 a, f32 b) {
        ++tally->fp32_compare;
        return a.value < b.value;
    }
    friend bool operator>(f32 a, f32 b) {
        ++tally->fp32_compare;
        return a.value > b.value;
    }
    friend bool operator>=(f32 a, f32 b) {
        ++tally->fp32_compare;
        return a.value >= b.value;
    }
    friend bool operator==(f32 a, f32 b) {
        ++tally->fp32_compare;
        return a.value == b.value;
    }
};

/// fmaf: one rounding.
f32 fma(f32 a, f32 b, f32 c);
/// fmaxf: a NaN operand gives the other.
inline f32 max(f32 a, f32 b) {
    ++tally->fp32_max;
    const float larger = a.value > b.value ? a.value : b.value;  // b, if either is NaN: one x86 instruction
    return {b.value != b.value ? a.value : larger};
}
/// Free, as operator- is.
inline f32 abs(f32 a) {
    return {std::fabs(a.value)};
}
inline f32 exp2(f32 a) {
    ++tally->exp2;
    return {std::exp2(a.value)};
}
inline f32 log2(f32 a) {
    ++tally->log2;
    return {std::log2(a.value)};
}
/// Counted as a division.
inline f32 reciprocal(f32 a) {
    ++tally->fp32_div;
    return {1.0F / a.value};
}
/// predicate ? a : b, counted as a select.
inline f32 select(bool predicate, f32 a, f32 b) {
    ++tally->fp32_select;
    return predicate ? a : b;
}
/// cvt.rn.{f16x2,bf16x2}.f32: low in bits 0..15, high in 16..31; counted as one conversion.
std::uint32_t pack_fp16(f32 low, f32 high);
std::uint32_t pack_bf16(f32 low, f32 high);
/// cvt.rn.f16.f32: in bits 0..15; counted as one conversion.
std::uint32_t convert_fp16(f32 value);

// --- annotations ---------------------------------------------------------------------------------------------------

/// While it lives, what this lane does is counted under `name` (a string literal); innermost wins.
class Step {
public:
    explicit Step(const char* name);
    ~Step() { tally = outer_; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

private:
    Counters* outer_;
};

}  // namespace flashlens::simt
