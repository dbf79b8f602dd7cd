#include <doctest/doctest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/walk_request.h"
#include "explorer/npy.h"
#include "fake.h"
#include "files.h"
#include "report/walk_number.h"
#include "report/walk_view.h"
#include "report/width.h"
#include "text.h"
#include "usage_error.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::World;
using nlohmann::json;

namespace {

fake::Result walk(std::vector<std::string> arguments, const World& world = {}) {
    arguments.insert(arguments.begin(), "walk");
    return fake::run(arguments, world);
}

json walked(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const fake::Result result = walk(std::move(arguments));
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    return json::parse(result.out);
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

void write_inputs(const std::filesystem::path& folder, std::vector<std::int64_t> q_shape,
                  std::vector<std::int64_t> k_shape, double value = 0.5) {
    const auto size = [](const std::vector<std::int64_t>& s) { return s[0] * s[1] * s[2] * s[3]; };
    std::vector<double> q(size(q_shape), value);
    std::vector<double> k(size(k_shape), 0.25);
    write_npy(folder / "q.npy", q_shape, std::span<const double>(q));
    write_npy(folder / "k.npy", k_shape, std::span<const double>(k));
    write_npy(folder / "v.npy", k_shape, std::span<const double>(k));
}

}  // namespace

TEST_CASE("walk in a pipe prints every page: both orders, their results, what differed") {
    const fake::Result result = walk({});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    for (int step = 1; step <= 6; ++step) {
        CHECK(count(result.out, "v1, step " + std::to_string(step) + " of 6") == 1);
    }
    for (int step = 1; step <= 10; ++step) {
        CHECK(count(result.out, "v2, step " + std::to_string(step) + " of 10") == 1);
    }
    CHECK(count(result.out, "gives the softmax over all keys") == 2);
    CHECK(count(result.out, "One result, two orders") == 1);
    CHECK_FALSE(has(result.out, "\x1b"));
    CHECK(walk({"--all"}).out == result.out);
    CHECK_FALSE(has(walk({"--order", "v1"}).out, "v2"));
    CHECK_FALSE(has(walk({"--order", "v2"}).out, "v1,"));
    CHECK_FALSE(has(walk({"--order", "v2"}).out, "One result, two orders"));
}

TEST_CASE("walk: what a reader adds up by hand from the page is right") {
    const std::string out = walk({"--scores", "0 5", "--v", "1; 0"}).out;
    CHECK(has(out, "exp(       0 -   5.0000) =   0.0067"));
    CHECK(has(out, "0.0066929"));
    CHECK(has(walk({}).out, "reads   K 16 + V 16 + Q 16 + o_tmp 32 + lse 8 = 88 bytes; so far 152"));
    CHECK(has(walk({}).out, "reads   Q 16 bytes; so far 64; K, V still in registers"));
    CHECK(has(walk({"--order", "v2"}).out, "device memory in all: 224 bytes read, 48 bytes written"));
}

TEST_CASE("walk --json holds every step, and its sums are the last totals") {
    const json all = walked({"--causal", "--seqlen-q", "5", "--seqlen-k", "7", "--seed", "3"});
    CHECK(all["problem"]["seqlen_q"] == 5);
    CHECK(all["problem"]["block_m"] == 2);
    CHECK(all["q"].size() == 5);
    CHECK(all["v"].size() == 7);
    CHECK(all["scores"].is_null());
    REQUIRE(all["walks"].size() == 2);
    for (const json& order : all["walks"]) {
        std::int64_t read = 0;
        std::int64_t written = 0;
        for (const json& step : order["steps"]) {
            std::int64_t bytes = 0;
            for (const json& transfer : step["transfers"]) {
                bytes += transfer["bytes"].get<std::int64_t>();
            }
            CHECK(bytes == step["read_bytes"].get<std::int64_t>() + step["written_bytes"].get<std::int64_t>());
            read += step["read_bytes"].get<std::int64_t>();
            written += step["written_bytes"].get<std::int64_t>();
            CHECK(step["read_bytes_so_far"] == read);
            CHECK(step["written_bytes_so_far"] == written);
            CHECK(step["rows"].size() == step["row_count"]);
            for (const json& row : step["rows"]) {
                if (step["kind"] == "pass" || step["kind"] == "block") {
                    CHECK(row["s"].size() == step["key_count"]);
                    double sum = 0.0;
                    for (const json& p : row["p"]) {
                        sum += p.get<double>();
                    }
                    CHECK(row["row_sum"].get<double>() == doctest::Approx(sum));
                }
            }
        }
        CHECK(order["read_bytes"] == read);
        CHECK(order["written_bytes"] == written);
        CHECK(order["verdict"] == "pass");
        for (std::size_t i = 0; i < 5; ++i) {
            for (std::size_t d = 0; d < 4; ++d) {
                CHECK(order["o"][i][d].get<double>() ==
                      doctest::Approx(all["reference"]["o"][i][d].get<double>()).epsilon(1e-12));
            }
        }
    }
    CHECK(walked({"--scores", "-inf -inf; 0 1"})["reference"]["lse"][0] == "-inf");
}

TEST_CASE("walk takes typed numbers, whole or in part") {
    const json typed = walked({"--q", "1 0; 0,2", "--k", "1 1;2 2;", "--v", "+1 0 ; 0 1e0", "--scale", "1"});
    CHECK(typed["q"] == json{{1.0, 0.0}, {0.0, 2.0}});
    CHECK(typed["k"] == json{{1.0, 1.0}, {2.0, 2.0}});
    CHECK(typed["problem"]["block_n"] == 1);
    CHECK(typed["walks"][0]["steps"][0]["rows"][1]["s"] == json{2.0});
    // a score of 2 and one of 4
    const double p = 1.0 / (1.0 + std::exp(2.0));
    CHECK(typed["walks"][0]["o"][1][0].get<double>() == doctest::Approx(p));
    CHECK(typed["walks"][1]["o"][1][1].get<double>() == doctest::Approx(1.0 - p));
    const json part = walked({"--v", "1; 2; 3", "--seqlen-q", "2"});
    CHECK(part["q"].size() == 2);
    CHECK(part["k"].size() == 3);
    CHECK(part["k"][0].size() == 1);
    // what the kernels would get: 0.1 in fp16
    CHECK(walked({"--v", "0.1; 1"})["v"][0][0] == 0.0999755859375);
    const json scores = walked({"--scores", "-1 2 -inf; 3 -inf -4", "--causal", "--align", "top-left"});
    CHECK(scores["v"] == json{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}});
    CHECK(scores["walks"][0]["o"][0] == json{1.0, 0.0, 0.0});
    CHECK(scores["walks"][1]["o"][1] == json{1.0, 0.0, 0.0});
    CHECK(scores["walks"][0]["steps"][0]["rows"][0]["visible"] == json{true, false});
}

