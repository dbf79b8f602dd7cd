// Other processes: a compiler, and a learner's code, which may do anything.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace flashlens::practice {

// Both end with this program, and before their time where `stop`, which is asked some times a second, says so.

/// How a process ended, and what it wrote.
struct Ended {
    std::string output{};
    int exit_code = 0;
    int signal = 0;          ///< that ended it; 0: it ended by itself
    bool timed_out = false;  ///< it was stopped: it took longer than it was given
    bool given_up = false;   ///< it was stopped: nobody waits for it any more
    double seconds = 0.0;
};

/// Runs a program (found on PATH unless it has a slash) in `folder`; output is what it wrote to standard output and error.
/// Its messages are in English (LC_ALL=C). Throws Failure where it can't be started.
Ended run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder, double seconds,
                  const std::function<bool()>& stop = {});

/// Runs `what` in a copy of this process, which ends with this one; output is what it returned, and what it prints goes to
/// the file `printed`. Only this thread is copied: call it where no other one runs.
Ended run_apart(const std::function<std::string()>& what, const std::filesystem::path& printed, double seconds,
                const std::function<bool()>& stop = {});

}  // namespace flashlens::practice
