// main() of every test executable. Run by hand it runs all its tests; with FLASHLENS_TEST_TIER=quick it leaves out those
// in test suites named "full". Running no test at all is a failure.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

unsigned tests_run = 0;
bool only_a_query = false;

struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override { only_a_query = true; }
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override { tests_run = stats.numTestCasesPassingFilters; }
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
REGISTER_LISTENER("counter", 1, Counter);

}  // namespace

int main(int argc, char** argv) {
    doctest::Context context;
    const char* tier = std::getenv("FLASHLENS_TEST_TIER");
    if (tier != nullptr && std::string_view(tier) == "quick") {
        context.addFilter("test-suite-exclude", "full");
    }
    context.applyCommandLine(argc, argv);
    const int result = context.run();
    if (context.shouldExit() || only_a_query || tests_run > 0) {
        return result;
    }
    std::fputs("no test matches: nothing ran\n", stderr);
    return EXIT_FAILURE;
}
