#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/ranges.h"
#include "cli/request.h"
#include "cli/strict.h"
#include "hardware/card.h"
#include "report/svg.h"
#include "report/sweep_chart.h"
#include "report/sweep_data.h"
#include "report/sweep_view.h"
#include "report/sweep_words.h"
#include "report/width.h"
#include "say.h"
#include "usage_error.h"
#include "whole.h"

namespace flashlens::cli {
namespace {

constexpr std::uint64_t most_points = 10'000;
constexpr const char* example = "flashlens sweep --seqlen 512:8192:x2 --heads 1,8";

/// An option of the command line with all of its values. Those of the mask are the two flags.
struct Listed {
    std::string option;  ///< "--seqlen", or "mask"
    std::vector<std::string> values;
};

std::vector<std::string> numbers(std::string_view option, std::string_view text) {
    std::vector<std::string> values;
    for (const std::uint64_t number : number_list(option, text, bounds_of(option), most_points)) {
        values.push_back(fmt::format("{}", number));
    }
    return values;
}

std::vector<std::string> scales(std::string_view text) {
    if (text.find(':') != std::string_view::npos) {
        refuse("--scale", text, say("ranges are of whole numbers; list the values, as in --scale 0.125,0.25"));
    }
    std::vector<std::string> values = comma_list(text);
    for (const std::string& value : values) {
        positive_number("--scale", value, 0.125);
    }
    return values;
}

std::vector<std::string> cards(std::string_view text) {
    std::vector<std::string> items = comma_list(text);
    if (items.size() == 1) {
        return items;  // a single one is as in compare
    }
    std::vector<std::string> names;
    for (const std::string& item : items) {
        if (item.empty()) {
            refuse("--gpu", text, say("a name is missing between the commas; try --gpu A100,H100"));
        }
        const std::string& name = hardware::find_card(item).name;
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            refuse("--gpu", text, say("{} is there twice", name));
        }
        names.push_back(name);
    }
    return names;
}

std::vector<std::string> values_of(const Option& option, std::string_view text, const Explorer& explorer) {
    switch (option.values) {
        case Values::choices:
            return choice_list(option.name, text, words(option.choices));
        case Values::models:
            return choice_list(option.name, text, explorer.model_names);
        case Values::cards:
            return cards(text);
        default:
            return option.name == "--scale" ? scales(text) : numbers(option.name, text);
    }
}

/// Options that take lists, in the order of the command line.
std::vector<Listed> listed_options(const Given& given, const Explorer& explorer) {
    std::vector<Listed> all;
    const bool both_masks = given.has("--causal") && given.has("--no-causal");
    for (const std::string& name : given.order) {
        const Option& option = option_of(name);
        if (!option.swept) {
            continue;
        }
        if (option.values != Values::none) {
            all.push_back({name, values_of(option, given.text(name), explorer)});
        } else if (both_masks) {
            const std::string mask = name == "--causal" ? "causal" : "full";
            const auto there = std::find_if(all.begin(), all.end(), [](const Listed& l) { return l.option == "mask"; });
            if (there == all.end()) {
                all.push_back({"mask", {mask}});
            } else {
                there->values.push_back(mask);
            }
        }
    }
    return all;
}

/// The command line of one point.
void set(Given& given, const std::string& option, const std::string& value) {
    if (option != "mask") {
        given.options[option] = value;
        return;
    }
    given.options.erase("--causal");
    given.options.erase("--no-causal");
    given.options.emplace(value == "causal" ? "--causal" : "--no-causal", "");
}

void refuse_too_many(const std::vector<Listed>& swept) {
    std::uint64_t points = 1;
    bool overflow = false;
    std::string product;
    for (const Listed& listed : swept) {
        overflow = overflow || __builtin_mul_overflow(points, std::uint64_t{listed.values.size()}, &points);
        product += fmt::format("{}{} ({})", product.empty() ? "" : " x ", listed.option, listed.values.size());
    }
    if (overflow || points > most_points) {
        throw UsageError(say("{} would be {} points; a sweep has at most {}: larger steps or fewer options make fewer",
                             product, overflow ? say("over 2^63") : as_it_is(whole(static_cast<std::int64_t>(points))),
                             whole(static_cast<std::int64_t>(most_points))));
    }
}

SweepRequest to_sweep_request(const Given& given, const Explorer& explorer) {
    Given fixed = given;
    std::vector<Listed> swept;
    for (const Listed& listed : listed_options(given, explorer)) {
        if (listed.values.size() > 1) {
            swept.push_back(listed);
        } else {
            fixed.options[listed.option] = listed.values.front();
        }
    }
    if (swept.empty()) {
        throw UsageError(say("sweep: no option has a list or a range, so there is nothing to sweep; try {}", example));
    }
    refuse_too_many(swept);
    SweepRequest request;
    for (const Listed& listed : swept) {
        request.options.push_back({listed.option.substr(listed.option.find_first_not_of('-')), listed.values});
    }
    for (std::vector<std::size_t>& at : combinations(request.options)) {
        Given point = fixed;
        for (std::size_t o = 0; o < swept.size(); ++o) {
            set(point, swept[o].option, swept[o].values[at[o]]);
        }
        SweepQuestion& question = request.questions.emplace_back();
        question.at = std::move(at);
        try {
            question.request = to_request(point, explorer);
        } catch (const UsageError& error) {
            question.refusal = error.message();  // heads that don't share KV heads evenly, say
        }
    }
    return request;
}

Message chart_names(bool with_times) {
    std::vector<std::string_view> names;
    for (const report::Quantity& quantity : report::quantities()) {
        if (with_times || quantity.origin != report::Origin::timed) {
            names.emplace_back(quantity.name);
        }
    }
    names.emplace_back("none");
    return list(names);
}

/// What the command line says of the chart: nothing, none, or one quantity.
struct AskedChart {
    bool none = false;
    const report::Quantity* quantity = nullptr;
};

AskedChart asked_chart(const Given& given) {
    AskedChart asked;
    if (!given.has("--chart")) {
        return asked;
    }
    const std::string_view name = given.text("--chart");
    asked.none = name == "none";
    asked.quantity = report::find_quantity(name);
    if (!asked.none && asked.quantity == nullptr) {
        refuse("--chart", name, say("must be one of {}", chart_names(true)));
    }
    if (asked.none && given.has("--svg")) {
        throw UsageError(say("--chart none with --svg: the picture is of the chart; leave one of them out"));
    }
    return asked;
}

void refuse_times_without_a_card(const report::Quantity& quantity, const Given& given, const Explorer& explorer) {
    if (quantity.origin != report::Origin::timed) {
        return;
    }
    Message why;
    if (given.has("--gpu")) {
        why = say("--gpu plans for a card without running on it");
    } else if (given.text("--machine") == "cpu") {
        why = say("--machine cpu runs nothing on it");
    } else if (explorer.card_here(&why)) {
        return;
    }
    refuse("--chart", quantity.name,
           say("only a card has times ({}); without them there are {}", why, chart_names(false)));
}

Counting counting(const Given& given, const AskedChart& asked) {
    constexpr Counting choices[] = {Counting::automatic, Counting::on, Counting::off};
    const Counting chosen = given.has("--count")
                                ? choices[choice("--count", given.text("--count"), {"auto", "on", "off"})]
                                : Counting::automatic;
    if (asked.quantity == nullptr || asked.quantity->origin != report::Origin::counted) {
        return chosen;
    }
    if (chosen == Counting::off) {
        refuse("--count", "off", say("--chart {} shows what is counted; leave one of them out", asked.quantity->name));
    }
    return Counting::on;
}

/// The quantity that the chart shows, or null.
const report::Quantity* charted(const AskedChart& asked, const Sweep& sweep) {
    if (asked.none) {
        return nullptr;
    }
    if (asked.quantity == nullptr) {
        return &report::usual_quantity(sweep);
    }
    const std::vector<const report::Quantity*> known = report::known_quantities(sweep);
    if (std::find(known.begin(), known.end(), asked.quantity) == known.end()) {
        std::vector<std::string_view> names(known.size());
        std::transform(known.begin(), known.end(), names.begin(), [](const report::Quantity* q) { return q->name; });
        refuse("--chart", asked.quantity->name,
               say("no point of this sweep has that figure; there are {}", list(names)));
    }
    return asked.quantity;
}

}  // namespace

int run_sweep(const Context& context) {
    const AskedChart asked = asked_chart(context.given);
    SweepRequest request = to_sweep_request(context.given, context.explorer);
    request.counting = counting(context.given, asked);
    if (asked.quantity != nullptr) {
        refuse_times_without_a_card(*asked.quantity, context.given, context.explorer);
    }
    check_outputs(context);
    const Sweep sweep = ask(context, request, context.explorer.sweep);
    const report::Quantity* quantity = charted(asked, sweep);
    deliver(context, report::show_sweep(sweep, quantity, context.language, context.terminal),
            {{"--json", [&] { return report::sweep_to_json(sweep); }},
             {"--csv", [&] { return report::sweep_to_csv(sweep); }},
             {"--svg", [&] { return report::to_svg(report::sweep_chart(sweep, *quantity, context.language)); }}});
    const bool failed =
        std::any_of(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& point) { return point.failed; });
    return failed ? could_not_run : all_right;
}

}  // namespace flashlens::cli
