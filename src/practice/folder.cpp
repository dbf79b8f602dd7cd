#include "practice/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "practice/compiler.h"
#include "practice/judge.h"
#include "reason.h"
#include "say.h"
#include "whole_file.h"

namespace flashlens::practice {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view written_by = "flashlens practice";

constexpr Bilingual readme{
    R"(# flashlens practice

One exercise per file; edit them in any order. After an edit:

    flashlens practice              judges the first exercise that has not passed yet
    flashlens practice 3            that one
    flashlens practice 3 --watch    judges it whenever you save it
    flashlens practice 3 --task     what is asked
    flashlens practice 3 --hint     a hint; each call gives one more
    flashlens practice 3 --reset    the file as it was handed out; yours is kept as NAME.cu.bak
    flashlens practice --list       what has been passed

If this folder is not ~/flashlens-practice, add --folder DIR, or set FLASHLENS_PRACTICE.

`.flashlens/include` holds the headers that the exercises include (the program writes them anew when they differ from its
own), `compile_flags.txt` is for editors with clangd. Your files are never changed.
)",
    R"(# flashlens practice

每个文件一道练习，改的顺序不限。改完之后：

    flashlens practice              判第一道还没通过的练习
    flashlens practice 3            判第 3 道
    flashlens practice 3 --watch    每次保存都判
    flashlens practice 3 --task     看题目
    flashlens practice 3 --hint     看提示，每次多给一条
    flashlens practice 3 --reset    恢复成发下来的样子；你的文件留作 NAME.cu.bak
    flashlens practice --list       哪些已经通过

如果这个目录不是 ~/flashlens-practice，请加上 --folder DIR，或设置 FLASHLENS_PRACTICE。

`.flashlens/include` 里是练习所 include 的头文件（与程序自带的不同时会重写），`compile_flags.txt` 供用 clangd 的编辑器使用。
你改过的文件不会被动。
)"};

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw Failure(say("{}: can't be made: {}", folder.string(), reason_of(error)));
    }
}

/// Nothing is written that is there already: a folder that may only be read is fine.
void write(const std::filesystem::path& file, std::string_view text) {
    if (read_whole(file) == text) {
        return;
    }
    make_folder(file.parent_path());
    if (const Message why = write_whole(file, text); !why.empty()) {
        throw Failure(say("{}: can't be written: {}", file.string(), why));
    }
}

/// What clangd is told: as judge() compiles.
std::string flags_for_editors() {
    std::string flags;
    for (const char* flag : compile_flags) {
        flags += fmt::format("{}\n", flag);
    }
    return flags + "-I.flashlens/include\n";
}

std::string file_name(const Exercise& exercise) {
    return fmt::format("{}.cu", exercise.name);
}

std::string now() {
    const std::time_t time = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// NAME.bak, or NAME.bak.2 and on where there is one.
std::filesystem::path backup_of(const std::filesystem::path& file) {
    std::filesystem::path backup = file;
    backup += ".bak";
    for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(backup)); ++number) {
        backup = file;
        backup += fmt::format(".bak.{}", number);
    }
    return backup;
}

}  // namespace

Folder::Folder(std::filesystem::path path) : path_(std::move(path)) {
    read();
}

std::filesystem::path Folder::file(const Exercise& exercise) const {
    return path_ / file_name(exercise);
}

void Folder::read() {
    records_.clear();
    std::error_code error;
    if (!std::filesystem::exists(progress_file(), error)) {
        return;
    }
    const Json json = Json::parse(read_whole(progress_file()).value_or(""), nullptr, false);
    try {
        kept_ = json.at("written_by") == written_by;
        for (const auto& [name, record] : json.at("exercises").items()) {
            records_[name] = {record.at("hints").get<int>(), record.at("passed").get<std::string>()};
        }
    } catch (const Json::exception&) {
        kept_ = false;
    }
    if (!kept_) {
        // It may be worth something to somebody: it is not replaced.
        records_.clear();
        note_ = say("{}: holds no progress that this program has written; progress is not kept until it is removed",
                    progress_file().string());
    }
}

