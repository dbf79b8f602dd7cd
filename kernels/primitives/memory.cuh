// Every way in which a kernel touches memory.
//
// Shared memory is addressed by SharedAddress (a byte address); global memory by pointers.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/machine.cuh"

namespace flashlens::FLASHLENS_MACHINE {

/// Eight 16-bit elements: one 16-byte access.
struct alignas(16) Chunk {
    std::uint32_t word[4];
};

struct alignas(16) f32x4 {
    f32 x, y, z, w;
};

struct alignas(8) f32x2 {
    f32 x, y;
};

struct alignas(8) Pairs {
    std::uint32_t word[2];
};

}  // namespace flashlens::FLASHLENS_MACHINE

#ifdef __CUDACC__

namespace flashlens::on_gpu {

/// Where the CTA's dynamic shared memory starts.
FLASHLENS_INLINE SharedAddress shared_memory() {
    extern __shared__ __align__(1024) unsigned char dynamic_shared_memory[];
    return static_cast<SharedAddress>(__cvta_generic_to_shared(dynamic_shared_memory));
}

// ld.shared, st.shared: 4, 8 or 16 bytes

template <class T>
FLASHLENS_INLINE T load_shared(SharedAddress from) {
    return *static_cast<const T*>(__cvta_shared_to_generic(from));
}

template <class T>
FLASHLENS_INLINE void store_shared(SharedAddress to, const T& value) {
    *static_cast<T*>(__cvta_shared_to_generic(to)) = value;
}

// ld.global, st.global: 2, 4, 8 or 16 bytes

template <class T>
FLASHLENS_INLINE T load_global(const void* from) {
    return *static_cast<const T*>(from);
}

template <class T>
FLASHLENS_INLINE void store_global(void* to, const T& value) {
    *static_cast<T*>(to) = value;
}

/// @p st.global: a store by the lanes that `valid` holds for. An if would do the same, but with a branch, and behind it
/// whatever the value alone needs.
template <class T>
FLASHLENS_INLINE void store_global_if(bool valid, void* to, const T& value) {
    static_assert(sizeof(T) == 8 || sizeof(T) == 16);
    if constexpr (sizeof(T) == 8) {
        const uint2 v = reinterpret_cast<const uint2&>(value);
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.v2.b32 [%1], {%2,%3}; }" ::"r"(int{valid}),
                     "l"(to), "r"(v.x), "r"(v.y)
                     : "memory");
    } else {
        const uint4 v = reinterpret_cast<const uint4&>(value);
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.v4.b32 [%1], {%2,%3,%4,%5}; }" ::"r"(int{valid}),
            "l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
            : "memory");
    }
}

/// ldmatrix.x4: four 8x8 matrices of 16-bit elements; lane i gives the address of row i%8 of matrix i/8.
FLASHLENS_INLINE void ldmatrix_x4(std::uint32_t (&r)[4], SharedAddress row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}

/// ldmatrix.x4.trans: each matrix arrives transposed.
FLASHLENS_INLINE void ldmatrix_x4_trans(std::uint32_t (&r)[4], SharedAddress row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}

/// cp.async.cg, 16 bytes from global to shared memory past the registers; where `valid` is false, 16 zero bytes and
/// nothing is read.
FLASHLENS_INLINE void cp_async_16(SharedAddress to, const void* from, bool valid) {
    const int source_bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(source_bytes) : "memory");
}

FLASHLENS_INLINE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all but this thread's newest `Pending` groups of copies have arrived.
template <int Pending>
FLASHLENS_INLINE void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Both for the copies of T: without cp.async a copy has arrived when it is made (Copies, below).
template <class T>
FLASHLENS_INLINE void cp_async_commit() {
    if constexpr (T::async_copies) {
        cp_async_commit();
    }
}
template <class T, int Pending>
FLASHLENS_INLINE void cp_async_wait() {
    if constexpr (T::async_copies) {
        cp_async_wait<Pending>();
    }
}

/// A lane's copies of 16 bytes, one a pass: with cp.async, which goes on by itself ...
template <bool async, int Passes>
struct Copies {
    FLASHLENS_INLINE void start(int, SharedAddress to, const void* from, bool valid) { cp_async_16(to, from, valid); }
    FLASHLENS_INLINE void finish() const {}
};

