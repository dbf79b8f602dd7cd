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
    const Ended ended = run_program({"sh", "-c", "pwd; echo wrong >&2; exit 3"}, "/", 10.0);
    CHECK(ended.output == "/\nwrong\n");
    CHECK(ended.exit_code == 3);
    CHECK(ended.signal == 0);
    CHECK_FALSE(ended.timed_out);
}

TEST_CASE("a program that is not there is an error that names it") {
    CHECK_THROWS_WITH_AS(run_program({"/nowhere/c++"}, "/", 10.0), "/nowhere/c++: can't be started", Failure);
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
    const Ended ended = run_program({"sh", "-c", "sleep 60 & sleep 60"}, "/", 0.3);
    CHECK(ended.timed_out);
    CHECK(ended.seconds < 5.0);
}
