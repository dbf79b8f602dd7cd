// The cards that are known, and the one in this machine.
#pragma once

#include <optional>
#include <string>

#include "hardware/card.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// `why_none_here` says why there is no card here, when there is none.
std::string show_devices(const std::optional<hardware::Card>& here, const Message& why_none_here, Language language,
                         const Terminal& terminal);

}  // namespace flashlens::report
