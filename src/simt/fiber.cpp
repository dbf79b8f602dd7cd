#include "simt/fiber.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace flashlens::simt {

#if FLASHLENS_ASSEMBLY_FIBERS

// The registers that a function must preserve (System V ABI), then the return address: a suspended stack's top.
// flashlens_switch(void** save_here, void* resume)
// flashlens_switch_to_unwind(void** save_here, void* resume, void (*function)()): calls function as if from where the
//   resumed fiber called, so that what it throws unwinds from there.
// flashlens_first_switch: where a new fiber begins; r12 is the body and r13 its argument.
asm(R"(
    .text
    .p2align 4
    .globl  flashlens_switch
    .hidden flashlens_switch
    .type   flashlens_switch, @function
flashlens_switch:
    pushq   %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    popq    %rdx
    jmpq    *%rdx
    .size   flashlens_switch, . - flashlens_switch

    .p2align 4
    .globl  flashlens_switch_to_unwind
    .hidden flashlens_switch_to_unwind
    .type   flashlens_switch_to_unwind, @function
flashlens_switch_to_unwind:
    pushq   %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    jmpq    *%rdx
    .size   flashlens_switch_to_unwind, . - flashlens_switch_to_unwind

    .p2align 4
    .globl  flashlens_first_switch
    .hidden flashlens_first_switch
    .type   flashlens_first_switch, @function
flashlens_first_switch:
    .cfi_startproc
    .cfi_undefined rip
    movq    %r13, %rdi
    callq   *%r12
    ud2
    .cfi_endproc
    .size   flashlens_first_switch, . - flashlens_first_switch
)");

extern "C" void flashlens_first_switch();

Fiber make_fiber(std::byte* stack_top, std::size_t, void (*body)(void*), void* argument) {
    // r15, r14, r13, r12, rbx, rbp, return address; below that the stack is aligned to 16 bytes, as before a call.
    auto* words = reinterpret_cast<std::uintptr_t*>(stack_top) - 9;
    words[0] = 0;
    words[1] = 0;
    words[2] = reinterpret_cast<std::uintptr_t>(argument);
    words[3] = reinterpret_cast<std::uintptr_t>(body);
    words[4] = 0;
    words[5] = 0;
    words[6] = reinterpret_cast<std::uintptr_t>(&flashlens_first_switch);
    words[7] = 0;
    return {words};
}

void forget(Fiber& fiber) {
    fiber.stack_pointer = nullptr;
}

#else

namespace {

/// The stack belongs to the caller.
struct BorrowedStack {
    void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Fiber make_fiber(std::byte* stack_top, std::size_t stack_size, void (*body)(void*), void* argument) {
    boost::context::stack_context stack;
    stack.sp = stack_top;
    stack.size = stack_size;
    return {boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                                  BorrowedStack{}, [body, argument](boost::context::fiber&& from) {
                                      fiber_detail::suspended->context = std::move(from);
                                      body(argument);
                                      std::abort();
                                      return boost::context::fiber();
                                  })};
}

void forget(Fiber& fiber) {
    // Boost would unwind the stack; there is nothing on it to destroy.
    new (&fiber.context) boost::context::fiber();
}

#endif

}  // namespace flashlens::simt
