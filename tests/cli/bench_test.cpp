#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "fake.h"
#include "files.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::run;
using fake::World;

TEST_CASE("a bare bench times the standard table, each shape under both masks one after the other") {
    const auto result = run({"bench"});
    CHECK(result.code == 0);
    CHECK(result.command == "bench");
    const BenchRequest& r = result.asked_bench;
    REQUIRE(r.problems.size() == 2 * 19);
    // The same shapes as those of the script that times PyTorch beside.
    const std::string script = content(std::filesystem::path(FLASHLENS_SOURCE_DIR) / "tools/time-against-sdpa.py");
    for (std::size_t i = 0; i < r.problems.size(); ++i) {
        const Problem& p = r.problems[i];
        std::ostringstream shape;
        shape << p.batch << ',' << p.heads << ',' << p.seqlen_k << ',' << p.head_dim;
        CAPTURE(shape.str());
        CHECK((has(script, shape.str() + " ") || has(script, shape.str() + "\"")));
        CHECK(p.causal == (i % 2 == 1));
        CHECK(p.kv_heads == p.heads);
        CHECK(p.seqlen_q == p.seqlen_k);
        CHECK(p.scale == doctest::Approx(1.0 / std::sqrt(static_cast<double>(p.head_dim))));
        CHECK(p.dtype == DType::fp16);
    }
    CHECK(r.samples == 21);
    CHECK(r.verify == Verify::sample);
    CHECK(r.measure_limit);
    CHECK(r.variants.empty());
    CHECK_FALSE(r.splits.has_value());
}

TEST_CASE("bench: the user's shapes, masks and numbers") {
    const BenchRequest r = run({"bench",    "--shapes",  "1,8,100,64  2,8,2,16,300,128",
                                "--dtype",  "bf16",      "--variants",
                                "v2,v1",    "--splits",  "3",
                                "--seed",   "7",         "--dist",
                                "sharp",    "--samples", "5",
                                "--verify", "off",       "--limit",
                                "nominal",  "--align",   "top-left"})
                               .asked_bench;
    REQUIRE(r.problems.size() == 4);
    CHECK(r.problems[0].batch == 1);
    CHECK(r.problems[0].heads == 8);
    CHECK(r.problems[0].kv_heads == 8);
    CHECK(r.problems[0].seqlen_q == 100);
    CHECK(r.problems[0].seqlen_k == 100);
    CHECK(r.problems[0].head_dim == 64);
    CHECK(r.problems[0].scale == 0.125);
    CHECK_FALSE(r.problems[0].causal);
    CHECK(r.problems[1].causal);
    CHECK(r.problems[1].seqlen_q == 100);
    CHECK(r.problems[2].batch == 2);
    CHECK(r.problems[2].kv_heads == 2);
    CHECK(r.problems[2].seqlen_q == 16);
    CHECK(r.problems[2].seqlen_k == 300);
    CHECK(r.problems[2].head_dim == 128);
    for (const Problem& p : r.problems) {
        CHECK(p.dtype == DType::bf16);
        CHECK(p.seed == 7);
        CHECK(p.dist == Distribution::sharp);
        CHECK(p.align == Align::top_left);
    }
    CHECK(r.variants == std::vector<std::string>{"v2", "v1"});
    CHECK(r.splits == 3);
    CHECK(r.samples == 5);
    CHECK(r.verify == Verify::off);
    CHECK_FALSE(r.measure_limit);

    const BenchRequest causal = run({"bench", "--causal", "--kv-heads", "1", "--scale", "0.5"}).asked_bench;
    REQUIRE(causal.problems.size() == 19);
    for (const Problem& p : causal.problems) {
        CHECK(p.causal);
        CHECK(p.kv_heads == 1);
        CHECK(p.scale == 0.5);
    }
    // More KV heads than the default shape has heads: that shape isn't asked for.
    CHECK(run({"bench", "--shapes", "1,40,10,8", "--kv-heads", "20"}).asked_bench.problems.at(0).kv_heads == 20);
}

TEST_CASE("bench: one shape by the options of compare") {
    const BenchRequest r =
        run({"bench", "-b", "1", "-H", "8", "-s", "1024", "--kv-heads", "2", "--no-causal"}).asked_bench;
    REQUIRE(r.problems.size() == 1);
    CHECK(r.problems[0].batch == 1);
    CHECK(r.problems[0].heads == 8);
    CHECK(r.problems[0].kv_heads == 2);
    CHECK(r.problems[0].seqlen_k == 1024);
    CHECK_FALSE(r.problems[0].causal);
    const BenchRequest model = run({"bench", "--model", "small", "--seqlen-q", "1"}).asked_bench;
    REQUIRE(model.problems.size() == 2);
    CHECK(model.problems[0].kv_heads == 8);
    CHECK(model.problems[0].seqlen_q == 1);
    CHECK_FALSE(model.problems[0].causal);
    CHECK(model.problems[1].causal);
}

TEST_CASE("bench: table, JSON and CSV go where they are asked to") {
    const std::vector<std::string> ask{"bench", "--shapes", "1,8,1024,64 1,8,1024,256"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), ask.begin(), ask.end());
        return more;
    };
    const auto table = run(ask);
    CHECK(has(table.out, "| B H S D"));
    CHECK(has(table.out, "H200, 132 SMs"));
    const auto json = run(with({"--json", "-"}));
    CHECK(nlohmann::json::parse(json.out)["rows"].size() == 4);
    const auto csv = run(with({"--csv", "-"}));
    CHECK(csv.out.rfind("batch,heads,", 0) == 0);

    const TemporaryFolder folder;
    const auto json_file = folder.path / "times.json";
    const auto csv_file = folder.path / "times.csv";
    const auto all = run(with({"--json", json_file.string(), "--csv", csv_file.string()}));
    CHECK(all.code == 0);
    CHECK(all.out == table.out);
    CHECK(content(json_file) == json.out);
    CHECK(content(csv_file) == csv.out);
    const auto json_out = run(with({"--json", "-", "--csv", csv_file.string()}));
    CHECK(json_out.out == json.out);
    CHECK(content(csv_file) == csv.out);

    World broken;
    broken.failure = "the driver went away";
    const auto other_file = folder.path / "other.csv";
    const auto failed = run(with({"--csv", other_file.string()}), broken);
    CHECK(failed.code == 1);
    CHECK(failed.out.empty());
    CHECK_FALSE(std::filesystem::exists(other_file));
}

TEST_CASE("bench: a wrong result is exit code 3") {
    World wrong;
    wrong.verdict = Verdict::fail;
    const auto result = run({"bench", "--shapes", "1,8,1024,64"}, wrong);
    CHECK(result.code == 3);
    CHECK(has(result.out, "FAIL"));
    CHECK(has(result.out, "O(0, 0, 0, 0) is NaN, expected 0.5"));
    CHECK(run({"bench", "--shapes", "1,8,1024,64", "--json", "-"}, wrong).code == 3);
}

TEST_CASE("bench: progress on a terminal, and a list where the table is wider than it") {
    World world;
    world.reports_progress = true;
    CHECK(run({"bench"}, world).err.empty());
    world.terminal = true;
    CHECK(has(run({"bench"}, world).err, "timing  [#####---------------]  25 %"));
    world.variables["COLUMNS"] = "40";
    CHECK_FALSE(has(run({"bench"}, world).out, "| B H S D"));
    world.terminal = false;
    CHECK(has(run({"bench"}, world).out, "| B H S D"));
}
