#include "practice/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
#include <string_view>
#include <utility>

#include "practice/two_languages.h"
#include "reason.h"

namespace flashlens::practice {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int could_not_start = 127;  // as a shell has it
constexpr double stop_asked_every = 0.1;
constexpr rlim_t most_printed = 16U << 20;  // bytes: a loop that prints would fill the disk before its time is up

constexpr std::array ending{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
std::array<struct sigaction, ending.size()> actions_before;
volatile std::sig_atomic_t held_signal = 0;  // 0: none came

extern "C" void hold_signal(int signal) {
    held_signal = signal;
}

struct Descriptor {
    int number;
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor() { close(number); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

[[noreturn]] void fail(std::string_view what) {
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
    bool stopped = false;
    const auto stop_when_due = [&] {
        ended.given_up = held_signal != 0 || (stop && stop());
        ended.timed_out = !ended.given_up && passed() >= seconds;
        stopped = ended.given_up || ended.timed_out;
        if (stopped) {
            kill(-pid, SIGKILL);
        }
    };
    for (bool open = true; open;) {
        stop_when_due();
        if (stopped) {
            break;
        }
        pollfd readable{ends[0], POLLIN, 0};
        const double wait = std::min(seconds - passed(), stop_asked_every);
        if (poll(&readable, 1, std::max(static_cast<int>(wait * 1000.0), 0) + 1) <= 0) {
            continue;  // nothing yet, or a signal came
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
    while (waitpid(pid, &status, stopped ? 0 : WNOHANG) != pid) {  // it may have closed the pipe and gone on
        if (!stopped) {
            stop_when_due();
            usleep(200);
        }
    }
    ended.seconds = passed();
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return ended;
}

}  // namespace

HeldSignals::HeldSignals() {
    held_signal = 0;
    struct sigaction action {};
    action.sa_handler = hold_signal;
    for (std::size_t i = 0; i < ending.size(); ++i) {
        sigaction(ending[i], nullptr, &actions_before[i]);
        if (actions_before[i].sa_handler != SIG_IGN) {
            sigaction(ending[i], &action, nullptr);
        }
    }
}

HeldSignals::~HeldSignals() {
    for (std::size_t i = 0; i < ending.size(); ++i) {
        sigaction(ending[i], &actions_before[i], nullptr);
    }
    if (const int signal = std::exchange(held_signal, 0); signal != 0) {
        raise(signal);
    }
}

Ended run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  const std::filesystem::path& temporary, double seconds, const std::function<bool()>& stop) {
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    Ended ended = fork_and_listen(seconds, stop, [&](int output) {
        if (chdir(folder.c_str()) != 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0) {
            return;
        }
        const int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        setenv("LC_ALL", "C", 1);
        setenv("TMPDIR", temporary.c_str(), 1);
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
    const Descriptor file{open(printed.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    if (file.number < 0) {
        fail(printed.string());
    }
    const auto child = [&](int output) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (dup2(file.number, STDOUT_FILENO) < 0 || dup2(file.number, STDERR_FILENO) < 0 ||
            dup2(nothing, STDIN_FILENO) < 0) {
            return;
        }
        // Whatever this process made of them: there is no terminal to give back here, and a crash is one.
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
            std::signal(signal, SIG_DFL);
        }
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        const rlimit printed_bytes{most_printed, most_printed};
        setrlimit(RLIMIT_FSIZE, &printed_bytes);
        std::signal(SIGXFSZ, SIG_IGN);  // writing fails, and the code goes on
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
    };
    return fork_and_listen(seconds, stop, child);
}

}  // namespace flashlens::practice
