#include "report/ladder_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "explorer/ladder.h"
#include "report/comparison_view.h"
#include "report/facts.h"
#include "report/json_parts.h"
#include "report/source_columns.h"
#include "teaching/ladder_code.h"
#include "teaching/ladder_ideas.h"

namespace flashlens::report {
namespace {

using teaching::CodeChange;
using teaching::FileChange;

CodeChange change_of(const Comparison& planned) {
    return teaching::code_change(teaching::code_of_variant(planned.variants[0].name),
                                 teaching::code_of_variant(planned.variants[1].name));
}

std::string tile_of(const VariantFacts& variant) {
    return fmt::format("{} x {}", variant.launch.tile.block_m, variant.launch.tile.block_n);
}

/// Those are planned first: there they are even where something else forbids the launch.
bool tiles_known(const Comparison& planned) {
    return planned.variants[0].launch.tile.block_m > 0 && planned.variants[1].launch.tile.block_m > 0;
}

/// Of two variants with the same code.
Text what_differs(const Comparison& planned) {
    if (!tiles_known(planned)) {
        return Text::diff_same_code;
    }
    return tile_of(planned.variants[0]) != tile_of(planned.variants[1]) ? Text::diff_same_but_tile
                                                                        : Text::diff_same_but_switch;
}

std::string joined(const std::vector<std::string_view>& paths, Language language) {
    std::string list;
    for (const std::string_view path : paths) {
        list = list.empty() ? std::string(path) : fill(language, Text::comma, list, path);
    }
    return list;
}

std::string show_file(const FileChange& file, Extent extent, Language language, const Terminal& terminal) {
    const bool all = extent == Extent::all;
    const bool named_alone = !file.after || (!file.before && !file.own);
    if (named_alone && !all) {
        const EmbeddedText& text = file.after ? *file.after : *file.before;
        return labelled("", 0,
                        fill(language, file.after ? Text::diff_foreign : Text::diff_gone, text.path,
                             code_to_show(text.text).size()),
                        terminal);
    }
    std::string title;
    if (!file.before) {
        title = fill(language, Text::diff_new, file.after->path);
    } else if (!file.after) {
        title = fill(language, Text::diff_gone_shown, file.before->path);
    } else {
        title = fmt::format("{}{}{}", file.before->path, terminal.utf8 ? " → " : " -> ", file.after->path);
    }
    std::string result = titled(title, {}, terminal);
    const std::vector<std::string> lines =
        differences(file.before ? file.before->text : "", file.after ? file.after->text : "", terminal, extent);
    for (const std::string& line : lines) {
        result += line + "\n";
    }
    return lines.empty() ? result + labelled("", 0, std::string(text(language, Text::diff_comments)), terminal)
                         : result;
}

}  // namespace

std::string show_ladder_diff(const Comparison& planned, Extent extent, Language language, const Terminal& terminal) {
    const auto say = [&](Text name, const auto&... values) { return fill(language, name, values...); };
    const auto paragraph = [&](const std::string& words) { return labelled("", 0, words, terminal); };
    const VariantFacts& before = planned.variants[0];
    const VariantFacts& after = planned.variants[1];
    std::string result = labelled("", 0, say(Text::title_diff, before.name, after.name), terminal, Style::bold);
    for (const Idea idea : ideas_between(before.name, after.name)) {
        result += labelled("-", 2, std::string(teaching::words_of(idea).sentence.in(language)), terminal);
    }
    const CodeChange change = change_of(planned);
    if (tiles_known(planned) && tile_of(before) != tile_of(after)) {
        const std::string tiles = tile_of(before) + (terminal.utf8 ? " → " : " -> ") + tile_of(after);
        result += paragraph(say(Text::diff_tile, tiles));
        result += labelled("", 2,
                           say(Text::diff_tile_of, shape_line(planned.problem, language), card_line(planned, language)),
                           terminal);
    }
    if (change.files.empty()) {
        result += paragraph(say(what_differs(planned)));
    }
    if (!change.shared.empty()) {
        result += paragraph(say(Text::diff_shared, joined(change.shared, language)));
    }
    for (const FileChange& file : change.files) {
        result += show_file(file, extent, language, terminal);
    }
    return result + (extent == Extent::all ? "" : "\n" + paragraph(say(Text::diff_more)));
}

std::string ladder_diff_to_json(const Comparison& planned) {
    Json json;
    json["from"] = planned.variants[0].name;
    json["to"] = planned.variants[1].name;
    json["ideas"] = Json::array();
    for (const Idea idea : ideas_between(planned.variants[0].name, planned.variants[1].name)) {
        json["ideas"].push_back(name_of(idea));
    }
    json["tiles"] = tiles_known(planned) ? Json{tile_of(planned.variants[0]), tile_of(planned.variants[1])} : Json();
    const CodeChange change = change_of(planned);
    json["unchanged"] = change.shared;
    json["files"] = Json::array();
    for (const FileChange& file : change.files) {
        Json one;
        one["before"] = file.before ? Json(file.before->path) : Json();
        one["after"] = file.after ? Json(file.after->path) : Json();
        one["lines"] = Json::array();
        const auto lines_of = [](const std::optional<EmbeddedText>& text) {
            return text ? code_to_show(text->text) : std::vector<std::string>{};
        };
        const std::vector<std::string> left = lines_of(file.before);
        const std::vector<std::string> right = lines_of(file.after);
        for (const LinePair& pair : paired(left, right)) {
            one["lines"].push_back({{"before", pair.left ? Json(*pair.left + 1) : Json()},
                                    {"after", pair.right ? Json(*pair.right + 1) : Json()},
                                    {"text", pair.left ? left[*pair.left] : right[*pair.right]}});
        }
        json["files"].push_back(std::move(one));
    }
    return json_text(json);
}

}  // namespace flashlens::report
