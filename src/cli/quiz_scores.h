// What was asked and missed before, kept in the user's state folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "message.h"
#include "report/quiz_view.h"
#include "report/terminal.h"

namespace flashlens::cli {

class QuizScores {
public:
    /// Reads $XDG_STATE_HOME/flashlens/quiz.json, or that of ~/.local/state. What stands in the way is in note().
    explicit QuizScores(const report::Surroundings& surroundings);

    /// Was it missed when it was asked last?
    bool missed(const std::string& id) const;
    bool any_missed() const;

    /// Adds what came of a question, and writes the file: also where Ctrl-C ends the program at the next one.
    void add(const report::QuizOutcome& outcome);

    /// Why scores could not be read or kept; empty where they could.
    const Message& note() const { return note_; }

private:
    struct Score {
        int asked = 0;
        double points = 0.0;
        bool missed = false;
    };

    void read();
    void write();

    std::string file_;  ///< empty: there is no place for it
    std::map<std::string, Score> scores_;
    Message note_;
};

}  // namespace flashlens::cli
