#include "practice/process.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "files.h"
#include "message.h"

using namespace flashlens;
using namespace flashlens::practice;

TEST_CASE("a program's output and exit code come back") {
    const Ended ended = run_program({"sh", "-c", "pwd; echo $TMPDIR >&2; exit 3"}, "/", "/tmp", 10.0);
    CHECK(ended.output == "/\n/tmp\n");
    CHECK(ended.exit_code == 3);
    CHECK(ended.signal == 0);
    CHECK_FALSE(ended.timed_out);
}

TEST_CASE("a program that is not there is an error that names it") {
    CHECK_THROWS_WITH_AS(run_program({"/nowhere/c++"}, "/", "/tmp", 10.0), "/nowhere/c++: can't be started", Failure);
}

TEST_CASE("what runs apart may crash, end the process or not end at all, and what it prints is kept") {
    const tests::TemporaryFolder folder;
    const auto apart = [&](const std::function<std::string()>& what, double seconds = 10.0) {
        return run_apart(what, folder.path / "printed", seconds);
    };
    CHECK(apart([] { return std::string(100000, 'x'); }).output == std::string(100000, 'x'));
    CHECK(apart([]() -> std::string { std::abort(); }).signal == SIGABRT);
    CHECK(apart([]() -> std::string { std::_Exit(5); }).exit_code == 5);
    const auto endless = []() -> std::string {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    };
    const Ended stopped = apart(endless, 0.3);
    CHECK(stopped.timed_out);
    CHECK(stopped.seconds < 5.0);
    const Ended silent = apart(
        [&] {
            for (int descriptor = 3; descriptor < 64; ++descriptor) {
                close(descriptor);
            }
            return endless();
        },
        0.3);
    CHECK(silent.timed_out);
    CHECK(silent.seconds < 5.0);

    apart([] {
        std::printf("seen\n");
        return std::string();
    });
    CHECK(tests::content(folder.path / "printed") == "seen\n");
}

TEST_CASE("what a stopped program had started is stopped, too") {
    const Ended ended = run_program({"sh", "-c", "sleep 60 & sleep 60"}, "/", "/tmp", 0.3);
    CHECK(ended.timed_out);
    CHECK(ended.seconds < 5.0);
}

TEST_CASE("what prints without end fills no disk, and is stopped when its time is up") {
    const tests::TemporaryFolder folder;
    const Ended ended = run_apart(
        []() -> std::string {
            for (const std::string line(1 << 16, 'x');;) {
                std::fputs(line.c_str(), stdout);
            }
        },
        folder.path / "printed", 1.0);
    CHECK(ended.timed_out);
    CHECK(std::filesystem::file_size(folder.path / "printed") == 16U << 20);
}

TEST_CASE("what can't be printed anywhere is not started") {
    CHECK_THROWS_WITH_AS(run_apart([] { return std::string(); }, "/nowhere/printed", 1.0),
                         "/nowhere/printed: No such file or directory", Failure);
}

namespace {

volatile std::sig_atomic_t interrupts = 0;

}  // namespace

TEST_CASE("Ctrl-C ends what runs, then comes to this program") {
    struct sigaction counting {};
    struct sigaction before {};
    counting.sa_handler = [](int) { interrupts = interrupts + 1; };
    sigaction(SIGINT, &counting, &before);
    {
        const HeldSignals held;
        const auto interrupt = [] {
            raise(SIGINT);
            return false;
        };
        const Ended ended = run_program({"sleep", "60"}, "/", "/tmp", 60.0, interrupt);
        CHECK(ended.given_up);
        CHECK(ended.signal == SIGKILL);
        CHECK(ended.seconds < 5.0);
        CHECK(interrupts == 0);
    }
    CHECK(interrupts == 1);
    { const HeldSignals nothing_came; }
    CHECK(interrupts == 1);
    // Who asked that it be ignored (nohup) is not ended by it either.
    std::signal(SIGINT, SIG_IGN);
    {
        const HeldSignals held;
        const Ended ended = run_program({"true"}, "/", "/tmp", 60.0, [] { return raise(SIGINT) != 0; });
        CHECK_FALSE(ended.given_up);
    }
    sigaction(SIGINT, &before, nullptr);
}
