#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/strict.h"
#include "report/source_view.h"
#include "say.h"
#include "teaching/article.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

/// The stage named, all of them, or the main loop.
std::vector<teaching::Stage> stages(const std::string& given) {
    if (given.empty()) {
        return {teaching::Stage::mainloop};
    }
    const auto all = teaching::all_stages();
    const std::size_t which = choice("source", given, stage_names());
    return which < all.size() ? std::vector{all[which]} : std::vector(all.begin(), all.end());
}

/// The article has loops alone, and those of v1 and v2.
void check_article(const Given& given, const report::SourceQuestion& question) {
    if (!given.word.empty() && given.word != "mainloop") {
        throw UsageError(
            say("--article with stage {}: the article's loops go with the main loop; try "
                "flashlens source mainloop --article",
                given.word));
    }
    for (const std::string& variant : question.variants) {
        if (!teaching::article_has(variant)) {
            throw UsageError(say("--article with --variants {}: the article has no loop of {}; try --variants v1,v2",
                                 given.text("--variants"), variant));
        }
    }
}

report::SourceQuestion question_of(const Given& given) {
    report::SourceQuestion question{stages(given.word), {"v1", "v2"}, given.has("--article")};
    if (given.has("--variants")) {
        const auto all = teaching::source_variants();
        question.variants = choice_list("--variants", given.text("--variants"), {all.begin(), all.end()});
    }
    if (question.article) {
        check_article(given, question);
    }
    return question;
}

}  // namespace

std::vector<std::string> stage_names() {
    std::vector<std::string> names;
    for (const teaching::Stage stage : teaching::all_stages()) {
        names.emplace_back(teaching::name_of(stage));
    }
    names.emplace_back("all");
    return names;
}

int run_source(const Context& context) {
    const report::SourceQuestion question = question_of(context.given);
    check_outputs(context);
    deliver(context, report::show_source(question, context.language, context.terminal),
            {{"--json", [&] { return report::source_to_json(question, context.language); }}});
    return all_right;
}

}  // namespace flashlens::cli
