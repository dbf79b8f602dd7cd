#include "cli/quiz_scores.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "reason.h"
#include "report/width.h"
#include "say.h"
#include "whole_file.h"

namespace flashlens::cli {
namespace {

using Json = nlohmann::ordered_json;

/// By the XDG base directory specification: a relative path counts as none.
std::string state_file(const report::Surroundings& surroundings) {
    const std::string state = surroundings.variable("XDG_STATE_HOME").value_or("");
    if (state.starts_with('/')) {
        return state + "/flashlens/quiz.json";
    }
    const std::string home = surroundings.variable("HOME").value_or("");
    return home.starts_with('/') ? home + "/.local/state/flashlens/quiz.json" : "";
}

}  // namespace

QuizScores::QuizScores(const report::Surroundings& surroundings) : file_(state_file(surroundings)) {
    if (file_.empty()) {
        note_ = say("scores are not kept: neither XDG_STATE_HOME nor HOME names a folder");
    } else {
        read();
    }
}

bool QuizScores::missed(const std::string& id) const {
    const auto found = scores_.find(id);
    return found != scores_.end() && found->second.missed;
}

bool QuizScores::any_missed() const {
    return std::any_of(scores_.begin(), scores_.end(), [](const auto& score) { return score.second.missed; });
}

void QuizScores::read() {
    std::error_code error;
    if (!std::filesystem::exists(file_, error)) {
        return;
    }
    try {
        const Json json = Json::parse(read_whole(file_).value_or(""));
        for (const auto& [id, score] : json.at("questions").items()) {
            scores_[id] = {score.at("asked").get<int>(), score.at("points").get<double>(),
                           score.at("missed").get<bool>()};
        }
    } catch (const Json::exception&) {
        // It may be worth something to somebody: it is not replaced.
        note_ = say("{}: holds no scores that this program has written; scores are not kept until it is removed",
                    report::printable(file_));
        scores_.clear();
        file_.clear();
    }
}

void QuizScores::add(const report::QuizOutcome& outcome) {
    Score& score = scores_[outcome.question.id];
    ++score.asked;
    score.points += outcome.points;
    score.missed = outcome.points < report::quiz_passed;
    if (!file_.empty()) {
        write();
    }
}

void QuizScores::write() {
    Json json;
    json["questions"] = Json::object();
    for (const auto& [id, score] : scores_) {
        json["questions"][id] = {{"asked", score.asked}, {"points", score.points}, {"missed", score.missed}};
    }
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), error);
    if (error) {
        note_ = say("scores are not kept: {}: {}", report::printable(file_), reason_of(error));
        return;
    }
    try {
        write_file("quiz", file_, json.dump(2) + "\n");
    } catch (const Failure& failure) {
        note_ = say("scores are not kept: {}", failure.message());
    }
}

}  // namespace flashlens::cli
