// The online softmax in fp64, key block by key block, with steps that can be replaced: what a known mistake makes of a
// problem. Shares nothing with the kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "practice/weights.h"

namespace flashlens::practice {

/// v2's loop over key blocks, last to first, for one head; m in units of the logit (scale included), natural exponents.
struct SoftmaxModel {
    std::int64_t block_n = 64;
    /// Does query i see key j? Keys up to the end of the last block are asked for; those past Sk are zeros.
    std::function<bool(std::int64_t i, std::int64_t j)> sees;
    std::function<double(double m, double block_max)> new_max = [](double m, double s) { return s > m ? s : m; };
    std::function<double(double s, double m)> weight = [](double s, double m) { return std::exp(s - m); };
    /// What acc_o and l that were summed under m_old are multiplied by.
    std::function<double(double m_old, double m)> rescale_o = exact_rescale;
    std::function<double(double m_old, double m)> rescale_l = exact_rescale;
    /// Rescaled when this block is in already, and not before: so the first block, with m_old = -infinity, becomes 0.
    bool rescales_o_late = false;
    bool rescales_l_late = false;
    std::function<double(double acc, double l)> normalise = [](double acc, double l) { return acc / l; };
    std::function<double(double m, double l)> lse = [](double m, double l) { return m + std::log(l); };

    static double exact_rescale(double m_old, double m) { return std::exp(m_old - m); }
};

/// The problem's mask: does query i see key j? Also of keys past the end.
bool really_sees(const Problem& problem, std::int64_t i, std::int64_t j);

/// The model of a right kernel.
SoftmaxModel right_model(const Problem& problem);

/// What a kernel that works like this leaves. Rows that see nothing: weights 0, lse -inf.
Weights run_model(const SoftmaxModel& model, const Problem& problem, const Inputs& inputs);

/// A mistake that has a name, and what it makes of the problem.
struct Mistake {
    std::string id;
    Message what;
    SoftmaxModel model;
    /// Lines that say what it is known from, beyond the first row that differs.
    std::vector<Message> evidence = {};
};

/// Holds what a kernel left against what is right. Throws a Finding where they differ by more than rounding: the mistake
/// whose model fits what was seen everywhere, or, where none does, "weights-wrong" or "lse-wrong": which rows, from which
/// key block on, and the ratio found.
void hold_weights(const Weights& seen, const Problem& problem, const Inputs& inputs, std::span<const Mistake> mistakes,
                  std::int64_t block_n = 64);

/// Equal but for the rounding of P and O to fp16 and of lse to fp32.
bool same_weights(const Weights& a, const Weights& b);

}  // namespace flashlens::practice
