// A learner's folder: the exercises to edit, the headers that they include, and what has been passed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "bilingual.h"
#include "message.h"
#include "practice/exercise.h"

namespace flashlens::practice {

enum class State { untouched, begun, passed };

class Folder {
public:
    /// Reads what has been passed; nothing is written, and the folder need not be there.
    explicit Folder(std::filesystem::path path);

    const std::filesystem::path& path() const { return path_; }
    /// The learner's file.
    std::filesystem::path file(const Exercise& exercise) const;
    std::filesystem::path headers() const { return path_ / ".flashlens/include"; }

    /// Makes the folder, or brings it up to date: exercises that are missing, headers that are not this program's own, and
    /// what it has once written and nobody has changed. What somebody has changed stays. Returns whether there was no such
    /// folder. Throws Failure.
    bool prepare(Language language);

    State state(const Exercise& exercise) const;
    /// Nobody has edited the file.
    bool as_handed_out(const Exercise& exercise) const;
    int hints(const Exercise& exercise) const;                   ///< how many were taken
    std::string_view passed_at(const Exercise& exercise) const;  ///< "2026-11-30T01:28:25Z"; empty: not yet
    int passed() const;                                          ///< how many exercises
    /// The first one that has not been passed, of those after `after` where there is one; null: all are.
    const Exercise* next(const Exercise* after = nullptr) const;

    /// These are kept at once. Where they can't be, note() says why, and they hold as long as this object.
    void take_hint(const Exercise& exercise);
    void pass(const Exercise& exercise);

    /// The file as it was handed out, nothing passed, no hint taken. Returns where the learner's own is kept; empty: there
    /// was nothing to keep. Throws Failure.
    std::filesystem::path reset(const Exercise& exercise);

    /// Why progress could not be read or kept; empty where it could.
    const Message& note() const { return note_; }

private:
    struct Record {
        int hints = 0;
        std::string passed{};  ///< when
    };
    using Records = std::map<std::string, Record, std::less<>>;

    void read();
    template <class Change>
    void change(const Change& change);
    std::filesystem::path progress_file() const { return path_ / ".flashlens/progress.json"; }
    std::filesystem::path as_written(std::string_view name) const { return path_ / ".flashlens/written" / name; }
    void hand_out(std::string_view name, std::string_view text);

    std::filesystem::path path_;
    Records records_;
    bool kept_ = true;  ///< false: there is a file in the way that this program has not written
    Message note_;
};

}  // namespace flashlens::practice
