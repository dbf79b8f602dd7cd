#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/ranges.h"
#include "usage_error.h"

using namespace flashlens;
using namespace flashlens::cli;
using tests::english_word_in;
using tests::holds_chinese;

namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr Bounds sizes{0, 2147483647, 1024};
constexpr std::uint64_t most = 10'000;

Numbers read(const std::string& text, const Bounds& bounds = sizes) {
    return number_list("--seqlen", text, bounds, most);
}

std::string error(const std::string& text, const Bounds& bounds = sizes) {
    try {
        read(text, bounds);
    } catch (const UsageError& refused) {
        CAPTURE(refused.message().zh);
        CHECK(holds_chinese(refused.message().zh));
        CHECK(english_word_in(refused.message().zh) == "");
        return refused.what();
    }
    return "";
}

}  // namespace

TEST_CASE("numbers, lists, ranges and mixtures of them") {
    CHECK(read("7") == Numbers{7});
    CHECK(read("1,8,32") == Numbers{1, 8, 32});
    CHECK(read("32,1") == Numbers{32, 1});
    CHECK(read("1, 8") == Numbers{1, 8});
    CHECK(read("3:6") == Numbers{3, 4, 5, 6});
    CHECK(read("5:5") == Numbers{5});
    CHECK(read("64:256:64") == Numbers{64, 128, 192, 256});
    CHECK(read("64:256:+64") == Numbers{64, 128, 192, 256});
    CHECK(read("1:10:4") == Numbers{1, 5, 9});
    CHECK(read("512:16384:x2") == Numbers{512, 1024, 2048, 4096, 8192, 16384});
    CHECK(read("512:10000:x2") == Numbers{512, 1024, 2048, 4096, 8192});
    CHECK(read("100:1000:x1.5") == Numbers{100, 150, 225, 338, 506, 759});
    CHECK(read("1,4:6,16:64:x2") == Numbers{1, 4, 5, 6, 16, 32, 64});
    CHECK(read("0:3") == Numbers{0, 1, 2, 3});
}

TEST_CASE("a number that is there twice is taken once, at its first place") {
    CHECK(read("1:4,2:8:x2,1") == Numbers{1, 2, 3, 4, 8});

    CHECK(read("1:4:x1.3") == Numbers{1, 2, 3, 4});
}

TEST_CASE("the ends of what numbers can be") {
    CHECK(read("2147483646:2147483647") == Numbers{2147483646, 2147483647});
    CHECK(read("1073741824:2147483647:x2") == Numbers{1073741824});
    constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
    const Bounds seeds{0, top, 1};
    CHECK(read("18446744073709551614:18446744073709551615", seeds) == Numbers{top - 1, top});
    CHECK(read("9223372036854775808:18446744073709551615:x2", seeds) == Numbers{9223372036854775808U});
    CHECK(error("0:18446744073709551615", seeds).find("would be over 2^63 values") != std::string::npos);
    CHECK(error("0:18446744073709551615,5", seeds).find("over 2^63") != std::string::npos);
}

TEST_CASE("errors name the option, the value, the item and what would work") {
    struct Bad {
        std::string text;
        std::vector<std::string> fragments;
    };
    for (const Bad& bad : std::vector<Bad>{
             {"12abc", {"--seqlen 12abc: not a whole number", "try --seqlen 1024", "1024:4096:x2"}},
             {"", {"--seqlen '': not a whole number"}},
             {"1,x,8", {"--seqlen 1,x,8: 'x': not a whole number"}},
             {"1,,8", {"--seqlen 1,,8: ''"}},
             {"1,", {"--seqlen 1,: ''"}},
             {"-1", {"--seqlen -1: not a whole number"}},
             {"1:-4", {"'-4' is not a whole number"}},
             {"99999999999999999999", {"at most 2147483647"}},
             {"1:99999999999", {"at most 2147483647"}},
             {"8:4", {"--seqlen 8:4: a range goes upwards; try --seqlen 4:8"}},
             {"8:4:x2", {"try --seqlen 4:8:x2"}},
             {"1,8:4", {"'8:4': a range goes upwards"}},
             {"4:8:0", {"'0' is no step"}},
             {"4:8:+", {"'+' is no step"}},
             {"4:8:", {"'' is no step"}},
             {"4:8:-1", {"'-1' is no step"}},
             {"4:8:x", {"'x' is no factor"}},
             {"4:8:x1", {"'x1' is no factor", "above 1"}},
             {"4:8:x0.5", {"'x0.5' is no factor"}},
             {"4:8:xinf", {"'xinf' is no factor"}},
             {"4:8:xnan", {"'xnan' is no factor"}},
             {"4:8:x2y", {"'x2y' is no factor"}},
             {"0:8:x2", {"0 times a factor stays 0; try --seqlen 0,1:8:x2"}},
             {"1:2:3:4", {"first:last:+step"}},
             {":8", {"'' is not a whole number"}},
             {"8:", {"'' is not a whole number"}},
             {"1:20000", {"--seqlen 1:20000: would be 20,000 values", "at most 10,000"}},
             {"1:2147483647", {"would be 2,147,483,647 values"}},
             {"1:9000,1:9000", {"would be 18,000 values"}},
             {"1:2147483647:x1.0000001", {"values, and a sweep has at most 10,000"}},
             {"1\x1b:2", {"1?:2"}},
         }) {
        CAPTURE(bad.text);
        const std::string message = error(bad.text);
        CAPTURE(message);
        for (const std::string& fragment : bad.fragments) {
            CAPTURE(fragment);
            CHECK(message.find(fragment) != std::string::npos);
        }
        CHECK(message.find('\x1b') == std::string::npos);
    }
    CHECK(error("0", {1, 65535, 4}).find("at least 1") != std::string::npos);
}

TEST_CASE("lists of words") {
    using Words = std::vector<std::string>;
    CHECK(comma_list("A100, RTX 4090 ,H100") == Words{"A100", "RTX 4090", "H100"});
    CHECK(comma_list("") == Words{""});
    CHECK(comma_list(" , ") == Words{"", ""});
}
