// What the code's steps, stages and topics are called, and what there is to say of them.
#pragma once

#include <string>
#include <string_view>

#include "report/language.h"
#include "teaching/source.h"

namespace flashlens::report {

std::string step_title(teaching::Step step, Language language);
std::string stage_title(teaching::Stage stage, Language language);
std::string topic_title(teaching::Topic topic, Language language);
/// What there is to say of a variant's code, shown or not.
std::string topic_note(teaching::Topic topic, std::string_view variant, Language language);

}  // namespace flashlens::report
