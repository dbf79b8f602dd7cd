#include "report/comparison_view.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "report/comparison_table.h"
#include "report/facts.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/why.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

constexpr int column_minimum = 22;  ///< narrower value columns make a table that nobody reads

std::string tables(const Comparison& comparison, Detail detail, Language language, const Terminal& terminal) {
    std::vector<std::size_t> all(comparison.variants.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Table side_by_side = comparison_table(comparison, all, true, detail, language);
    if (all.size() < 2 || side_by_side.fits(terminal, column_minimum)) {
        return side_by_side.render(terminal);
    }
    std::string result;
    for (const std::size_t i : all) {
        result += comparison_table(comparison, {i}, false, detail, language).render(terminal);
    }
    return result + reference_table(comparison, detail, language).render(terminal);
}

/// The text, its command on one line, to be copied, where a line has room for it.
std::string with_command_whole(const Sentence& sentence, int width) {
    std::string text = sentence.text;
    if (sentence.command.empty() || display_width(sentence.command) > width) {
        return text;
    }
    std::string whole;
    for (const char c : sentence.command) {
        whole += c == ' ' ? std::string("\u00a0") : std::string(1, c);
    }
    return text.replace(text.find(sentence.command), sentence.command.size(), whole);
}

}  // namespace

std::string shape_line(const Problem& problem, Language language) {
    // A no-break space keeps a name and its figure on one line.
    std::string line = fmt::format("B\u00a0{}  H\u00a0{}  KV\u00a0{}  Sq\u00a0{}  Sk\u00a0{}  D\u00a0{}  {}",
                                   problem.batch, problem.heads, problem.kv_heads, problem.seqlen_q, problem.seqlen_k,
                                   problem.head_dim, dtype_name(problem.dtype));
    const Text mask = !problem.causal                        ? Text::no_mask
                      : problem.align == Align::bottom_right ? Text::causal_bottom_right
                                                             : Text::causal_top_left;
    const std::string named = fill(language, mask, signed_offset(problem.diagonal()));
    return line + "  " + named;
}

std::string card_line(const Comparison& comparison, Language language) {
    const hardware::Card& card = comparison.card;
    return fill(language, comparison.card_is_here ? Text::card_here : Text::card_not_here, printable(card.name),
                card.sm_count, card.chip);
}

std::string dtype_name(DType dtype) {
    return dtype == DType::fp16 ? "fp16" : "bf16";
}

std::string align_name(Align align) {
    return align == Align::bottom_right ? "bottom-right" : "top-left";
}

Text mask_name(const Problem& problem) {
    return !problem.causal                        ? Text::no_mask
           : problem.align == Align::bottom_right ? Text::bottom_right_mask
                                                  : Text::top_left_mask;
}

std::string distribution_name(Distribution distribution) {
    switch (distribution) {
        case Distribution::normal:
            return "normal";
        case Distribution::uniform:
            return "uniform";
        case Distribution::sharp:
            return "sharp";
        case Distribution::ones:
            break;
    }
    return "ones";
}

std::string labelled(const std::string& label, int label_width, const std::string& text, const Terminal& terminal,
                     Style style) {
    std::string result;
    std::string before = pad(label, label_width);
    for (const std::string& line : wrap(text, terminal.columns - label_width)) {
        result += before + styled(line, style, terminal) + "\n";
        before = std::string(static_cast<std::size_t>(label_width), ' ');
    }
    return result;
}

std::string comparison_header(const Comparison& comparison, Text title, Detail detail, Language language,
                              const Terminal& terminal) {
    const auto say = [&](Text name) { return std::string(text(language, name)); };
    const Problem& problem = comparison.problem;
    int width = 0;
    for (const Text label : {Text::inputs, Text::work, Text::card, Text::machine}) {
        width = std::max(width, display_width(text(language, label)) + 2);
    }
    const auto line = [&](Text label, const std::string& what) { return labelled(say(label), width, what, terminal); };
    std::string result = labelled("", 0, say(title), terminal, Style::bold);
    result += labelled("", width, fmt::format("{}  scale\u00a0{:.6g}", shape_line(problem, language), problem.scale),
                       terminal);
    result += line(Text::work, fill(language, Text::work_figures, report::work(static_cast<double>(flops(problem))),
                                    magnitude(static_cast<double>(visible_pairs(problem)))));
    if (detail == Detail::compared) {
        result +=
            line(Text::inputs, comparison.input_folder.empty()
                                   ? fill(language, Text::inputs_random, distribution_name(problem.dist), problem.seed)
                                   : fill(language, Text::inputs_files, printable(comparison.input_folder)));
    }
    result += line(Text::card, card_line(comparison, language));
    result += labelled("", width, fill(language, Text::card_source, printable(comparison.card.source.in(language))),
                       terminal);
    if (comparison.card.takes_sm75()) {
        const Text what = comparison.card.kernels_of ? Text::card_takes_sm75 : Text::card_sm75;
        result += labelled("", width, say(what), terminal);
    }
    if (detail == Detail::compared) {
        result += line(Text::machine, say(comparison.machine == Machine::gpu ? Text::machine_gpu : Text::machine_cpu));
    }
    return result;
}

std::string comparison_notes(const Comparison& comparison, Language language, const Terminal& terminal) {
    std::string result;
    const auto any = [&](auto has) {
        return std::any_of(comparison.variants.begin(), comparison.variants.end(),
                           [&](const VariantFacts& v) { return runs(v) && has(v); });
    };
    for (const VariantFacts& variant : comparison.variants) {
        if (runs(variant) && variant.error && variant.error->verdict == Verdict::fail) {
            const std::string note =
                fill(language, Text::note_failed, variant.name, printable(variant.error->reason.in(language)));
            result += labelled("", 0, note, terminal, Style::bad);
        }
    }
    if (any([](const VariantFacts& v) { return v.counted.has_value(); })) {
        result += labelled("", 0, std::string(text(language, Text::note_requests)), terminal);
    }
    if (any([](const VariantFacts& v) { return v.counted && v.counted->raises_assumed; })) {
        result += labelled("", 0, std::string(text(language, Text::note_raises)), terminal);
    }
    if (any([](const VariantFacts& v) { return v.timed && v.timed->median_us < launch_overhead_us; })) {
        result += labelled("", 0, std::string(text(language, Text::note_launch_overhead)), terminal);
    }
    return result;
}

std::string show(const Comparison& comparison, Detail detail, Language language, const Terminal& terminal,
                 const std::string& ladder_command) {
    const Text title = detail == Detail::compared ? Text::title_compare : Text::title_explain;
    std::string result = comparison_header(comparison, title, detail, language, terminal) + "\n";
    result += tables(comparison, detail, language, terminal);
    result += comparison_notes(comparison, language, terminal);
    const std::vector<Sentence> sentences = why(comparison, language, ladder_command);
    if (!sentences.empty()) {
        result += "\n" + labelled("", 0, std::string(text(language, Text::why)), terminal, Style::bold);
        for (const Sentence& sentence : sentences) {
            result += labelled("-", 2, with_command_whole(sentence, terminal.columns - 2), terminal);
        }
    } else if (flops(comparison.problem) == 0) {
        result += "\n" + labelled("", 0, std::string(text(language, Text::all_zero)), terminal);
    }
    return result;
}

}  // namespace flashlens::report
