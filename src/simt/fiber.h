// A flow of control with a stack of its own. On x86-64 Linux a few lines of assembly; elsewhere Boost.Context.
//
// Why assembly at all: a lane calls an instruction, is suspended, and another lane returns from its own call, often
// from another place. A processor predicts `ret` by the calls it has seen, so each such return is mispredicted, and a
// warp makes 32 of them per mma. Here a function that ends by switching away does so in tail position, and what resumes
// goes on with an indirect jump straight into the kernel, which is predicted by history: 13 ns per switch instead
// of 32.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && defined(__linux__) && !defined(FLASHLENS_BOOST_FIBERS)
#define FLASHLENS_ASSEMBLY_FIBERS 1
#else
#define FLASHLENS_ASSEMBLY_FIBERS 0
#include <boost/context/fiber.hpp>
#endif

namespace flashlens::simt {

/// Called in a fiber that is resumed by resume_to_unwind; throws.
using UnwindFunction = void (*)();

#if FLASHLENS_ASSEMBLY_FIBERS

/// A suspended flow of control (or an empty one, to suspend the present one into).
struct Fiber {
    void* stack_pointer = nullptr;
};

extern "C" void flashlens_switch(void** save_here, void* resume);
extern "C" void flashlens_switch_to_unwind(void** save_here, void* resume, UnwindFunction function);

/// Suspends the present flow into `self` and resumes `next`, which takes up after its own call of this function.
/// To be called last in a function, so that it compiles to a jump.
inline void resume(Fiber& self, Fiber& next) {
    flashlens_switch(&self.stack_pointer, next.stack_pointer);
}

/// The same, but `next` calls `function` instead of returning from its own call of resume().
inline void resume_to_unwind(Fiber& self, Fiber& next, UnwindFunction function) {
    flashlens_switch_to_unwind(&self.stack_pointer, next.stack_pointer, function);
}

#else

struct Fiber {
    boost::context::fiber context;
};

namespace fiber_detail {
inline thread_local Fiber* suspended = nullptr;
inline thread_local UnwindFunction unwind = nullptr;
}  // namespace fiber_detail

inline void resume(Fiber& self, Fiber& next) {
    fiber_detail::suspended = &self;
    boost::context::fiber from = std::move(next.context).resume();
    fiber_detail::suspended->context = std::move(from);
    if (const UnwindFunction unwind = fiber_detail::unwind; unwind != nullptr) {
        fiber_detail::unwind = nullptr;
        unwind();
    }
}

inline void resume_to_unwind(Fiber& self, Fiber& next, UnwindFunction function) {
    fiber_detail::unwind = function;
    resume(self, next);
}

#endif

/// A fiber that will run body(argument), which must never return, on the stack that grows down from `stack_top`.
/// Fibers need no end: one that is suspended with nothing on its stack that needs destroying may be forgotten.
Fiber make_fiber(std::byte* stack_top, std::size_t stack_size, void (*body)(void*), void* argument);

/// Forgets a suspended fiber without unwinding its stack.
void forget(Fiber& fiber);

}  // namespace flashlens::simt
