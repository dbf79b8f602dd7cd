// What `ladder` takes. The explorer is a stand-in with v1 and v2 for rungs; what it refuses stands in options_test.cpp.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "cli/quiz_figure.h"
#include "fake.h"
#include "files.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::run;
using fake::World;

TEST_CASE("ladder: asks what compare asks, of all rungs") {
    const auto bare = run({"ladder"});
    CHECK(bare.code == 0);
    CHECK(bare.command == "compare");
    CHECK(bare.asked.variants == std::vector<std::string>{"v1", "v2"});
    CHECK(bare.asked.problem.seqlen_q == 512);
    CHECK_FALSE(bare.asked.problem.causal);
    const auto asked = run({"ladder", "-s", "64", "--causal", "--dtype", "bf16", "--gpu", "H100", "--splits", "3",
                            "--verify", "full", "--tuned", "--machine", "cpu"});
    CHECK(asked.asked.variants == std::vector<std::string>{"v1", "v2", "v2-tuned"});
    CHECK(asked.asked.problem.causal);
    CHECK(asked.asked.card == "H100");
    CHECK(asked.asked.splits == 3);
    CHECK(asked.asked.verify == Verify::full);
    CHECK(asked.asked.machine == MachineChoice::cpu);
    CHECK(has(asked.out, "3 v2-tuned"));
}

TEST_CASE("compare names the ladder of its own question") {
    World real;
    real.real_explorer = true;
    std::vector<std::string> question{
        "compare",    "--batch",  "1",      "-H",       "4",        "--kv-heads", "2",        "--seqlen-q", "40",
        "--seqlen-k", "48",       "-d",     "32",       "--causal", "--align",    "top-left", "--dtype",    "bf16",
        "--scale",    "0.5",      "--seed", "7",        "--dist",   "uniform",    "--gpu",    "RTX 4090",   "--machine",
        "cpu",        "--splits", "3",      "--verify", "off",      "--variants", "v2,v1",    "--no-color"};
    const auto asked = run(question);
    question.insert(question.end(), {"--json", "-"});
    const auto answer = nlohmann::json::parse(run(question, real).out);
    std::string command;
    for (const auto& sentence : answer["why"]) {
        const bool names = !sentence["command"].is_null();
        command = names ? sentence["command"].get<std::string>() : command;
        CHECK(has(sentence["text"].get<std::string>(), "flashlens") == names);
    }
    CHECK(command ==
          "flashlens ladder -b 1 -H 4 --kv-heads 2 --seqlen-q 40 --seqlen-k 48 -d 32 --causal --align top-left --dtype "
          "bf16 --scale 0.5 --seed 7 --dist uniform --gpu 'RTX 4090' --machine cpu --splits 3 --verify off");
    const auto again = run(words_of_command(command));
    CHECK(again.code == 0);
    CHECK(again.command == "compare");  // what the ladder asks of the explorer
    const Problem& p = asked.asked.problem;
    const Problem& q = again.asked.problem;
    CHECK(std::tie(p.batch, p.heads, p.kv_heads, p.seqlen_q, p.seqlen_k, p.head_dim, p.causal, p.align, p.dtype,
                   p.scale, p.seed, p.dist) == std::tie(q.batch, q.heads, q.kv_heads, q.seqlen_q, q.seqlen_k,
                                                        q.head_dim, q.causal, q.align, q.dtype, q.scale, q.seed,
                                                        q.dist));
    CHECK(again.asked.card == asked.asked.card);
    CHECK(again.asked.splits == asked.asked.splits);
    CHECK(again.asked.machine == asked.asked.machine);
    CHECK(again.asked.verify == asked.asked.verify);
    CHECK(p.kv_heads == 2);

    const auto page = run({"compare", "-b", "1", "-H", "1", "-s", "40", "--gpu", "A100", "--machine", "cpu"}, real);
    CHECK(has(page.out, "\n  flashlens ladder -b 1 -H 1 -s 40 --gpu A100 --machine cpu "));  // whole, to be copied
}

