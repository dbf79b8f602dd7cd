// What `practice` and its --watch do with an exercise: find it, judge it, gather what is shown of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "practice/exercise.h"
#include "practice/folder.h"
#include "practice/judge.h"
#include "practice/verdict.h"
#include "report/practice_view.h"

namespace flashlens::cli {

class PracticeWork {
public:
    /// Throws UsageError, or Failure, when there is no place for the folder.
    explicit PracticeWork(const Context& context);

    practice::Folder& folder() { return folder_; }
    const practice::Folder& folder() const { return folder_; }

    /// Makes the folder where it is not there, and says so.
    void prepare();

    /// By its number, its name, a part of it that no other has, or its file. Throws UsageError.
    static const practice::Exercise& find(const std::string& word);

    /// What is there to compile with. Throws Failure, and UsageError where the exercise can't run on the machine asked for.
    void check_machine(const practice::Exercise& exercise);
    bool on_gpu() const { return machine_ == practice::Machine::gpu; }

    /// Judges the learner's file, on the CPU machine and, where that is asked for, then on a GPU; keeps that it has passed.
    /// Nothing: `stop` said so.
    std::optional<practice::Verdict> judge(const practice::Exercise& exercise, const std::function<bool()>& stop = {});

    report::PracticePage page(const practice::Exercise& exercise) const;
    report::PracticeProgress progress(const practice::Exercise* after = nullptr) const;
    std::string command(const practice::Exercise& exercise) const;

    /// Says why progress was not kept, once.
    void tell_note();

private:
    std::optional<practice::Verdict> judge_on(practice::Machine machine, const practice::Exercise& exercise,
                                              const std::function<bool()>& stop) const;

    const Context& context_;
    practice::Folder folder_;
    practice::Machine machine_;
    bool told_ = false;
};

/// --watch: judges whenever the file is saved. Returns the exit code.
int watch(const Context& context, PracticeWork& work, const practice::Exercise& exercise);

}  // namespace flashlens::cli
