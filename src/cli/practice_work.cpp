#include "cli/practice_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/shell_word.h"
#include "cli/strict.h"
#include "practice/compiler.h"
#include "report/width.h"
#include "say.h"
#include "usage_error.h"
#include "whole_file.h"

namespace flashlens::cli {
namespace {

using practice::Exercise;

/// --folder, else $FLASHLENS_PRACTICE, else ~/flashlens-practice.
std::filesystem::path folder_of(const Context& context) {
    const auto refuse_file = [](const std::string& name, const std::string& folder) {
        throw UsageError(say("{} {}: is no folder; name one, which is made when it is not there", name,
                             folder.empty() ? "''" : report::printable(folder)));
    };
    const auto no_folder = [](const std::string& folder) {
        std::error_code error;
        return folder.empty() ||
               (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error));
    };
    std::string folder(context.given.text("--folder"));
    const std::string variable = context.surroundings.variable("FLASHLENS_PRACTICE").value_or("");
    if (context.given.has("--folder")) {
        if (no_folder(folder)) {
            refuse_file("--folder", folder);
        }
    } else if (!variable.empty()) {
        folder = variable;
        if (no_folder(folder)) {
            refuse_file("FLASHLENS_PRACTICE", folder);
        }
    } else {
        const std::string home = context.surroundings.variable("HOME").value_or("");
        if (!home.starts_with('/')) {
            throw Failure(say("there is no place for the exercises, as HOME names no folder; --folder DIR names one"));
        }
        folder = home + "/flashlens-practice";
        if (no_folder(folder)) {
            throw Failure(say("{}: is no folder; --folder DIR names another place", report::printable(folder)));
        }
    }
    return std::filesystem::absolute(folder).lexically_normal();
}

practice::Machine machine_of(const Given& given) {
    const bool gpu = given.has("--machine") && choice("--machine", given.text("--machine"), {"cpu", "gpu"}) == 1;
    return gpu ? practice::Machine::gpu : practice::Machine::cpu;
}

/// A line on standard error while it is compiled and tried, where there is a terminal for it.
class Busy {
public:
    explicit Busy(const Context& context) : context_(context) {
        if (context.show_progress) {
            const Message what = say("compiling and trying ...");
            context.err << report::wrap(what.in(context.language), context.terminal.columns - 1).front() << std::flush;
        }
    }
    ~Busy() {
        if (context_.show_progress) {
            context_.err << "\r\x1b[K" << std::flush;
        }
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    const Context& context_;
};

}  // namespace

std::vector<std::string> exercise_names() {
    std::vector<std::string> names;
    for (const Exercise& exercise : practice::exercises()) {
        names.emplace_back(exercise.name);
    }
    return names;
}

PracticeWork::PracticeWork(const Context& context)
    : context_(context), folder_(folder_of(context)), machine_(machine_of(context.given)) {}

void PracticeWork::prepare() {
    if (folder_.prepare(context_.language)) {
        const Message made = say("made {}: {} exercises to edit, and README.md",
                                 report::printable(folder_.path().string()), practice::exercises().size());
        context_.err << "flashlens: " << made.in(context_.language) << "\n";
    }
}

const Exercise& PracticeWork::find(const std::string& word) {
    const auto all = practice::exercises();
    std::string name = word.substr(word.rfind('/') + 1);  // a file's name, too: shells complete it
    if (name.ends_with(".cu")) {
        name.resize(name.size() - 3);
    }
    if (only_digits(name)) {
        constexpr std::size_t most_digits = 6;
        const std::size_t significant = std::min(name.find_first_not_of('0'), name.size());
        const int number = name.size() - significant > most_digits ? -1 : std::stoi("0" + name.substr(significant));
        const auto found = std::find_if(all.begin(), all.end(), [&](const Exercise& e) { return e.number == number; });
        if (found == all.end()) {
            throw UsageError(
                say("practice {}: there is no such exercise; flashlens practice --list shows which there are",
                    report::printable(word)));
        }
        return *found;
    }
    std::vector<const Exercise*> meant;
    std::vector<std::string_view> names;
    for (const Exercise& exercise : all) {
        if (exercise.name == name) {
            return exercise;
        }
        if (!name.empty() && exercise.name.find(name) != std::string_view::npos) {
            meant.push_back(&exercise);
            names.push_back(exercise.name);
        }
    }
    if (meant.empty()) {
        throw UsageError(say("practice {}: there is no such exercise; flashlens practice --list shows which there are",
                             word.empty() ? "''" : report::printable(word)));
    }
    if (meant.size() > 1) {
        throw UsageError(say("practice {}: may be {}; name one", report::printable(word), one_of(names)));
    }
    return *meant.front();
}

void PracticeWork::check_machine(const Exercise& exercise) {
    if (on_gpu() && !exercise.runs_on_gpu) {
        throw UsageError(
            say("--machine gpu: {} has no kernel, its code runs on the host; leave the option out", exercise.name));
    }
    practice::host_compiler();
    if (on_gpu()) {
        practice::cuda_compiler();
    }
}

std::optional<practice::Verdict> PracticeWork::judge(const Exercise& exercise, const std::function<bool()>& stop) {
    const std::optional<Busy> busy = stop ? std::nullopt : std::make_optional<Busy>(context_);
    // The CPU machine counts, and finds races: what passes there may go on to a GPU.
    std::optional<practice::Verdict> verdict = judge_on(practice::Machine::cpu, exercise, stop);
    const auto passed = [&] { return verdict && verdict->kind == practice::Verdict::Kind::pass; };
    if (on_gpu() && passed()) {
        practice::Verdict on_cpu = std::move(*verdict);
        verdict = judge_on(practice::Machine::gpu, exercise, stop);
        if (verdict) {
            verdict->held.insert(verdict->held.begin(), say("everything that the CPU machine asks"));
            verdict->compile_seconds += on_cpu.compile_seconds;
            verdict->run_seconds += on_cpu.run_seconds;
        }
    }
    if (passed()) {
        folder_.pass(exercise);
    }
    return verdict;
}

std::optional<practice::Verdict> PracticeWork::judge_on(practice::Machine machine, const Exercise& exercise,
                                                        const std::function<bool()>& stop) const {
    practice::Work work;
    work.file = folder_.file(exercise);
    work.headers = folder_.headers();
    work.machine = machine;
    work.compiler = machine == practice::Machine::gpu ? practice::cuda_compiler() : practice::host_compiler();
    work.stop = stop;
    return practice::judge(exercise, work);
}

std::string PracticeWork::command(const Exercise& exercise) const {
    std::string command = fmt::format("flashlens practice {}", exercise.number);
    if (context_.given.has("--folder")) {
        command += " --folder " + report::printable(shell_word(std::string(context_.given.text("--folder"))));
    }
    if (context_.given.has("--lang")) {
        command += fmt::format(" --lang {}", context_.given.text("--lang"));
    }
    return command;
}

report::PracticePage PracticeWork::page(const Exercise& exercise) const {
    report::PracticePage page;
    page.exercise = &exercise;
    page.statement = practice::statement(exercise, context_.language);
    page.state = folder_.state(exercise);
    page.file = folder_.file(exercise).string();
    page.code = read_whole(folder_.file(exercise)).value_or("");
    page.command = command(exercise);
    page.hints_taken =
        std::min(static_cast<std::size_t>(std::max(folder_.hints(exercise), 0)), page.statement.hints.size());
    return page;
}

report::PracticeProgress PracticeWork::progress(const Exercise* after) const {
    report::PracticeProgress progress;
    progress.passed = folder_.passed();
    progress.all = static_cast<int>(practice::exercises().size());
    if (const Exercise* next = folder_.next(after)) {
        progress.next = fmt::format("{}. {}", next->number, practice::statement(*next, context_.language).title);
        progress.next_command = command(*next);
    }
    return progress;
}

void PracticeWork::tell_note() {
    if (!folder_.note().empty() && !told_) {
        context_.err << "flashlens: " << folder_.note().in(context_.language) << "\n";
        told_ = true;
    }
}

}  // namespace flashlens::cli
