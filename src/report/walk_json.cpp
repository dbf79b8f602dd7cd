#include <utility>

#include "report/json_parts.h"
#include "report/walk_view.h"

namespace flashlens::report {
namespace {

using teaching::Matrix;
using teaching::Transfer;
using teaching::Walk;
using teaching::WalkOrder;
using teaching::WalkProblem;
using teaching::WalkRow;
using teaching::WalkStep;

Json json_of(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double value : values) {
        json.push_back(number(value));
    }
    return json;
}

/// Rows of numbers; null for a matrix that is not there.
Json json_of(const Matrix& matrix) {
    Json json;
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
        Json row = Json::array();
        for (std::int64_t c = 0; c < matrix.columns; ++c) {
            row.push_back(number(matrix.at(i, c)));
        }
        json.push_back(std::move(row));
    }
    return json;
}

Json json_of(const Transfer& transfer) {
    constexpr const char* names[] = {"q", "k", "v", "o_tmp", "lse", "o"};
    return {{"tensor", names[static_cast<int>(transfer.tensor)]},
            {"direction", transfer.written ? "write" : "read"},
            {"first_row", transfer.first_row},
            {"rows", transfer.rows},
            {"bytes", transfer.bytes}};
}

/// A row's values by the names that its order has for them.
Json json_of(const WalkRow& row, const WalkStep& step) {
    const bool v1 = step.kind == WalkStep::Kind::pass;
    Json json;
    json["row"] = row.row;
    if (v1 || step.kind == WalkStep::Kind::block) {
        json["s"] = json_of(row.s);
        json["visible"] = row.visible;
        json[v1 ? "lse_before" : "m_before"] = number(row.m_before);
        json["row_max"] = number(row.row_max);
        json["m"] = number(row.m);
        json["rescale"] = number(row.rescale);
        json["p"] = json_of(row.p);
        json["row_sum"] = number(row.p_sum);
        if (!v1) {
            json["l_before"] = number(row.l_before);
        }
        json["l"] = number(row.l);
        json["pv"] = json_of(row.pv);
        json[v1 ? "o_before" : "acc_before"] = json_of(row.out_before);
        json[v1 ? "o" : "acc"] = json_of(row.out);
    } else {
        json["m"] = number(row.m);
        json["l"] = number(row.l);
        json["acc"] = json_of(step.kind == WalkStep::Kind::start ? row.out : row.out_before);
    }
    if (step.kind == WalkStep::Kind::finish) {
        json["o"] = json_of(row.out);
    }
    if (v1 || step.kind == WalkStep::Kind::finish) {
        json["lse"] = number(row.lse);
    }
    return json;
}

Json json_of(const WalkStep& step) {
    constexpr const char* kinds[] = {"pass", "start", "block", "finish"};
    const bool has_keys = step.kind == WalkStep::Kind::pass || step.kind == WalkStep::Kind::block;
    Json json;
    json["kind"] = kinds[static_cast<int>(step.kind)];
    json["query_block"] = step.query_block;
    json["key_block"] = has_keys ? Json(step.key_block) : Json();
    json["first_row"] = step.first_row;
    json["row_count"] = step.row_count;
    json["first_key"] = has_keys ? Json(step.first_key) : Json();
    json["key_count"] = step.key_count;
    json["transfers"] = Json::array();
    for (const Transfer& transfer : step.transfers) {
        json["transfers"].push_back(json_of(transfer));
    }
    json["read_bytes"] = step.read_bytes;
    json["written_bytes"] = step.written_bytes;
    json["read_bytes_so_far"] = step.read_so_far;
    json["written_bytes_so_far"] = step.written_so_far;
    json["rows"] = Json::array();
    for (const WalkRow& row : step.rows) {
        json["rows"].push_back(json_of(row, step));
    }
    return json;
}

Json json_of(const Walk& walk, const WalkShow& show) {
    const teaching::WalkError error = teaching::walk_error(show.problem, walk, show.reference);
    Json json;
    json["order"] = walk.order == WalkOrder::v1 ? "v1" : "v2";
    json["steps"] = Json::array();
    for (const WalkStep& step : walk.steps) {
        json["steps"].push_back(json_of(step));
    }
    json["o"] = json_of(walk.o);
    json["lse"] = json_of(walk.lse);
    json["read_bytes"] = walk.steps.back().read_so_far;
    json["written_bytes"] = walk.steps.back().written_so_far;
    json["rescaled_rows"] = walk.rescaled_rows;
    json["divided_rows"] = walk.divided_rows;
    json["o_difference"] = number(error.o);
    json["o_allowed"] = number(error.allowed_o);
    json["lse_difference"] = number(error.lse);
    json["lse_allowed"] = number(error.allowed_lse);
    json["verdict"] = error.ok() ? "pass" : "fail";
    return json;
}

}  // namespace

std::string walk_to_json(const WalkShow& show) {
    const WalkProblem& problem = show.problem;
    Json json;
    json["problem"] = json_of(problem.problem);
    json["problem"]["inputs"] = show.inputs.empty() ? Json() : Json(show.inputs);
    json["problem"]["block_m"] = problem.block_m;
    json["problem"]["block_n"] = problem.block_n;
    json["q"] = json_of(problem.q);
    json["k"] = json_of(problem.k);
    json["v"] = json_of(problem.v);
    json["scores"] = json_of(problem.scores);
    json["walks"] = Json::array();
    for (const Walk& walk : show.walks) {
        json["walks"].push_back(json_of(walk, show));
    }
    json["reference"] = {{"o", json_of(show.reference.o)}, {"lse", json_of(show.reference.lse)}};
    return json_text(json);
}

}  // namespace flashlens::report
