// A learner's compiled file, as the checks see it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explorer/elements.h"
#include "explorer/inputs.h"
#include "explorer/problem.h"
#include "practice/judge.h"
#include "practice/two_languages.h"
#include "practice/verdict.h"
#include "simt/launch.h"

namespace flashlens::practice {

/// What a run of the learner's kernel left in memory.
struct Output {
    std::vector<std::uint16_t> o;  ///< (batch, seqlen_q, heads, head_dim), of the problem's dtype
    std::vector<float> lse;        ///< (batch, heads, seqlen_q)
    /// Elements that still hold what they held before the run: nobody wrote them. By the same indices.
    std::vector<bool> o_unwritten;
    std::vector<bool> lse_unwritten;
    /// What the CPU machine counted; nothing after a run on a GPU.
    std::optional<simt::LaunchReport> report;
};

class Attempt {
public:
    /// Opens what judge() compiled. Throws the Finding "undefined-function", and Failure where it does not fit this program
    /// or there is no GPU to run on.
    Attempt(const std::filesystem::path& library, Machine machine);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    Machine machine() const { return machine_; }

    /// The function that FLASHLENS_EXERCISE_FUNCTION(Type, ...) named. Throws the Finding "no-entry".
    template <class Type>
    Type* function() const {
        return reinterpret_cast<Type*>(function_address());
    }

    /// Runs the kernel that FLASHLENS_EXERCISE_KERNEL named, on outputs filled with a pattern. On the CPU machine a kernel
    /// that breaks CUDA's rules is a BrokenRule (broken_rule.h); `options` may turn checks off. On a GPU a CUDA error is the
    /// Finding "cuda-error". Throws the Finding "no-entry" where the file names no kernel.
    Output run(const Problem& problem, const Inputs& inputs, const simt::LaunchOptions& options = {});

    /// Something has been found right.
    void held(Message what) { held_.push_back(std::move(what)); }
    const std::vector<Message>& what_held() const { return held_; }

private:
    void* function_address() const;
    void* symbol(const char* name) const;

    void* library_ = nullptr;
    Machine machine_;
    std::vector<Message> held_;
};

}  // namespace flashlens::practice
