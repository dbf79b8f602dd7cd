// What `map` takes, and what it refuses. The explorer is a stand-in.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fake.h"
#include "files.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::run;

TEST_CASE("map: asks what explain asks, causal unless told otherwise") {
    const auto bare = run({"map"});
    CHECK(bare.code == 0);
    CHECK(bare.command == "explain");
    CHECK(bare.asked.problem.causal);
    CHECK(bare.asked.problem.seqlen_q == 512);
    CHECK(run({"map", "-s", "1024", "--causal"}).asked.problem.causal);
    CHECK_FALSE(run({"map", "--no-causal"}).asked.problem.causal);
    CHECK(run({"map", "--model", "small"}).asked.problem.causal);  // the model's own
    CHECK_FALSE(run({"map", "--model", "small", "--no-causal"}).asked.problem.causal);
    CHECK(run({"map", "--gpu", "RTX 4090", "--splits", "3"}).asked.card == "RTX 4090");
    CHECK(run({"map", "--splits", "3"}).asked.splits == 3);
    CHECK_FALSE(run({"explain"}).asked.problem.causal);
}

TEST_CASE("map: views in the order asked; CTAs and warps unless others are") {
    const std::string ctas = "S = Q K^T by CTA";
    const std::string warps = "One step of a CTA, by warp";
    const std::string lanes = "One mma.m16n8k16 of a warp";
    const std::string bare = run({"map"}).out;
    CHECK(has(bare, ctas));
    CHECK(has(bare, warps));
    CHECK_FALSE(has(bare, lanes));
    const std::string two = run({"map", "--view", "lanes,ctas"}).out;
    CHECK(two.find(lanes) < two.find(ctas));
    CHECK_FALSE(has(two, warps));
    CHECK(has(run({"map", "--view", "blocks", "--lang", "zh"}).out, "一个 CTA 与 Q、K、V、O 的各个 block"));
    CHECK(has(run({"map", "--view", "sms"}).out, "A100"));
}

TEST_CASE("map: what it refuses") {
    const auto refuses = [](const std::vector<std::string>& arguments, const std::string& because) {
        const auto result = run(arguments);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK_MESSAGE(has(result.err, because), result.err);
    };
    refuses({"map", "--view", "threads"}, "--view threads: 'threads' is none of ctas, warps, lanes, blocks, sms");
    refuses({"map", "--view", ""}, "--view");
    refuses({"map", "--view", "ctas,sms", "--svg", "x.svg"}, "a picture shows one view; try --view ctas");
    refuses({"map", "--seqlen-k", "0"}, "--seqlen-k 0");
    refuses({"map", "--batch", "0"}, "--batch 0");
    refuses({"map", "--svg", "/nowhere/x.svg"}, "--svg /nowhere/x.svg: can't be written");
    refuses({"map", "--machine", "cpu"}, "--machine: map does not take it");
    refuses({"explain", "--view", "ctas"}, "--view: explain");
}

TEST_CASE("map: a picture and JSON, in files or alone on standard output") {
    const TemporaryFolder folder;
    const std::string svg = (folder.path / "map.svg").string();
    const std::string json = (folder.path / "map.json").string();
    const auto result = run({"map", "--view", "blocks", "--svg", svg, "--json", json});
    CHECK(result.code == 0);
    CHECK(has(result.out, "who owns what"));
    CHECK(has(content(svg), "One CTA and the blocks"));
    CHECK(nlohmann::json::parse(content(json))["variants"][1].contains("blocks"));
    CHECK(run({"map", "--svg", "-"}).out.rfind("<svg ", 0) == 0);
    CHECK(nlohmann::json::parse(run({"map", "--json", "-"}).out)["variants"][0].contains("by_warp"));
}
