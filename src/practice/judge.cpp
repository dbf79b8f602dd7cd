#include "practice/judge.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "practice/attempt.h"
#include "practice/compiler.h"
#include "practice/process.h"
#include "practice/two_languages.h"
#include "reason.h"
#include "whole_file.h"

namespace flashlens::practice {
namespace {

using Json = nlohmann::json;

constexpr double compiler_seconds = 300.0;

/// A folder that is gone when this object is.
class TemporaryFolder {
public:
    TemporaryFolder() {
        const char* given = std::getenv("TMPDIR");
        const std::filesystem::path parent = given == nullptr || *given == '\0' ? "/tmp" : given;
        std::string name = (std::filesystem::absolute(parent) / "flashlens-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw Failure(both({"{}: no folder for temporary files can be made there: {}; TMPDIR names another place",
                                "{}：无法在此创建临时目录：{}；可用 TMPDIR 指定别处"},
                               parent.string(), reason_of_errno()));
        }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

Json to_json(const Message& message) {
    return {message.en, message.zh};
}
Message message_from(const Json& json) {
    return {json.at(0).get<std::string>(), json.at(1).get<std::string>()};
}

Json to_json(const std::vector<Message>& messages) {
    Json json = Json::array();
    for (const Message& message : messages) {
        json.push_back(to_json(message));
    }
    return json;
}
std::vector<Message> messages_from(const Json& json) {
    std::vector<Message> messages;
    for (const Json& message : json) {
        messages.push_back(message_from(message));
    }
    return messages;
}

/// In the child: everything that the check found, as text.
std::string checked(const Exercise& exercise, const std::filesystem::path& library, Machine machine) {
    Json json;
    std::optional<Attempt> attempt;
    try {
        exercise.check(attempt.emplace(library, machine));
    } catch (const Finding& finding) {
        json["finding"] = {
            {"id", finding.id}, {"what", to_json(finding.what)}, {"evidence", to_json(finding.evidence)}};
    } catch (const Failure& failure) {
        json["failure"] = to_json(failure.message());
    } catch (const std::exception& error) {
        json["finding"] = {{"id", "exception"},
                           {"what", to_json(both({"Your code threw an exception: {}", "你的代码抛出了异常：{}"},
                                                 std::string(error.what())))},
                           {"evidence", Json::array()}};
    }
    json["held"] = attempt ? to_json(attempt->what_held()) : Json::array();
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Of a check that did not end by itself.
Finding finding_of(const Ended& ended, double seconds_allowed) {
    if (ended.timed_out) {
        return {
            "does-not-end",
            both({"It had not finished after {:.0f} s: a loop that does not end, most likely one whose counter does "
                  "not move towards its bound.",
                  "{:.0f} 秒后仍未结束：很可能有一个循环停不下来，计数器没有朝着边界移动。"},
                 seconds_allowed)};
    }
    if (ended.signal == SIGFPE) {
        return {"division-by-zero",
                both({"It divided an integer by zero, and was stopped.", "整数除以零，程序被终止。"}),
                {both({"an integer division rounds down: a / b is 0 where a is smaller than b",
                       "整数除法向下取整：a 小于 b 时 a / b 就是 0"})}};
    }
    if (ended.signal == SIGABRT) {
        return {"aborted",
                both({"It was aborted: by an assert that does not hold, an exception that is not a std::exception, or "
                      "because memory was damaged by writing outside an array.",
                      "程序被中止（abort）：某个 assert 不成立，抛出了不是 std::exception "
                      "的异常，或数组越界写坏了内存。"})};
    }
    const char* name = strsignal(ended.signal);
    return {"crash",
            both({"It crashed ({}): most likely an index outside an array in registers or local memory, which the CPU "
                  "machine does not check, or a null pointer.",
                  "程序崩溃（{}）：很可能是寄存器或局部数组下标越界（CPU 模拟机不检查这类访问），或空指针。"},
                 std::string(name == nullptr ? "?" : name))};
}

/// The last lines of what was printed, of which somebody may want to see a screen or two.
std::string end_of(std::string text) {
    constexpr std::size_t most = 8000;  // bytes
    if (text.size() > most) {
        text.erase(0, text.size() - most);
        text.erase(0, text.find('\n') + 1);  // a line that is longer than all of this stays as it is
    }
    return text;
}

/// Does a compiler speak of a place in the code, "file:12:5: error: "? Else it is itself what failed: a full disk, no
/// assembler.
bool names_a_place(std::string_view compiler_output) {
    for (const std::string_view error : {": error: ", ": fatal error: "}) {
        for (std::size_t at = compiler_output.find(error); at != std::string_view::npos;
             at = compiler_output.find(error, at + 1)) {
            if (at > 0 && compiler_output[at - 1] >= '0' && compiler_output[at - 1] <= '9') {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::optional<Verdict> judge(const Exercise& exercise, const Work& work) {
    const HeldSignals until_the_folder_is_gone;
    const TemporaryFolder temporary;
    const std::filesystem::path library = temporary.path() / "exercise.so";
    Verdict verdict;
    const Ended compiled =
        run_program(compile_command(work, library), std::filesystem::absolute(work.file).parent_path(),
                    temporary.path(), compiler_seconds, work.stop);
    if (compiled.given_up) {
        return std::nullopt;
    }
    verdict.compile_seconds = compiled.seconds;
    verdict.compiler_output = compiled.output;
    if (compiled.timed_out) {
        throw Failure(
            both({"{}: had not finished after {:.0f} s", "{}：{:.0f} 秒后仍未结束"}, work.compiler, compiler_seconds));
    }
    if (compiled.exit_code != 0 || compiled.signal != 0) {
        // (nvcc's linker and assembler name no places, whatever they find.)
        if (work.machine == Machine::cpu && !names_a_place(compiled.output)) {
            const std::string said = compiled.output.substr(0, compiled.output.find_last_not_of('\n') + 1);
            throw Failure(both({"{}: failed, not because of your code: {}", "{}：失败了，与你的代码无关：{}"},
                               work.compiler, said));
        }
        verdict.kind = Verdict::Kind::does_not_compile;
        return verdict;
    }
    const std::filesystem::path printed = temporary.path() / "printed";
    const Ended ran =
        run_apart([&] { return checked(exercise, library, work.machine); }, printed, work.seconds_allowed, work.stop);
    if (ran.given_up) {
        return std::nullopt;
    }
    verdict.run_seconds = ran.seconds;
    verdict.printed = end_of(read_whole(printed).value_or(""));
    if (ran.timed_out || ran.signal != 0) {
        verdict.finding = finding_of(ran, work.seconds_allowed);
        return verdict;
    }
    const Json json = Json::parse(ran.output, nullptr, false);
    if (!json.is_object()) {
        // It called exit(), or wrote where our own data is.
        verdict.finding = {"exit", both({"It ended the whole program (exit code {}) instead of returning.",
                                         "它直接结束了整个程序（退出码 {}），而没有返回。"},
                                        ran.exit_code)};
        return verdict;
    }
    if (json.contains("failure")) {
        throw Failure(message_from(json.at("failure")));
    }
    verdict.held = messages_from(json.at("held"));
    if (!json.contains("finding")) {
        verdict.kind = Verdict::Kind::pass;
        return verdict;
    }
    const Json& finding = json.at("finding");
    verdict.finding = {finding.at("id").get<std::string>(), message_from(finding.at("what")),
                       messages_from(finding.at("evidence"))};
    return verdict;
}

}  // namespace flashlens::practice
