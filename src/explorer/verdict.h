// Is an output right? The verdict on O and LSE against fp64, with every number behind it.
#pragma once

#include <cstdint>
#include <string>

#include "explorer/problem.h"

namespace flashlens {

enum class Verdict { pass, fail, not_run };

struct ErrorReport {
    double max_abs_error = 0.0;           ///< of O against fp64
    double rms_error = 0.0;
    double baseline_max_abs_error = 0.0;  ///< plain attention in the kernels' precision, against fp64
    double baseline_rms_error = 0.0;
    double allowed_max_abs_error = 0.0;   ///< 2 x baseline max + 1e-5 x max|V|
    double lse_max_abs_error = 0.0;
    double lse_allowed = 0.0;             ///< at the element that comes closest to its bound (or passes it)
    std::int64_t elements_checked = 0;
    Verdict verdict = Verdict::not_run;
    std::string reason;                   ///< why it fails, with element, value and expected value; empty on a pass
};

}  // namespace flashlens