template <class Change>
void Folder::change(const Change& change) {
    if (kept_) {
        read();  // another terminal may have written it meanwhile
    }
    change(records_);
    if (!kept_) {
        return;
    }
    Json json;
    json["written_by"] = written_by;
    json["exercises"] = Json::object();
    for (const auto& [name, record] : records_) {
        json["exercises"][name] = {{"hints", record.hints}, {"passed", record.passed}};
    }
    try {
        write(progress_file(), json.dump(2) + "\n");
    } catch (const Failure& failure) {
        kept_ = false;
        note_ = say("progress is not kept: {}", failure.message());
    }
}

void Folder::hand_out(std::string_view name, std::string_view text) {
    const std::filesystem::path file = path_ / name;
    const std::optional<std::string> before = read_whole(file);
    const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(file));
    if (before == text || !is_there || (before && before == read_whole(as_written(name)))) {
        write(file, text);
        write(as_written(name), text);
    }
}

bool Folder::prepare(Language language) {
    std::error_code error;
    const bool is_new = !std::filesystem::exists(path_, error);
    for (const EmbeddedText& header : exercise_headers()) {
        write(headers() / header.path, header.text);
    }
    for (const Exercise& exercise : exercises()) {
        hand_out(file_name(exercise), exercise.given);
    }
    hand_out("compile_flags.txt", flags_for_editors());
    hand_out("README.md", readme.in(language));
    return is_new;
}

bool Folder::as_handed_out(const Exercise& exercise) const {
    if (!std::filesystem::exists(std::filesystem::symlink_status(file(exercise)))) {
        return true;
    }
    const std::optional<std::string> text = read_whole(file(exercise));
    return text && (text == exercise.given || text == read_whole(as_written(file_name(exercise))));
}

State Folder::state(const Exercise& exercise) const {
    if (!passed_at(exercise).empty()) {
        return State::passed;
    }
    return as_handed_out(exercise) ? State::untouched : State::begun;
}

int Folder::hints(const Exercise& exercise) const {
    const auto found = records_.find(exercise.name);
    return found == records_.end() ? 0 : found->second.hints;
}

std::string_view Folder::passed_at(const Exercise& exercise) const {
    const auto found = records_.find(exercise.name);
    return found == records_.end() ? std::string_view() : found->second.passed;
}

int Folder::passed() const {
    const auto all = exercises();
    return static_cast<int>(
        std::count_if(all.begin(), all.end(), [&](const Exercise& e) { return !passed_at(e).empty(); }));
}

const Exercise* Folder::next(const Exercise* after) const {
    const auto all = exercises();
    const Exercise* first = nullptr;
    for (const Exercise& exercise : all) {
        if (!passed_at(exercise).empty() || (after != nullptr && exercise.number == after->number)) {
            continue;
        }
        if (after == nullptr || exercise.number > after->number) {
            return &exercise;
        }
        first = first == nullptr ? &exercise : first;
    }
    return first;
}

void Folder::take_hint(const Exercise& exercise) {
    change([&](Records& records) { ++records[std::string(exercise.name)].hints; });
}

void Folder::pass(const Exercise& exercise) {
    change([&](Records& records) {
        std::string& passed = records[std::string(exercise.name)].passed;
        passed = passed.empty() ? now() : passed;
    });
}

std::filesystem::path Folder::reset(const Exercise& exercise) {
    std::filesystem::path kept;
    const std::filesystem::path own = file(exercise);
    if (!as_handed_out(exercise)) {
        kept = backup_of(own);
        std::error_code error;
        std::filesystem::rename(own, kept, error);
        if (error) {
            throw Failure(say("{}: can't be renamed: {}", own.string(), reason_of(error)));
        }
    }
    try {
        write(own, exercise.given);
    } catch (const Failure&) {
        std::error_code ignored;
        if (!kept.empty()) {
            std::filesystem::rename(kept, own, ignored);
        }
        throw;
    }
    write(as_written(file_name(exercise)), exercise.given);
    change([&](Records& records) { records.erase(std::string(exercise.name)); });
    return kept;
}

}  // namespace flashlens::practice
