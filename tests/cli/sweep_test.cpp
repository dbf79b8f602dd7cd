// flashlens sweep in-process, on an explorer that plans for real and has made-up times where a card is asked for.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chinese.h"
#include "fake.h"
#include "files.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::tests;
using cli::fake::run;
using cli::fake::World;

namespace {

using Words = std::vector<std::string>;

/// `sweep` with these options, as JSON.
nlohmann::json sweep_json(Words options, const World& world = {}) {
    options.insert(options.begin(), {"sweep", "--json", "-"});
    const auto result = run(options, world);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("the product of all lists, in the order of the command line, the last option fastest") {
    const auto parsed = sweep_json({"--heads", "1,8", "-s", "64:256:x2", "-b", "3"});
    CHECK(parsed["options"][0]["name"] == "heads");
    CHECK(parsed["options"][1]["name"] == "seqlen");
    REQUIRE(parsed["points"].size() == 6);
    const int heads[] = {1, 1, 1, 8, 8, 8};
    const int lengths[] = {64, 128, 256, 64, 128, 256};
    for (int i = 0; i < 6; ++i) {
        const auto& problem = parsed["points"][static_cast<std::size_t>(i)]["problem"];
        CHECK(problem["heads"] == heads[i]);
        CHECK(problem["kv_heads"] == heads[i]);  // follows --heads
        CHECK(problem["seqlen_q"] == lengths[i]);
        CHECK(problem["seqlen_k"] == lengths[i]);
        CHECK(problem["batch"] == 3);
    }
    const auto other = sweep_json({"-s", "64,128", "--heads", "1,8"});
    CHECK(other["options"][0]["name"] == "seqlen");
    CHECK(other["points"][1]["problem"]["heads"] == 8);
}

TEST_CASE("words, cards, models, masks and scales are swept too") {
    const auto dtypes = sweep_json({"--dtype", "bf16,fp16"});
    CHECK(dtypes["points"][0]["problem"]["dtype"] == "bf16");
    CHECK(dtypes["points"][1]["problem"]["dtype"] == "fp16");
    const auto cards = sweep_json({"--gpu", "A100, RTX 4090"});
    CHECK(cards["points"][1]["gpu"] == "RTX 4090");
    CHECK(cards["cards"].size() == 2);
    const auto masks = sweep_json({"--no-causal", "--causal", "--align", "top-left,bottom-right"});
    REQUIRE(masks["points"].size() == 4);
    CHECK(masks["options"][0]["name"] == "mask");
    CHECK(masks["points"][0]["problem"]["causal"] == false);
    CHECK(masks["points"][2]["problem"]["causal"] == true);
    CHECK(masks["points"][2]["problem"]["align"] == "top-left");
    const auto scales = sweep_json({"--scale", "0.5,0.25"});
    CHECK(scales["points"][1]["problem"]["scale"] == 0.25);
    const auto seeds = sweep_json({"--seed", "0:2"});
    CHECK(seeds["points"][2]["problem"]["seed"] == 2);
    const auto splits = sweep_json({"--splits", "1:4"});
    CHECK(splits["points"][3]["variants"][0]["splits"] == 4);
    const auto models = sweep_json({"--model", "small,large", "-s", "64"});
    CHECK(models["points"][0]["problem"]["heads"] == 32);
    CHECK(models["points"][1]["problem"]["heads"] == 64);
    CHECK(models["points"][1]["problem"]["seqlen_q"] == 64);
}

TEST_CASE("bad sweeps: exit code 2, one line, nothing on standard output") {
    struct Bad {
        Words options;
        Words fragments;
    };
    for (const Bad& bad : std::vector<Bad>{
             {{}, {"sweep: no option has a list", "try flashlens sweep --seqlen 512:8192:x2"}},
             {{"--seqlen", "512"}, {"no option has a list"}},
             {{"--seqlen", "512:x"}, {"--seqlen 512:x", "'x' is not a whole number"}},
             {{"--seqlen", "1:264", "--heads", "1:264"},
              {"--seqlen (264) x --heads (264) would be 69,696 points", "at most 10,000"}},
             {{"--splits", "0:4"}, {"--splits 0:4", "at least 1"}},
             {{"--splits", "1:65536"}, {"--splits 1:65536", "at most 65535"}},
             {{"--dtype", "fp16,fp32"}, {"--dtype fp16,fp32", "fp16, bf16"}},
             {{"--dtype", "fp16,fp16"}, {"twice"}},
             {{"--gpu", "A100,H900"}, {"--gpu", "H900"}},
             {{"--gpu", "A100,A100 40GB"}, {"--gpu A100,A100 40GB", "twice"}},
             {{"--gpu", "A100,"}, {"--gpu A100,", "missing"}},
             {{"--model", "small,huge"}, {"--model small,huge", "small, large"}},
             {{"--scale", "0.1:0.5"}, {"--scale 0.1:0.5", "list the values"}},
             {{"--scale", "0.1,-1"}, {"--scale -1", "greater than zero"}},
             {{"--seqlen", "64,128", "--chart", "pie"}, {"--chart pie", "sm-fill", "none"}},
             {{"--seqlen", "64,128", "--chart", "speedup"},
              {"--chart speedup", "only a card has times (this build has no CUDA)", "global-read"}},
             {{"--seqlen", "64,128", "--chart", "time", "--gpu", "A100"}, {"--gpu plans"}},
             {{"--seqlen", "64,128", "--chart", "time", "--machine", "cpu"}, {"--machine cpu"}},
             {{"--seqlen", "64,128", "--chart", "none", "--svg", "x.svg"}, {"--chart none with --svg"}},
             {{"--seqlen", "64,128", "--count", "maybe"}, {"--count maybe", "auto, on, off"}},
             {{"--seqlen", "64,128", "--count", "off", "--chart", "barriers"}, {"--count off", "--chart barriers"}},
             {{"--seqlen", "64,128", "--csv", "-", "--json", "-"}, {"--json - with --csv -"}},
             {{"--seqlen", "64,128", "--csv", "x", "--svg", "x"}, {"--csv x with --svg x", "two files"}},
             {{"--seqlen", "64,128", "--csv", "/no/such/folder/x"}, {"--csv /no/such/folder/x", "No such file"}},
             {{"--seqlen", "64,128", "--svg", ""}, {"--svg ''"}},
             {{"--head-dim", "41,43"}, {"none of the 2 points can run", "--head-dim 41"}},
             {{"--seqlen", "64,128", "--variants", "v2", "--splits", "4"}, {"--splits 4: only v1"}},
             {{"--seqlen", "64,128", "--variants", "v9"}, {"--variants v9"}},
             {{"--seqlen", "64,128", "--machine", "tpu"}, {"--machine tpu"}},
             {{"--seqlen", "64,128", "--verify", "off"}, {"--verify: sweep does not take it"}},
             {{"--seqlen", "64,128", "--input", "d"}, {"--input: sweep does not take it"}},
             {{"--seqlen", "64,128", "--variants", "v2", "--chart", "splits"}, {"--chart splits: no point", "sm-fill"}},
         }) {
        Words arguments = bad.options;
        arguments.insert(arguments.begin(), "sweep");
        const auto result = run(arguments);
        std::string line;
        for (const std::string& argument : arguments) {
            line += argument + " ";
        }
        CAPTURE(line);
        CAPTURE(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK(result.err.rfind("flashlens: ", 0) == 0);
        CHECK(result.err.find('\n') == result.err.size() - 1);
        for (const std::string& fragment : bad.fragments) {
            CAPTURE(fragment);
            CHECK(has(result.err, fragment));
        }
        check_told_in_chinese(arguments, result);
    }
    for (const char* option : {"--csv", "--svg", "--chart", "--count"}) {
        const auto result = run({option, "x"});
        CHECK(result.code == 2);
        CHECK(has(result.err, std::string(option) + ": compare does not take it; leave it out, or use it with "));
        CHECK(has(result.err, "sweep"));
    }
}

TEST_CASE("a point that can't be asked is a row that says why") {
    const auto result = run({"sweep", "--heads", "1,3,8", "--kv-heads", "2,4", "--batch", "1"});
    CHECK(result.code == 0);
    CHECK(has(result.out, "[1] --heads 1 --kv-heads 2: 1 query heads can't share 2 KV heads evenly"));
    const auto parsed = sweep_json({"--head-dim", "64,256,46"});
    CHECK(parsed["points"][0]["reason"] == "");
    CHECK(parsed["points"][1]["variants"][0]["runs"] == false);
    CHECK(parsed["points"][1]["variants"][1]["runs"] == true);
    CHECK(has(parsed["points"][2]["reason"].get<std::string>(), "--head-dim 46"));
}

TEST_CASE("without a card: plans, counts, and a chart of the SM fill") {
    const auto result = run({"sweep", "-s", "64:256:x2"});
    CHECK(result.code == 0);
    for (const char* words : {"3 points: seqlen (3 values)", "SM fill", "SM fill over seqlen", "not in this machine",
                              "counted by the CPU"}) {
        CAPTURE(words);
        CHECK(has(result.out, words));
    }
    CHECK_FALSE(has(result.out, "TFLOP/s"));
    CHECK_FALSE(has(run({"sweep", "-s", "64:256:x2", "--chart", "none"}).out, "over seqlen"));
    CHECK_FALSE(has(run({"sweep", "-s", "64:256:x2", "--count", "off"}).out, "counted"));
    CHECK(has(run({"sweep", "-s", "64:256:x2", "--chart", "barriers"}).out, "barriers over seqlen"));
}

TEST_CASE("with a card: times, rates, ratios, and a chart of the speed-up") {
    World world;
    world.has_card = true;
    const auto result = run({"sweep", "-s", "64:256:x2"}, world);
    CHECK(result.code == 0);
    for (const char* words : {"speed-up over seqlen", "TFLOP/s", "2.00x", "measured on the card"}) {
        CAPTURE(words);
        CHECK(has(result.out, words));
    }
    const auto parsed = sweep_json({"-s", "64:256:x2"}, world);
    CHECK(parsed["points"][2]["machine"] == "gpu");
    CHECK(parsed["points"][2]["variants"][0]["time_us"] == 256.0);
    CHECK(parsed["points"][2]["variants"][1]["speedup"] == 2.0);
    CHECK(has(run({"sweep", "-s", "64:256:x2", "--chart", "tflops"}, world).out, "TFLOP/s over seqlen"));
}

TEST_CASE("a point that fails on the card: its reason, everything else, and exit code 1") {
    World world;
    world.has_card = true;
    world.failing_seqlen = 128;
    const auto result = run({"sweep", "-s", "64:256:x2"}, world);
    CHECK(result.code == 1);
    CHECK(has(result.out, "[1] the card ran out of memory"));
    CHECK(has(result.out, "256 us"));
    world.failing_seqlen = 64;
    const auto all = run({"sweep", "-s", "64", "--batch", "1,2"}, world);
    CHECK(all.code == 1);
    CHECK(all.out.empty());
    CHECK(all.err == "flashlens: the card ran out of memory\n");
}

TEST_CASE("files: each whole, and what is on standard output is alone there") {
    const TemporaryFolder folder;
    const std::string csv = (folder.path / "a.csv").string();
    const std::string json = (folder.path / "a.json").string();
    const std::string svg = (folder.path / "a.svg").string();
    const auto result = run({"sweep", "-s", "64,128", "--csv", csv, "--json", json, "--svg", svg});
    CHECK(result.code == 0);
    CHECK(has(result.out, "SM fill"));
    CHECK(content(csv).rfind("seqlen,batch,", 0) == 0);
    CHECK(nlohmann::json::parse(content(json))["points"].size() == 2);
    CHECK(content(svg).rfind("<svg ", 0) == 0);
    CHECK(run({"sweep", "-s", "64,128", "--csv", "-"}).out == content(csv));
    CHECK(run({"sweep", "-s", "64,128", "--svg", "-"}).out == content(svg));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 3);
    CHECK(has(run({"sweep", "-s", "64,128", "--svg", "-", "--lang", "zh"}).out, "SM 占用"));
}

TEST_CASE("both languages, colour on a terminal alone, progress that leaves no trace") {
    World world;
    world.variables = {{"LANG", "zh_CN.UTF-8"}, {"TERM", "xterm"}};
    CHECK(has(run({"sweep", "-s", "64,128"}, world).out, "共 2 个点"));
    CHECK_FALSE(has(run({"sweep", "-s", "64,128"}, world).out, "\x1b"));
    world.terminal = true;
    CHECK(has(run({"sweep", "-s", "64,128"}, world).out, "\x1b[36m"));
    CHECK_FALSE(has(run({"sweep", "-s", "64,128", "--no-color"}, world).out, "\x1b"));
    world.variables["NO_COLOR"] = "1";
    CHECK_FALSE(has(run({"sweep", "-s", "64,128"}, world).out, "\x1b"));
}

TEST_CASE("completion knows sweep") {
    for (const char* shell : {"bash", "zsh"}) {
        const std::string script = run({"completion", shell}).out;
        for (const char* word : {"sweep", "--chart", "global-read", "--svg", "auto on off"}) {
            CAPTURE(word);
            CHECK(has(script, word));
        }
    }
}
