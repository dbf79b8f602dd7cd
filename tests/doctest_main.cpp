// main() of every test executable. Run by hand it runs all its tests; with FLASHLENS_TEST_TIER=quick it leaves out those
// in test suites named "full".
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
    doctest::Context context;
    const char* tier = std::getenv("FLASHLENS_TEST_TIER");
    if (tier != nullptr && std::string_view(tier) == "quick") {
        context.addFilter("test-suite-exclude", "full");
    }
    context.applyCommandLine(argc, argv);
    return context.run();
}
