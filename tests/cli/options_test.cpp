#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/options.h"
#include "fake.h"

using namespace flashlens;
using cli::fake::run;
using tests::check_told_in_chinese;

namespace {

struct BadInput {
    std::vector<std::string> arguments;
    std::vector<std::string> fragments;  ///< that the message must contain
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("bad input: exit code 2, one line that names option, value and what works, and nothing on standard output") {
    const std::vector<BadInput> all{
        {{"--seqlen", "12abc"}, {"--seqlen 12abc", "not a whole number", "try --seqlen 1024"}},
        {{"-s", "12abc"}, {"--seqlen 12abc"}},
        {{"--seqlen=x"}, {"--seqlen x", "not a whole number"}},
        {{"--seqlen", "-1"}, {"--seqlen -1", "at least 0"}},
        {{"--seqlen", "99999999999999999999"}, {"--seqlen 99999999999999999999", "at most 2147483647"}},
        {{"--seqlen", "2147483648"}, {"at most 2147483647"}},
        {{"--seqlen", "1e3"}, {"--seqlen 1e3", "not a whole number"}},
        {{"--seqlen", " 12"}, {"not a whole number"}},
        {{"--seqlen", "+12"}, {"not a whole number"}},
        {{"--seqlen", "0x10"}, {"not a whole number"}},
        {{"--seqlen", "12.0"}, {"not a whole number"}},
        {{"--seqlen", ""}, {"--seqlen ''", "not a whole number"}},
        {{"--seqlen", "--causal"}, {"--seqlen --causal", "not a whole number"}},
        {{"--seqlen"}, {"--seqlen", "needs a value"}},
        {{"-s"}, {"-s", "needs a value"}},
        {{"--batch", "two"}, {"--batch two"}},
        {{"--heads", "1,2"}, {"--heads 1,2", "flashlens sweep takes lists and ranges"}},
        {{"--kv-heads", "x"}, {"--kv-heads x"}},
        {{"--heads", "33", "--kv-heads", "2"}, {"33", "2"}},
        {{"--heads", "8", "--kv-heads", "0"}, {"8", "0"}},
        {{"--heads", "2", "--kv-heads", "8"}, {"2", "8"}},
        {{"--head-dim", "46"}, {"--head-dim 46", "multiple of 8"}},
        {{"--head-dim", "257"}, {"--head-dim 257", "256"}},
        {{"--head-dim", "0"}, {"--head-dim 0"}},
        {{"--batch", "2147483647", "--heads", "2147483647", "--seqlen", "2147483647"}, {"--batch"}},
        {{"--scale", "abc"}, {"--scale abc", "not a number", "try --scale 0.125"}},
        {{"--scale", "0"}, {"--scale 0", "greater than zero"}},
        {{"--scale", "-4"}, {"--scale -4", "greater than zero"}},
        {{"--scale", "nan"}, {"--scale nan", "finite"}},
        {{"--scale", "inf"}, {"--scale inf", "finite"}},
        {{"--scale", "1e999"}, {"--scale 1e999", "finite"}},
        {{"--scale", "0.5x"}, {"--scale 0.5x", "not a number"}},
        {{"--seed", "-1"}, {"--seed -1", "not a whole number"}},
        {{"--seed", "18446744073709551616"}, {"--seed", "18446744073709551615"}},
        {{"--dist", "gauss"}, {"--dist gauss", "normal, uniform, sharp, ones"}},
        {{"--align", "left"}, {"--align left", "bottom-right, top-left"}},
        {{"--dtype", "fp32"}, {"--dtype fp32", "fp16, bf16"}},
        {{"--machine", "tpu"}, {"--machine tpu", "auto, gpu, cpu"}},
        {{"--verify", "maybe"}, {"--verify maybe", "full, sample, off"}},
        {{"--variants", "v3"}, {"--variants v3", "v1, v2"}},
        {{"--variants", "v1,"}, {"--variants v1,", "v1, v2"}},
        {{"--variants", "v1,v1"}, {"--variants v1,v1", "twice"}},
        {{"--variants", ""}, {"--variants", "v1, v2"}},
        {{"--splits", "0"}, {"--splits 0", "at least 1"}},
        {{"--splits", "65536"}, {"--splits 65536", "at most 65535"}},
        {{"--splits", "4", "--variants", "v2"}, {"--splits 4", "v1"}},
        {{"--lang", "fr"}, {"--lang fr", "en, zh"}},
        {{"--gpu", ""}, {"--gpu"}},
        {{"--input", "here", "--seqlen", "5"}, {"--input with --seqlen", "files"}},
        {{"--input", "here", "--model", "small"}, {"--input with --model"}},
        {{"--input", "nowhere"}, {"nowhere"}},
        {{"--input", ""}, {"--input ''"}},
        {{"--causal", "--no-causal"}, {"--causal with --no-causal"}},
        {{"--model", "huge"}, {"--model"}},
        {{"--json", "/no/such/folder/x.json"}, {"--json /no/such/folder/x.json", "No such file"}},
        {{"explain", "--json", "/no/such/folder/x.json"}, {"--json /no/such/folder/x.json"}},
        {{"--json", ""}, {"--json ''"}},
        {{"devices", "--json", ""}, {"--json ''"}},
        {{"--seqlne", "5"}, {"--seqlne", "no such option", "--seqlen"}},
        {{"--headdim", "5"}, {"--headdim", "did you mean --head-dim?"}},
        {{"--frobnicate"}, {"--frobnicate", "no such option", "--help"}},
        {{"--causla=1"}, {"--causla", "did you mean --causal?"}},
        {{"-q"}, {"-q", "no such option"}},
        {{"comapre"}, {"comapre", "no such command", "did you mean compare?"}},
        {{"source", "launch", "mainloop"}, {"source launch mainloop", "takes one word"}},
        {{"compare", "extra"}, {"extra"}},
        {{"compare", "explain"}, {"explain"}},
        {{"devices", "compare"}, {"compare"}},
        {{"completion", "bash", "zsh"}, {"zsh"}},
        {{""}, {"''"}},
        {{"-b=3"}, {"--batch =3"}},
        {{"--causal=maybe"}, {"--causal=maybe", "takes no value"}},
        {{"--causal=false"}, {"--causal=false", "takes no value"}},
        {{"explain", "--verify", "off"}, {"--verify", "explain", "compare"}},
        {{"explain", "--machine", "cpu"}, {"--machine", "explain"}},
        {{"explain", "--output", "d"}, {"--output", "explain"}},
        {{"explain", "--shapes", "1,1,1,8"}, {"--shapes: explain does not take it", "use it with bench"}},
        {{"--shapes", "1,1,1,8"}, {"--shapes: compare does not take it", "use it with bench"}},
        {{"--csv", "x"}, {"--csv: compare does not take it", "use it with ladder, sweep or bench"}},
        {{"bench", "--machine", "cpu"}, {"--machine: bench does not take it", "compare"}},
        {{"bench", "--gpu", "A100"}, {"--gpu: bench"}},
        {{"bench", "--input", "d"}, {"--input: bench"}},
        {{"bench", "--output", "d"}, {"--output: bench"}},
        {{"bench", "--samples", "2"}, {"--samples 2", "at least 3", "try --samples 21"}},
        {{"bench", "--samples", "many"}, {"--samples many", "not a whole number"}},
        {{"bench", "--limit", "most"}, {"--limit most", "measured, nominal"}},
        {{"bench", "--shapes", ""}, {"--shapes ''", "try --shapes 4,32,4096,64"}},
        {{"bench", "--shapes", "  "}, {"--shapes", "names no shape"}},
        {{"bench", "--shapes", "1,2,3"}, {"--shapes 1,2,3: no shape", "B,H,S,D", "4,32,4096,64"}},
        {{"bench", "--shapes", "1,2,3,8,"}, {"--shapes 1,2,3,8,: no shape"}},
        {{"bench", "--shapes", ",1,2,8"}, {"--shapes ,1,2,8: no shape"}},
        {{"bench", "--shapes", "1,2,3,4,8"}, {"--shapes 1,2,3,4,8: no shape"}},
        {{"bench", "--shapes", "1,2,3,4,5,6,8"}, {"no shape"}},
        {{"bench", "--shapes", "1,2,0,8"}, {"--shapes 1,2,0,8: no shape", "from 1"}},
        {{"bench", "--shapes", "1,2,-3,8"}, {"no shape"}},
        {{"bench", "--shapes", "1,2,3x,8"}, {"no shape"}},
        {{"bench", "--shapes", "1,2,2147483648,8"}, {"no shape"}},
        {{"bench", "--shapes", "1,2,3,8 1;2"}, {"--shapes 1;2: no shape"}},
        {{"bench", "--shapes", "1,2,3,12"}, {"--head-dim 12", "multiple of 8"}},
        {{"bench", "--shapes", "1,8,2,16,16,64", "--kv-heads", "2"}, {"--kv-heads 2", "1,8,2,16,16,64"}},
        {{"bench", "--shapes", "1,8,3,16,16,64"}, {"8", "3", "evenly"}},
        {{"bench", "--shapes", "1,8,16,64", "--kv-heads", "3"}, {"8", "3", "evenly"}},
        {{"bench", "--shapes", "1,8,16,64", "--kv-heads", "0"}, {"--kv-heads 0", "at least 1"}},
        {{"bench", "--shapes", "1,8,16,64", "--batch", "3"}, {"--shapes with --batch"}},
        {{"bench", "--shapes", "1,8,16,64", "--model", "small"}, {"--shapes with --model"}},
        {{"bench", "--causal", "--no-causal"}, {"--causal with --no-causal"}},
        {{"bench", "--splits", "3", "--variants", "v2"}, {"--splits 3", "v1"}},
        {{"bench", "--json", "-", "--csv", "-"}, {"--json - with --csv -"}},
        {{"bench", "--json", "x", "--csv", "x"}, {"--json x with --csv x", "two files"}},
        {{"bench", "--csv", ""}, {"--csv ''"}},
        {{"bench", "--csv", "/no/such/folder/x.csv"}, {"--csv /no/such/folder/x.csv", "No such file"}},
        {{"benhc"}, {"did you mean bench?"}},
        {{"devices", "--seqlen", "5"},
         {"--seqlen: devices", "use it with compare, explain, map, ladder, timeline, sweep, bench or walk"}},
        {{"bench", "--svg", "x"}, {"--svg: bench does not take it", "use it with map, ladder, timeline or sweep"}},
        {{"devices", "--json", "-", "--csv", "x"}, {"--csv: devices"}},
        {{"ladder", "wide-warps"}, {"ladder wide-warps: takes options alone", "--diff wide-warps"}},
        {{"ladder", "--all"}, {"--all: goes with --diff"}},
        {{"ladder", "--by", "speed"}, {"--by speed", "time, sm-fill", "barriers"}},
        {{"ladder", "--by", "time"}, {"--by time: only a card has times", "try --by shared-traffic"}},
        {{"ladder", "--by", "time", "--gpu", "H100"}, {"--by time", "without running on it"}},
        {{"ladder", "--by", "time", "--machine", "cpu"}, {"--by time", "--machine cpu"}},
        {{"ladder", "--orders", "--tuned"}, {"--orders with --tuned"}},
        {{"ladder", "--orders", "--svg", "x"}, {"--orders with --svg"}},
        {{"ladder", "--diff", "v1", "v2", "--csv", "x"}, {"--diff with --csv"}},
        {{"ladder", "--diff", "v1", "v2", "--machine", "cpu"}, {"--diff with --machine"}},
        {{"ladder", "--diff", "1"}, {"--diff v1: no step of the ladder leads there", "--diff v1 v2"}},
        {{"ladder", "--diff", "9"}, {"--diff 9"}},
        {{"ladder", "--diff", "0", "1"}, {"--diff 0"}},
        {{"ladder", "--diff", "v3"}, {"--diff v3", "v1, v2, v2-tuned"}},
        {{"ladder", "--diff", "v2", "2"}, {"--diff v2 2: is the same kernel twice"}},
        {{"ladder", "--diff", "v1", "v2", "v1"}, {"v1"}},
        {{"ladder", "--variants", "v1"}, {"--variants: ladder does not take it"}},
        {{"ladder", "--svg", "/no/such/folder/x.svg"}, {"--svg /no/such/folder/x.svg", "No such file"}},
        {{"--diff", "v1"}, {"--diff: compare does not take it", "use it with ladder"}},
        {{"source", "loop"}, {"source loop", "launch, mainloop, warps, epilogue, all"}},
        {{"source", "mainloop", "warps"}, {"warps"}},
        {{"source", "--variants", "v3"}, {"--variants v3", "v1, v2, v2-tuned"}},
        {{"source", "--seqlen", "5"}, {"--seqlen: source does not take it"}},
        {{"source", "--article", "--variants", "v1,v2-tuned"}, {"--article", "no loop of v2-tuned", "v1,v2"}},
        {{"source", "launch", "--article"}, {"--article with stage launch", "source mainloop --article"}},
        {{"source", "--json", ""}, {"--json ''"}},
        {{"--article"}, {"--article: compare does not take it", "use it with source"}},
        {{"completion"}, {"completion", "bash"}},
        {{"completion", "fish"}, {"completion fish", "bash, zsh"}},
        {{"completion", "bash", "--seqlen", "5"}, {"--seqlen", "completion"}},
        {{"--seqlen", "1\x1b[31m"}, {"--seqlen 1?[31m"}},
        {{"--fo\x1bo"}, {"--fo?o"}},
    };
    for (const BadInput& bad : all) {
        const auto result = run(bad.arguments);
        std::string line;
        for (const std::string& argument : bad.arguments) {
            line += argument + " ";
        }
        CAPTURE(line);
        CAPTURE(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK(result.command.empty());  // refused before anything ran
        CHECK(result.err.rfind("flashlens: ", 0) == 0);
        CHECK(result.err.find('\n') == result.err.size() - 1);
        CHECK(result.err.find('\x1b') == std::string::npos);
        for (const std::string& fragment : bad.fragments) {
            CAPTURE(fragment);
            CHECK(result.err.find(fragment) != std::string::npos);
        }
        check_told_in_chinese(bad.arguments, result);
    }
}

TEST_CASE("options of compare, with and without the word, before and after it") {
    for (const Words& arguments :
         {Words{"-b", "3", "-H", "6", "-s", "100", "-d", "80", "--causal"},
          Words{"compare", "-b", "3", "-H", "6", "-s", "100", "-d", "80", "--causal"},
          Words{"-b", "3", "-H6", "compare", "--seqlen=100", "--head-dim", "80", "--causal"}}) {
        const auto result = run(arguments);
        CAPTURE(result.err);
        CHECK(result.code == 0);
        CHECK(result.command == "compare");
        const Problem& p = result.asked.problem;
        CHECK(p.batch == 3);
        CHECK(p.heads == 6);
        CHECK(p.kv_heads == 6);  // follows --heads
        CHECK(p.seqlen_q == 100);
        CHECK(p.seqlen_k == 100);
        CHECK(p.head_dim == 80);
        CHECK(p.causal);
        CHECK(p.scale == doctest::Approx(1.0 / std::sqrt(80.0)));
        CHECK(p.align == Align::bottom_right);
        CHECK(p.dtype == DType::fp16);
    }
}

TEST_CASE("every option reaches the request") {
    const auto result = run(
        {"--kv-heads", "4",        "--heads",   "8",    "--seqlen-q", "7",        "--seqlen-k", "9",
         "--align",    "top-left", "--dtype",   "bf16", "--scale",    "0.5",      "--seed",     "18446744073709551615",
         "--dist",     "sharp",    "--machine", "cpu",  "--gpu",      "RTX 4090", "--variants", "v2,v1",
         "--splits",   "5",        "--verify",  "full", "--output",   "d"});
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    const Request& r = result.asked;
    CHECK(r.problem.kv_heads == 4);
    CHECK(r.problem.seqlen_q == 7);
    CHECK(r.problem.seqlen_k == 9);
    CHECK(r.problem.align == Align::top_left);
    CHECK(r.problem.dtype == DType::bf16);
    CHECK(r.problem.scale == 0.5);
    CHECK(r.problem.seed == std::numeric_limits<std::uint64_t>::max());
    CHECK(r.problem.dist == Distribution::sharp);
    CHECK_FALSE(r.problem.causal);
    CHECK(r.machine == MachineChoice::cpu);
    CHECK(r.card == "RTX 4090");
    CHECK(r.variants == Words{"v2", "v1"});
    CHECK(r.splits == 5);
    CHECK(r.verify == Verify::full);
    CHECK(r.output_folder == "d");
}

TEST_CASE("a bare flashlens compares the default shape") {
    const auto result = run({});
    CHECK(result.code == 0);
    CHECK(result.command == "compare");
    CHECK(result.asked.problem.batch * result.asked.problem.heads == 32);
    CHECK(result.asked.problem.seqlen_k == 512);
    CHECK_FALSE(result.asked.splits.has_value());
    CHECK(result.asked.machine == MachineChoice::automatic);
    CHECK(result.asked.verify == Verify::sample);
    CHECK(result.asked.card.empty());
}

TEST_CASE("which option wins") {
    CHECK(run({"--seqlen", "5", "--seqlen-q", "7"}).asked.problem.seqlen_q == 7);
    CHECK(run({"--seqlen-q", "7", "--seqlen", "5"}).asked.problem.seqlen_q == 7);
    CHECK(run({"--seqlen-q", "7", "--seqlen", "5"}).asked.problem.seqlen_k == 5);
    CHECK(run({"--seqlen", "5", "--seqlen", "6"}).asked.problem.seqlen_k == 6);
    const Problem model = run({"--model", "small", "--seqlen", "64"}).asked.problem;
    CHECK(model.heads == 32);
    CHECK(model.kv_heads == 8);
    CHECK(model.seqlen_q == 64);
    CHECK(model.causal);
    CHECK(model.scale == doctest::Approx(1.0 / std::sqrt(128.0)));
    CHECK(run({"--model", "small", "--heads", "16"}).asked.problem.kv_heads == 8);
    CHECK_FALSE(run({"--model", "small", "--no-causal"}).asked.problem.causal);
    CHECK(run({"--model", "small", "--head-dim", "64"}).asked.problem.scale == 0.125);
}

TEST_CASE("the shape of files, and the scale of their head dim") {
    const Problem p = run({"--input", "here", "--causal", "--dtype", "bf16"}).asked.problem;
    CHECK(p.heads == 4);
    CHECK(p.kv_heads == 2);
    CHECK(p.seqlen_k == 20);
    CHECK(p.scale == 0.25);
    CHECK(p.causal);
    CHECK(run({"explain", "--input", "here"}).asked.problem.seqlen_q == 10);
}

TEST_CASE("sizes of zero are no usage error") {
    CHECK(run({"--batch", "0"}).code == 0);
    CHECK(run({"--seqlen-k", "0"}).code == 0);
}
