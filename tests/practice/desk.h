// Where tests judge what a learner might have written.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "files.h"
#include "practice/compiler.h"
#include "practice/exercise.h"
#include "practice/judge.h"

namespace flashlens::practice_tests {

/// A learner's folder: the headers, and a place for the file.
class Desk {
public:
    Desk() {
        for (const EmbeddedText& header : practice::exercise_headers()) {
            const std::filesystem::path file = folder_.path / "include" / header.path;
            std::filesystem::create_directories(file.parent_path());
            std::ofstream(file) << header.text;
        }
    }

    /// The learner's file, which `work` then names.
    void put(const practice::Exercise& exercise, std::string_view text, practice::Work& work) const {
        work.file = folder_.path / (std::string(exercise.name) + ".cu");
        work.headers = folder_.path / "include";
        std::ofstream(work.file) << text;
    }

    /// How to judge this text as the exercise's file.
    practice::Work work(const practice::Exercise& exercise, std::string_view text) const {
        practice::Work work;
        put(exercise, text, work);
        work.compiler = practice::host_compiler();
        return work;
    }

    practice::Verdict judge(const practice::Exercise& exercise, std::string_view text) const {
        return practice::judge(exercise, work(exercise, text)).value();
    }

private:
    tests::TemporaryFolder folder_;
};

}  // namespace flashlens::practice_tests
