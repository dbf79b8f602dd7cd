// A comparison as people read it: what was asked, one column per variant, and why they differ.
#pragma once

#include <string>

#include "explorer/comparison.h"
#include "report/language.h"
#include "report/table.h"
#include "report/terminal.h"

namespace flashlens::report {

/// What has happened: explain computes, compare also runs.
enum class Detail { explained, compared };

/// The whole view, no line wider than the terminal. In a terminal too narrow for the variants' columns they stand one
/// below the other. A variant that can't run has its reason in its column, and no figures. ladder_command: see why().
std::string show(const Comparison& comparison, Detail detail, Language language, const Terminal& terminal,
                 const std::string& ladder_command = "");

/// Its parts: what was asked, of which card and machine, below a title; and what holds of the figures.
std::string comparison_header(const Comparison& comparison, Text title, Detail detail, Language language,
                              const Terminal& terminal);
std::string comparison_notes(const Comparison& comparison, Language language, const Terminal& terminal);

/// "B 2  H 16  KV 16  Sq 512 ...", with type and mask.
std::string shape_line(const Problem& problem, Language language);
/// The card's name, whether it is here, its SMs and chip.
std::string card_line(const Comparison& comparison, Language language);
/// "fp16", "bf16".
std::string dtype_name(DType dtype);
/// "bottom-right", "top-left".
std::string align_name(Align align);
/// "full", "causal, bottom-right aligned".
Text mask_name(const Problem& problem);
/// "normal", "uniform", "sharp", "ones".
std::string distribution_name(Distribution distribution);

/// A paragraph with a label (or bullet) before it, wrapped to the terminal, later lines indented under the first.
std::string labelled(const std::string& label, int label_width, const std::string& text, const Terminal& terminal,
                     Style style = Style::plain);

}  // namespace flashlens::report
