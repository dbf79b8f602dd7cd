// Without a card there is nothing to test: exit code 77, which ctest shows as skipped.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu/gpu.h"

namespace {

struct NeedsCard : doctest::IReporter {
    explicit NeedsCard(const doctest::ContextOptions&) {}
    void test_run_start() override {
        flashlens::Message why;
        if (!flashlens::gpu::device(&why)) {
            std::printf("skipped: %s\n", why.en.c_str());
            std::fflush(stdout);
            std::_Exit(77);
        }
    }
    void report_query(const doctest::QueryData&) override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("needs_card", 0, NeedsCard);

}  // namespace
