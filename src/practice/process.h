// Other processes: a compiler, and a learner's code, which may do anything.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace flashlens::practice {

// Both end with this program, and before their time where `stop`, which is asked some times a second, says so.

/// As long as it lives, what would end this program from outside (Ctrl-C, a closed terminal, kill) ends the processes
/// below only, as given up, and is done to this program afterwards: what it has on disk for the time being can go first.
/// One at a time.
class HeldSignals {
public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
};

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
/// Its messages are in English (LC_ALL=C), and its temporary files in `temporary` (TMPDIR), where whoever stops it can
/// remove them. Throws Failure where it can't be started.
Ended run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  const std::filesystem::path& temporary, double seconds, const std::function<bool()>& stop = {});

/// Runs `what` in a copy of this process; output is what it returned, and what it prints goes to the file `printed`, up to
/// 16 MiB: what comes after is lost. Only this thread is copied: call it where no other one runs. Throws Failure where it
/// can't be started.
Ended run_apart(const std::function<std::string()>& what, const std::filesystem::path& printed, double seconds,
                const std::function<bool()>& stop = {});

}  // namespace flashlens::practice
