// A comparison as JSON, for scripts: everything that the table shows, in base units.
#pragma once

#include <optional>
#include <string>

#include "explorer/comparison.h"
#include "hardware/card.h"
#include "report/comparison_view.h"
#include "report/language.h"

namespace flashlens::report {

/// Strictly valid JSON (RFC 8259), ended by a newline. What was not measured, counted or checked is null. A number that
/// is not finite, which JSON can't hold, is the string "nan", "inf" or "-inf" (float() of Python reads all three), so
/// that a failure is never taken for something that was not measured. Explained: only what needs no run, so there is no
/// machine, no reference, no counters, time, error or verdict. ladder_command: see why().
std::string to_json(const Comparison& comparison, Detail detail, Language language,
                    const std::string& ladder_command = "");

/// {"here": card or null, "why_none_here": text or null, "cards": [...]}.
std::string devices_to_json(const std::optional<hardware::Card>& here, const Message& why_none_here);

}  // namespace flashlens::report
