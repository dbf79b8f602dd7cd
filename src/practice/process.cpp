#include "practice/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "practice/two_languages.h"
#include "reason.h"

namespace flashlens::practice {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int could_not_start = 127;  // as a shell has it
constexpr double stop_asked_every = 0.1;

[[noreturn]] void fail(const char* what) {
    throw Failure(both({"{}: {}", "{}：{}"}, what, reason_of_errno()));
}

/// Forks; the child runs `child`, which gets the descriptor to write to and does not return.
template <class Child>
Ended fork_and_listen(double seconds, const std::function<bool()>& stop, const Child& child) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail("pipe2");
    }
    std::fflush(nullptr);  // else the child would write it once more
    const Clock::time_point start = Clock::now();
    const pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        fail("fork");
    }
    if (pid == 0) {
        setpgid(0, 0);  // what it starts ends with it
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        child(ends[1]);
        _exit(could_not_start);
    }
    setpgid(pid, pid);  // whichever of the two comes first
    close(ends[1]);

    Ended ended;
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    for (bool open = true; open;) {
        const double left = seconds - passed();
        ended.given_up = stop && stop();
        if (left <= 0.0 || ended.given_up) {
            ended.timed_out = !ended.given_up;
            kill(-pid, SIGKILL);
            break;
        }
        pollfd readable{ends[0], POLLIN, 0};
        const double wait = stop ? std::min(left, stop_asked_every) : left;
        if (poll(&readable, 1, static_cast<int>(wait * 1000.0) + 1) <= 0) {
            continue;  // time is up, or a signal came
        }
        std::array<char, 4096> some{};
        const ssize_t count = read(ends[0], some.data(), some.size());
        if (count > 0) {
            ended.output.append(some.data(), static_cast<std::size_t>(count));
        } else {
            open = count < 0 && errno == EINTR;
        }
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(pid, &status, ended.timed_out ? 0 : WNOHANG) != pid) {  // it may have closed the pipe and gone on
        if (!ended.timed_out && passed() > seconds) {
            ended.timed_out = true;
            kill(-pid, SIGKILL);
        }
        usleep(200);
    }
    ended.seconds = passed();
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return ended;
}

}  // namespace

Ended run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder, double seconds,
                  const std::function<bool()>& stop) {
    std::vector<char*> words;
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    const Ended ended = fork_and_listen(seconds, stop, [&](int output) {
        if (chdir(folder.c_str()) != 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0) {
            return;
        }
        const int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        setenv("LC_ALL", "C", 1);
        std::signal(SIGPIPE, SIG_DFL);
        execvp(words.front(), words.data());
    });
    if (ended.exit_code == could_not_start) {
        throw Failure(both({"{}: can't be started", "{}：无法启动"}, arguments.front()));
    }
    return ended;
}

Ended run_apart(const std::function<std::string()>& what, const std::filesystem::path& printed, double seconds,
                const std::function<bool()>& stop) {
    return fork_and_listen(seconds, stop, [&](int output) {
        const int file = open(printed.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        const int nothing = open("/dev/null", O_RDONLY);
        if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0 ||
            dup2(nothing, STDIN_FILENO) < 0) {
            return;
        }
        for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
            std::signal(crash, SIG_DFL);  // whatever this process made of them
        }
        std::string text;
        try {
            text = what();
        } catch (...) {
            std::abort();
        }
        std::fflush(nullptr);  // _exit would forget what it has printed
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t count = write(output, text.data() + done, text.size() - done);
            if (count <= 0) {
                _exit(could_not_start);
            }
            done += static_cast<std::size_t>(count);
        }
        _exit(0);
    });
}

}  // namespace flashlens::practice
