#include "report/map_json.h"

#include <algorithm>

#include "report/facts.h"
#include "report/json_parts.h"
#include "report/map_words.h"
#include "teaching/cta_traffic.h"
#include "teaching/fragment.h"

namespace flashlens::report {
namespace {

using teaching::Operand;
using teaching::Ownership;

constexpr std::int64_t most_entries = 10'000;

Json json_of(const teaching::Fates& fates) {
    return {{"skipped", fates.skipped},
            {"masked", fates.hidden},
            {"masked_in_vain", fates.vain},
            {"unmasked", fates.plain}};
}

Json cut(const Shown& shown) {
    const Ownership& o = shown.ownership;
    Json json;
    json["query_unit"] = o.is_v1() ? "query tile" : "query block";
    json["rows"] = o.unit_rows();
    json["keys"] = o.block_keys();
    json["query_units"] = o.units();
    json["key_blocks"] = o.key_blocks();
    json["ctas_of_a_head"] = o.shares();
    return json;
}

/// A unit meets key blocks 0 .. visited - 1; the masking code runs on those from masking_from on.
Json ctas(const Shown& shown) {
    const Ownership& o = shown.ownership;
    Json json = cut(shown);
    json["meetings"] = json_of(o.fates());
    json["units"] = Json::array();
    for (std::int64_t unit = 0; unit < std::min(o.units(), most_entries); ++unit) {
        const teaching::Span rows = o.rows(unit);
        json["units"].push_back({{"unit", unit},
                                 {"first_row", rows.begin},
                                 {"row_count", rows.size()},
                                 {"owner", o.owner(unit)},
                                 {"visited", o.visited_end(unit)},
                                 {"masking_from", o.masking_begin(unit)},
                                 {"meetings", json_of(o.fates(unit))}});
    }
    json["shown_cta"] = shown.share;
    json["steps"] = o.visits(shown.share);
    json["walk"] = Json::array();
    for (const teaching::Visit& visit : o.walk(shown.share, most_entries)) {
        json["walk"].push_back({{"unit", visit.unit}, {"key_block", visit.key_block}});
    }
    return json;
}

Json blocks(const Shown& shown, const Problem& problem) {
    const teaching::CtaTraffic t = traffic_of(shown.ownership, shown.share, problem);
    Json json = cut(shown);
    json["shown_cta"] = shown.share;
    json["key_blocks_loaded"] = t.key_blocks;
    json["query_unit_loads"] = t.q_loads;
    json["kv_read_bytes"] = t.kv_read;
    json["q_read_bytes"] = t.q_read;
    json["o_tmp_written_bytes"] = t.o_tmp_written;
    json["o_tmp_read_bytes"] = t.o_tmp_read;
    json["o_written_bytes"] = t.o_written;
    return json;
}

Json warps(const Shown& shown) {
    const Ownership& o = shown.ownership;
    Json json;
    json["split"] = o.is_v1() ? "keys" : "rows";
    json["warps"] = o.warps();
    json["rows"] = o.unit_rows();
    json["keys"] = o.block_keys();
    Json owners = Json::array();  // of every key of a step, or of every row
    const std::int64_t count = o.is_v1() ? o.block_keys() : o.unit_rows();
    for (std::int64_t i = 0; i < count; ++i) {
        owners.push_back(o.is_v1() ? o.warp_of(0, i) : o.warp_of(i, 0));
    }
    json["warp_of"] = std::move(owners);
    json["partial_outputs"] = o.is_v1() ? o.warps() : 1;
    return json;
}

Json sms(const Shown& shown, const Comparison& comparison) {
    const teaching::Dealing dealing(*shown.variant, comparison.problem, comparison.card);
    Json json;
    json["ctas_with_work"] = shown.variant->launch.ctas_with_work;
    json["sms"] = dealing.sms();
    json["ctas_per_sm"] = dealing.ctas_per_sm();
    json["waves"] = dealing.waves();
    json["sms_with_work"] = shown.variant->launch.waves.sms_with_work;
    json["ctas"] = Json::array();
    for (std::int64_t index = 0; index < dealing.waves(); ++index) {
        if (static_cast<std::int64_t>(json["ctas"].size()) + dealing.wave_size() > most_entries) {
            break;
        }
        const teaching::Wave wave = dealing.wave(index);
        for (int i = 0; i < dealing.sms() * dealing.ctas_per_sm(); ++i) {
            const int sm = i % dealing.sms();
            const int slot = i / dealing.sms();
            if (const auto& cta = wave.at(sm, slot)) {
                json["ctas"].push_back({{"wave", index},
                                        {"sm", sm},
                                        {"slot", slot},
                                        {"number", cta->number},
                                        {"grid", {cta->place.x, cta->place.y, cta->place.z}},
                                        {"batch", cta->work.batch},
                                        {"head", cta->work.head},
                                        {shown.ownership.is_v1() ? "split" : "query_block", cta->work.share}});
            }
        }
    }
    return json;
}

/// Rows of [lane, which of its values].
Json lanes() {
    Json json;
    for (const auto& [name, operand] : {std::pair{"a", Operand::a}, {"b", Operand::b}, {"c", Operand::c}}) {
        json[name] = Json::array();
        for (int row = 0; row < teaching::operand_rows; ++row) {
            Json places = Json::array();
            for (int column = 0; column < teaching::columns_of(operand); ++column) {
                const teaching::FragmentPlace place = teaching::place_of(operand, row, column);
                places.push_back({place.lane, place.value});
            }
            json[name].push_back(std::move(places));
        }
    }
    return json;
}

}  // namespace

std::string map_to_json(const Comparison& comparison, const std::vector<MapView>& views) {
    const auto asks = [&](MapView view) { return std::find(views.begin(), views.end(), view) != views.end(); };
    Json json;
    json["problem"] = json_of(comparison.problem);
    json["card"] = json_of(comparison.card);
    json["card"]["here"] = comparison.card_is_here;
    const std::vector<Shown> all = shown(comparison);
    json["variants"] = Json::array();
    for (const VariantFacts& variant : comparison.variants) {
        Json one = json_of(variant, comparison, Detail::explained);
        const auto shown_one =
            std::find_if(all.begin(), all.end(), [&](const Shown& s) { return s.variant == &variant; });
        if (shown_one != all.end()) {
            if (asks(MapView::ctas)) {
                one["by_cta"] = ctas(*shown_one);
            }
            if (asks(MapView::warps)) {
                one["by_warp"] = warps(*shown_one);
            }
            if (asks(MapView::blocks)) {
                one["blocks"] = blocks(*shown_one, comparison.problem);
            }
            if (asks(MapView::sms)) {
                one["on_sms"] = sms(*shown_one, comparison);
            }
        }
        json["variants"].push_back(std::move(one));
    }
    if (asks(MapView::lanes)) {
        json["mma_m16n8k16"] = lanes();  // on sm_75 two m16n8k8, with the same places
    }
    return json_text(json);
}

}  // namespace flashlens::report