/// ... or through registers (sm_75 has no other way): all loads are under way before the first store waits for its own. (As C++ these loads and
/// stores keep nvcc busy for many minutes.)
template <int Passes>
struct Copies<false, Passes> {
    Chunk chunk[Passes];
    SharedAddress to[Passes];

    FLASHLENS_INLINE void start(int pass, SharedAddress address, const void* from, bool valid) {
        to[pass] = address;
        std::uint32_t(&word)[4] = chunk[pass].word;
        asm volatile(
            "{.reg .pred p; setp.ne.b32 p, %5, 0; mov.b32 %0, 0; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0;\n"
            " @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4];}"
            : "=&r"(word[0]), "=&r"(word[1]), "=&r"(word[2]), "=&r"(word[3])
            : "l"(from), "r"(static_cast<int>(valid)));
    }
    FLASHLENS_INLINE void finish() const {
#pragma unroll
        for (int pass = 0; pass < Passes; ++pass) {
            const std::uint32_t(&word)[4] = chunk[pass].word;
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to[pass]), "r"(word[0]), "r"(word[1]),
                         "r"(word[2]), "r"(word[3])
                         : "memory");
        }
    }
};

}  // namespace flashlens::on_gpu

#else

namespace flashlens::FLASHLENS_MACHINE {

inline SharedAddress shared_memory() { return 0; }

template <class T>
inline T load_shared(SharedAddress from, simt::Where where = simt::Where::current()) {
    T value;
    simt::load_shared(&value, from, sizeof(T), where);
    return value;
}

template <class T>
inline void store_shared(SharedAddress to, const T& value, simt::Where where = simt::Where::current()) {
    simt::store_shared(to, &value, sizeof(T), where);
}

template <class T>
inline T load_global(const void* from, simt::Where where = simt::Where::current()) {
    T value;
    simt::load_global(&value, from, sizeof(T), where);
    return value;
}

template <class T>
inline void store_global(void* to, const T& value, simt::Where where = simt::Where::current()) {
    simt::store_global(to, &value, sizeof(T), where);
}

template <class T>
inline void store_global_if(bool valid, void* to, const T& value, simt::Where where = simt::Where::current()) {
    static_assert(sizeof(T) == 8 || sizeof(T) == 16);
    if (valid) {
        simt::store_global(to, &value, sizeof(T), where);
    }
}

inline void ldmatrix_x4(std::uint32_t (&r)[4], SharedAddress row, simt::Where where = simt::Where::current()) {
    simt::ldmatrix_x4(r, row, false, where);
}

inline void ldmatrix_x4_trans(std::uint32_t (&r)[4], SharedAddress row, simt::Where where = simt::Where::current()) {
    simt::ldmatrix_x4(r, row, true, where);
}

inline void cp_async_16(SharedAddress to, const void* from, bool valid, simt::Where where = simt::Where::current()) {
    simt::cp_async_16(to, from, valid ? 16 : 0, where);
}

inline void cp_async_commit(simt::Where where = simt::Where::current()) { simt::cp_async_commit(where); }

template <int Pending>
inline void cp_async_wait(simt::Where where = simt::Where::current()) {
    simt::cp_async_wait(Pending, where);
}

template <class T>
inline void cp_async_commit(simt::Where where = simt::Where::current()) {
    if constexpr (T::async_copies) {
        cp_async_commit(where);
    }
}

template <class T, int Pending>
inline void cp_async_wait(simt::Where where = simt::Where::current()) {
    if constexpr (T::async_copies) {
        cp_async_wait<Pending>(where);
    }
}

template <bool async, int Passes>
struct Copies {
    void start(int, SharedAddress to, const void* from, bool valid, simt::Where where = simt::Where::current()) {
        cp_async_16(to, from, valid, where);
    }
    void finish() const {}
};

template <int Passes>
struct Copies<false, Passes> {
    Chunk chunk[Passes];
    SharedAddress to[Passes];

    void start(int pass, SharedAddress address, const void* from, bool valid,
               simt::Where where = simt::Where::current()) {
        to[pass] = address;
        chunk[pass] = valid ? load_global<Chunk>(from, where) : Chunk{};
    }
    void finish(simt::Where where = simt::Where::current()) const {
        for (int pass = 0; pass < Passes; ++pass) {
            store_shared(to[pass], chunk[pass], where);
        }
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE

#endif