TEST_CASE("walk --input") {
    const TemporaryFolder folder;
    write_inputs(folder.path, {1, 3, 1, 2}, {1, 5, 1, 2});
    const json read = walked({"--input", folder.path.string()});
    CHECK(read["q"] == json{{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}});
    CHECK(read["walks"][1]["o"][2][1].get<double>() == doctest::Approx(0.25));
    const auto refused = [&](std::initializer_list<const char*> parts, std::vector<std::string> more = {}) {
        more.insert(more.end(), {"--input", folder.path.string()});
        const fake::Result result = walk(more);
        CAPTURE(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        for (const char* part : parts) {
            CHECK(has(result.err, part));
        }
        more.insert(more.begin(), "walk");
        check_told_in_chinese(more, result);
    };
    refused({"--input with --seqlen", "leave --seqlen out"}, {"--seqlen", "3"});
    refused({"--input with --q"}, {"--q", "1"});
    write_inputs(folder.path, {1, 17, 1, 2}, {1, 5, 1, 2});
    refused({"17 queries", "16"});
    write_inputs(folder.path, {1, 3, 1, 9}, {1, 5, 1, 9});
    refused({"9 columns", "8"});
    write_inputs(folder.path, {1, 3, 2, 2}, {1, 5, 1, 2});
    refused({"heads 2", "(1, seqlen, 1, dim)"});
    write_inputs(folder.path, {1, 3, 1, 2}, {1, 5, 1, 2}, 1e6);
    refused({"infinite in fp16"});
}

TEST_CASE("walk: bad usage names the option, the value and what would work") {
    struct Case {
        std::vector<std::string> arguments;
        std::vector<std::string> parts;
    };
    const std::vector<Case> cases = {
        {{"--order", "v3"}, {"--order v3", "both, v1, v2"}},
        {{"--seqlen", "17"}, {"--seqlen 17", "16", "screen", "try --seqlen"}},
        {{"--seqlen-k", "4096"}, {"--seqlen-k 4096", "16"}},
        {{"--seqlen", "0"}, {"--seqlen 0", "at least 1"}},
        {{"-d", "9"}, {"--head-dim 9", "8", "try --head-dim 4"}},
        {{"--block-m", "0"}, {"--block-m 0", "at least 1"}},
        {{"--block-n", "9"}, {"--block-n 9", "8"}},
        {{"--block-n", "two"}, {"--block-n two", "not a whole number"}},
        {{"--rows", "4"}, {"--rows 4", "0 to 3", "try --rows 0:3"}},
        {{"--rows", "a"}, {"--rows a", "not a whole number"}},
        {{"--rows", "3:1"}, {"--rows 3:1", "upwards"}},
        {{"--rows", ""}, {"--rows ''"}},
        {{"--scale", "0"}, {"--scale 0", "greater than zero"}},
        {{"--scale", "1e30"}, {"--scale", "scaled score", "smaller --scale"}},
        {{"--q", "300 300", "--k", "1000 1000; 1 1"}, {"--q, --k", "query 0", "key 0", "99999"}},
        {{"--q", ""}, {"--q ''", "no numbers"}},
        {{"--q", "1 2; 3"}, {"--q 1 2; 3", "row 1 has 1", "row 0 has 2"}},
        {{"--q", "1 2;; 3 4"}, {"a row without numbers"}},
        {{"--v", "1 x"}, {"--v 1 x", "'x' is not a number"}},
        {{"--v", "1 2px"}, {"'2px' is not a number"}},
        {{"--v", "nan"}, {"'nan'", "finite"}},
        {{"--v", "-inf"}, {"'-inf'", "65504"}},
        {{"--v", "70000"}, {"'70000'", "65504"}},
        {{"--v", "1e400"}, {"'1e400'", "65504"}},
        {{"--scores", "inf 0"}, {"'inf'", "-inf is a masked key"}},
        {{"--q", "1 2", "--k", "1 2 3"}, {"--q with --k", "--q has 2", "--k 3", "columns"}},
        {{"--k", "1; 2", "--v", "1; 2; 3"}, {"--k with --v", "rows"}},
        {{"--q", "1 2", "--seqlen-q", "3"}, {"--q with --seqlen-q", "--q has 1", "--seqlen-q 3"}},
        {{"--q", "1 2", "-d", "4"}, {"--q with --head-dim"}},
        {{"--scores", "1 2", "--q", "1"}, {"--scores with --q", "leave --q out"}},
        {{"--scores", "1 2", "--scale", "2"}, {"--scores with --scale"}},
        {{"--scores", "1 2", "--v", "1; 2; 3"}, {"--scores with --v", "keys"}},
        {{"--scores", "1 2 3 4 5 6 7 8 9"}, {"--scores", "--v"}},
        {{"--q", "1", "--k", "1", "--v", "1", "--seed", "3"}, {"--seed with --q, --k and --v", "leave --seed out"}},
        {{"--causal", "--no-causal"}, {"contradict"}},
        {{"--heads", "2"}, {"--heads: walk does not take it"}},
        {{"--json", "/no/such/folder/x.json"}, {"--json /no/such/folder/x.json"}},
    };
    for (const Case& wrong : cases) {
        const fake::Result result = walk(wrong.arguments);
        CAPTURE(result.err);
        CAPTURE(wrong.arguments.front());
        CAPTURE(wrong.arguments.back());
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK(count(result.err, "\n") == 1);
        for (const std::string& part : wrong.parts) {
            CAPTURE(part);
            CHECK(has(result.err, part));
        }
        std::vector<std::string> all{"walk"};
        all.insert(all.end(), wrong.arguments.begin(), wrong.arguments.end());
        check_told_in_chinese(all, result);
    }
    CHECK(has(fake::run({"compare", "--rows", "1"}).err, "use it with walk"));
}

TEST_CASE("walk --rows shows the others in a line") {
    const std::string out = walk({"--order", "v2", "--rows", "0,2:3"}).out;
    CHECK(has(out, "query 0, sees keys 0..5"));
    CHECK_FALSE(has(out, "query 1, sees keys"));
    CHECK(count(out, "query 1:  m ") == 5);
    CHECK(has(out, "query 3, sees keys 0..5"));
}

TEST_CASE("walk: no line is wider than the terminal, in either language, and numbers stay whole") {
    const std::vector<std::vector<std::string>> problems = {
        {},
        {"--causal", "--seqlen-q", "6", "--seqlen-k", "3"},
        {"-s", "16", "-d", "8", "--block-m", "8", "--block-n", "8"},
        {"--scores", "1 2 -inf; -inf -inf -inf", "--v", "-60000; 7000; 1e-6"},
    };
    for (const std::vector<std::string>& problem : problems) {
        for (const char* language : {"en", "zh"}) {
            for (const int columns : {40, 60, 80, 100, 120, 200}) {
                World world;
                world.variables = {{"COLUMNS", std::to_string(columns)}, {"LANG", "C.UTF-8"}, {"TERM", "xterm"}};
                world.terminal = true;
                std::vector<std::string> arguments = problem;
                arguments.insert(arguments.end(), {"--all", "--lang", language, "--no-color"});
                const fake::Result result = walk(arguments, world);
                REQUIRE(result.code == 0);
                std::istringstream lines(result.out);
                for (std::string line; std::getline(lines, line);) {
                    CAPTURE(columns);
                    CAPTURE(line);
                    CHECK(report::display_width(line) <= columns);
                }
            }
        }
    }
}

TEST_CASE("walk: a step of the default problem fits a screen of 24 lines, with all detail one of 34") {
    for (const bool causal : {false, true}) {
        for (const char* language : {"en", "zh"}) {
            for (const int columns : {80, 120}) {
                Given given;
                if (causal) {
                    given.options = {{"--causal", ""}, {"--seqlen-q", "5"}, {"--seqlen-k", "5"}};  // 3 query blocks
                }
                const report::Language in = *report::find_language(language);
                const report::WalkShow show = to_walk(given, in);
                for (const bool colour : {false, true}) {
                    const report::Terminal terminal{columns, true, colour, true};
                    for (std::size_t page = 0; page < report::walk_pages(show); ++page) {
                        CAPTURE(page);
                        CAPTURE(columns);
                        // the last line shows the keys
                        const std::string small = report::walk_page(show, page, in, terminal, 23);
                        const std::string large = report::walk_page(show, page, in, terminal, 33);
                        CHECK(count(small, "\n") <= 23);
                        CHECK(count(large, "\n") <= 33);
                        if (has(large, "P = exp(S")) {
                            CHECK(has(large, "P V   "));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("walk: what each line means stands beside it on 120 columns, and has room there") {
    for (const report::Language language : {report::Language::en, report::Language::zh}) {
        for (auto i = static_cast<std::size_t>(report::Text::walk_why_scores);
             i <= static_cast<std::size_t>(report::Text::walk_why_finish_o); ++i) {
            const std::string_view comment = report::text(language, static_cast<report::Text>(i));
            CAPTURE(comment);
            CHECK(report::display_width(comment) <= 120 - 79);
        }
    }
    const report::WalkShow show = to_walk(Given{}, report::Language::en);
    const auto page = [&](int columns) {
        return report::walk_page(show, 3, report::Language::en, {columns, true, false, true}, 33);
    };
    CHECK(count(page(120), "rises: the sums so far used a smaller m") == 1);
    CHECK(count(page(120), "read back from o_tmp") == 1);
    CHECK_FALSE(has(page(80), "rises"));
}

TEST_CASE("walk: what changed is bold where there is colour, and has a mark where there is none") {
    const report::WalkShow show = to_walk(Given{}, report::Language::en);
    const std::string plain = report::walk_page(show, 3, report::Language::en, {80, true, false, true});
    const std::string colour = report::walk_page(show, 3, report::Language::en, {80, true, true, true});
    CHECK(has(plain, "* m = max"));    // query 0: raised
    CHECK(has(plain, "\n  m = max"));  // query 1: kept
    CHECK(has(plain, "* O = (w"));
    CHECK_FALSE(has(colour, "* "));
    CHECK(has(colour, "= \x1b[1m  1.5875\x1b[0m"));
    CHECK(has(colour, "max(  0.8898,   0.1145) =   0.8898\n"));
}

TEST_CASE("a walk's numbers take eight columns") {
    const auto shown = [](double value) { return report::walk_number(value); };
    CHECK(shown(0.0) == "0");
    CHECK(shown(-0.0) == "0");
    CHECK(shown(1.0) == "1.0000");
    CHECK(shown(-12.34567) == "-12.3457");
    CHECK(shown(-99.99996) == "-100.000");
    CHECK(shown(99999.0) == "99999.00");
    CHECK(shown(-65504.0) == "-65504.0");
    CHECK(shown(0.0067) == "0.0067");
    CHECK(shown(0.00012) == "1.2e-04");
    CHECK(shown(-1.25e-120) == "-1e-120");
    CHECK(shown(-INFINITY) == "-inf");
    for (int exponent = -300; exponent < 300; ++exponent) {
        const double value = 3.7 * std::pow(10.0, exponent);
        CHECK(shown(value).size() <= 8);
        CHECK(shown(-value).size() <= 8);
        CHECK(std::stod(shown(value)) == doctest::Approx(value).epsilon(0.6));
    }
}
