#include "report/json.h"

#include "report/json_parts.h"
#include "report/why.h"

namespace flashlens::report {
namespace {

Json figure(const Figure& figure) {
    return {{"name", figure.name}, {"value", number(figure.value)}};
}

Json sentences(const Comparison& comparison, Language language, const std::string& ladder_command) {
    constexpr const char* relations[] = {"greater", "less", "equal", "about"};
    Json result = Json::array();
    for (const Sentence& sentence : why(comparison, language, ladder_command)) {
        Json claims = Json::array();
        for (const Claim& claim : sentence.claims) {
            claims.push_back({{"left", figure(claim.left)},
                              {"relation", relations[static_cast<int>(claim.relation)]},
                              {"right", figure(claim.right)}});
        }
        result.push_back({{"text", sentence.text},
                          {"claims", std::move(claims)},
                          {"command", sentence.command.empty() ? Json() : Json(sentence.command)}});
    }
    return result;
}

}  // namespace

std::string to_json(const Comparison& comparison, Detail detail, Language language, const std::string& ladder_command) {
    Json json;
    json["problem"] = json_of(comparison.problem);
    json["problem"]["input"] = comparison.input_folder.empty() ? Json() : Json(comparison.input_folder);
    json["card"] = json_of(comparison.card);
    json["card"]["here"] = comparison.card_is_here;
    if (detail == Detail::compared) {
        json["machine"] = comparison.machine == Machine::gpu ? "gpu" : "cpu";
    }
    json["variants"] = Json::array();
    for (const VariantFacts& variant : comparison.variants) {
        json["variants"].push_back(json_of(variant, comparison, detail));
    }
    json["plain_attention"] = {{"read_bytes", comparison.plain_read_bytes},
                               {"write_bytes", comparison.plain_write_bytes}};
    if (detail == Detail::compared) {
        json["reference"] = nullptr;
        if (comparison.reference) {
            json["reference"] = {{"time_us", number(comparison.reference->time_us)},
                                 {"rows_checked", comparison.reference->rows_checked},
                                 {"rows_total", comparison.reference->rows_total}};
        }
    }
    json["why"] = sentences(comparison, language, ladder_command);
    return json_text(json);
}

std::string devices_to_json(const std::optional<hardware::Card>& here, const Message& why_none_here) {
    Json json;
    json["here"] = here ? json_of(*here) : Json();
    json["why_none_here"] = here ? Json() : Json(why_none_here.en);
    json["cards"] = Json::array();
    for (const hardware::Card& known : hardware::cards()) {
        json["cards"].push_back(json_of(known));
    }
    return json_text(json);
}

}  // namespace flashlens::report
