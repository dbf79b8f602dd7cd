// What `timeline` takes, and what it refuses. The explorer is the real one, without a card.
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
using fake::World;

namespace {

World real() {
    World world;
    world.real_explorer = true;
    world.variables = {{"LANG", "en_US.UTF-8"}};
    return world;
}

}  // namespace

TEST_CASE("timeline: options of a shape, a card and kernels") {
    const auto result = run({"timeline", "-b", "1", "-H", "3", "-s", "256", "--causal", "--gpu", "RTX 4090",
                             "--variants", "v2,v2-tuned", "--machine", "cpu"},
                            real());
    CHECK(result.code == 0);
    CHECK(has(result.out, "SMs over time"));
    CHECK(has(result.out, "RTX 4090"));
    CHECK(has(result.out, "v2-tuned: "));
    CHECK_FALSE(has(result.out, "v1: "));
    CHECK(has(result.out, "simulated, not measured"));
    const auto splits = run({"timeline", "-H", "1", "-b", "1", "--splits", "7", "--gpu", "A100"}, real());
    CHECK(has(splits.out, "v1: 7 CTAs on 108 SMs"));
    CHECK(has(run({"timeline", "-H", "1", "--gpu", "A100", "--lang", "zh"}, real()).out, "SM 随时间的忙闲"));
    CHECK(run({"timeline", "--model", "gpt2", "--gpu", "A100"}, real()).code == 0);
}

TEST_CASE("timeline: asks the explorer what was asked of it") {
    const auto result = run({"timeline", "-s", "1024", "--causal", "--gpu", "A10", "--splits", "3"});
    CHECK(result.command == "timeline");
    CHECK(result.asked.problem.causal);
    CHECK(result.asked.problem.seqlen_k == 1024);
    CHECK(result.asked.card == "A10");
    CHECK(result.asked.splits == 3);
    CHECK_FALSE(run({"timeline"}).asked.problem.causal);
}

TEST_CASE("timeline: what it refuses") {
    const auto refuses = [](const std::vector<std::string>& arguments, const std::string& because) {
        const auto result = run(arguments, real());
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK_MESSAGE(has(result.err, because), result.err);
    };
    refuses({"timeline", "--batch", "0"}, "--batch 0: no CTA runs; try --batch 1");
    refuses({"timeline", "--view", "sms"}, "--view: timeline does not take it");
    refuses({"timeline", "--input", "x"}, "--input: timeline does not take it");
    refuses({"timeline", "--svg", "/nowhere/x.svg"}, "--svg /nowhere/x.svg: can't be written");
    refuses({"timeline", "-b", "65535", "-H", "32"}, "a timeline shows at most 1,000,000");
    refuses({"timeline", "--gpu", "Voodoo"}, "--gpu Voodoo");
    refuses({"timelin"}, "did you mean timeline?");
}

TEST_CASE("timeline: files for programs and slides") {
    const TemporaryFolder folder;
    const std::string svg = (folder.path / "sms.svg").string(), json = (folder.path / "sms.json").string();
    const auto result = run({"timeline", "-H", "2", "--gpu", "A100", "--svg", svg, "--json", json}, real());
    CHECK(result.code == 0);
    CHECK(content(svg).rfind("<svg ", 0) == 0);
    CHECK(nlohmann::json::parse(content(json))["variants"][1]["timeline"]["ctas"].size() == 16);
    CHECK(run({"timeline", "-H", "2", "--gpu", "A100", "--svg", "-"}, real()).out.rfind("<svg ", 0) == 0);
    CHECK(nlohmann::json::parse(
              run({"timeline", "-H", "2", "--gpu", "A100", "--json", "-"}, real()).out)["model"]["rates_of"] ==
          "A100 40GB");
}
