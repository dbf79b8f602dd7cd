#include "practice/process.h"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <thread>

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

TEST_CASE("what runs apart may crash, end the process or not end at all") {
    CHECK(run_apart([] { return std::string(100000, 'x'); }, 10.0).output == std::string(100000, 'x'));
    CHECK(run_apart([]() -> std::string { std::abort(); }, 10.0).signal == SIGABRT);
    CHECK(run_apart([]() -> std::string { std::_Exit(5); }, 10.0).exit_code == 5);
    const Ended endless = run_apart(
        []() -> std::string {
            for (;;) {
                std::this_thread::sleep_for(std::chrono::seconds(1));
            }
        },
        0.3);
    CHECK(endless.timed_out);
    CHECK(endless.seconds < 5.0);
}

TEST_CASE("what a stopped program had started is stopped, too") {
    const Ended ended = run_program({"sh", "-c", "sleep 60 & sleep 60"}, "/", 0.3);
    CHECK(ended.timed_out);
    CHECK(ended.seconds < 5.0);
}