TEST_CASE("ladder: a wrong rung is told, and is no step") {
    World world;
    world.verdict = Verdict::fail;
    const auto wrong = run({"ladder", "--tuned"}, world);
    CHECK(wrong.code == 3);
    CHECK(has(wrong.out, "v2 FAIL: O(0, 0, 0, 0) is NaN"));
    const auto json = nlohmann::json::parse(run({"ladder", "--tuned", "--json", "-"}, world).out);
    CHECK(json["rungs"].size() == 3);
    REQUIRE(json["steps"].size() == 1);
    CHECK(json["steps"][0]["from"] == "v1");
    CHECK(json["steps"][0]["to"] == "v2-tuned");
    CHECK(run({"ladder", "--orders"}, world).code == 3);
}

TEST_CASE("ladder: files, or one of them alone on standard output") {
    const TemporaryFolder folder;
    const auto file = [&](const char* name) { return (folder.path / name).string(); };
    const auto result =
        run({"ladder", "--by", "sm-fill", "--svg", file("l.svg"), "--json", file("l.json"), "--csv", file("l.csv")});
    CHECK(result.code == 0);
    CHECK(has(result.out, "by SM fill (share of the SMs that get work): more is better"));
    CHECK(has(content(file("l.svg")), "by SM fill"));
    CHECK(nlohmann::json::parse(content(file("l.json")))["steps"].size() == 1);
    CHECK(lines(content(file("l.csv"))).size() == 3);
    CHECK(run({"ladder", "--by", "waves"}).code == 2);  // neither more nor fewer are better
    CHECK(run({"ladder", "--by", "sm-fill", "--svg", "-"}).out.rfind("<svg ", 0) == 0);
    CHECK(nlohmann::json::parse(run({"ladder", "--orders", "--by", "sm-fill", "--json", "-"}).out)["by"] == "sm_fill");
}

TEST_CASE("ladder --diff: the code of two rungs, by number or name") {
    const auto diff = run({"ladder", "--diff", "v1", "v2"});
    CHECK(diff.code == 0);
    CHECK(diff.command == "explain");
    CHECK(diff.asked.variants == std::vector<std::string>{"v1", "v2"});
    CHECK(has(diff.out, "from v1 to v2"));
    CHECK(has(diff.out, "- #include \"kernels/v1/output.cuh\""));
    CHECK(has(diff.out, "+ #include \"kernels/v2/steps.cuh\""));
    for (const std::vector<std::string>& same : std::vector<std::vector<std::string>>{
             {"ladder", "--diff", "1", "2"}, {"ladder", "--diff", "2"}, {"ladder", "--diff", "v2"}}) {
        CHECK(run(same).out == diff.out);
    }
    CHECK(run({"ladder", "--diff", "3"}).asked.variants == std::vector<std::string>{"v2", "v2-tuned"});
    CHECK(run({"ladder", "--diff", "v2", "v1"}).asked.variants == std::vector<std::string>{"v2", "v1"});
    const auto all = run({"ladder", "--diff", "1", "2", "--all"});
    CHECK(lines(all.out).size() > lines(diff.out).size());
    CHECK(has(all.out, "no longer used: kernels/v1/output.cuh"));
    CHECK(has(diff.out, "no longer used: kernels/v1/output.cuh ("));
    CHECK(has(run({"ladder", "--diff", "2", "--lang", "zh"}).out, "从 v1 到 v2"));
    const auto json = nlohmann::json::parse(run({"ladder", "--diff", "2", "--json", "-"}).out);
    CHECK(json["from"] == "v1");
    CHECK(json["files"][0]["before"] == "kernels/v1/kernel.cuh");
    CHECK(json["files"][0]["lines"].size() > 100);
}

TEST_CASE("ladder --diff: of kernels that the planned card can't run, too") {
    World world;
    world.real_explorer = true;
    const auto diff = run({"ladder", "--diff", "swapped-loops", "async-swapped", "--gpu", "T4"}, world);
    CHECK(diff.code == 0);
    CHECK(has(diff.out, "kernels/between/async_first/kernel.cuh"));
    CHECK(has(run({"ladder", "--diff", "4"}, world).out, "64 x 256 -> 128 x 128"));
    CHECK(has(run({"ladder", "--diff", "async-swapped", "async-late-norm"}, world).out,
              "what changes is a switch of its"));
    CHECK(run({"ladder", "--diff", "4", "--gpu", "Z9"}, world).code == 2);
}

TEST_CASE("ladder: by time where there is a card") {
    World world;
    world.has_card = true;
    CHECK(run({"ladder", "--by", "time"}, world).code == 0);
}
