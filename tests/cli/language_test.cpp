// What goes wrong is told in the language of --lang, else of the locale. The tables of bad command lines (options_test.cpp,
// sweep_test.cpp) hold it of theirs; here is the rest.
#include <doctest/doctest.h>
#include <fmt/args.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/output.h"
#include "cli/program.h"
#include "explorer/models.h"
#include "explorer/npy.h"
#include "explorer/variant.h"
#include "fake.h"
#include "files.h"
#include "phrase.h"
#include "report/width.h"
#include "simt/launch.h"
#include "text.h"
#include "usage_error.h"

using namespace flashlens;
using namespace flashlens::tests;
using cli::fake::run;
using cli::fake::World;

namespace {

/// Punctuation alone: others say something.
bool only_joins(const Bilingual& words) {
    std::string letters;
    each_place(words.en, [&](const Place& place) { letters += place.how; });
    return std::none_of(words.en.begin(), words.en.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

/// The message that `act` throws.
Message thrown(const std::function<void()>& act) {
    try {
        act();
    } catch (const Failure& failure) {
        return failure.message();
    }
    FAIL("nothing was thrown");
    return {};
}

void check_both(const Message& message) {
    CAPTURE(message.en);
    CAPTURE(message.zh);
    CHECK_FALSE(message.empty());
    CHECK_FALSE(holds_chinese(message.en));
    CHECK(holds_chinese(message.zh));
    CHECK(english_word_in(message.zh) == "");
}

Problem problem_of(std::int64_t heads, std::int64_t seqlen, std::int64_t head_dim) {
    Problem problem;
    problem.heads = problem.kv_heads = heads;
    problem.seqlen_q = problem.seqlen_k = seqlen;
    problem.head_dim = head_dim;
    return problem;
}

/// Bytes of a .npy file of format 1.0.
std::string npy(const std::string& dictionary, std::size_t data_bytes) {
    const std::size_t length = dictionary.size() + 1;
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length % 256) + static_cast<char>(length / 256) +
           dictionary + "\n" + std::string(data_bytes, '\0');
}

/// The program's code but for the translations, string literals that are broken over lines put together again.
std::string code_of_the_program() {
    std::string code;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(FLASHLENS_SOURCE_DIR "/src")) {
        const std::set<std::string> kinds{".cpp", ".h", ".cu", ".cuh"};
        if (kinds.count(entry.path().extension().string()) != 0 && entry.path().filename() != "translations.h") {
            code += content(entry.path().string());
        }
    }
    for (std::size_t at = code.find("\"\n"); at != std::string::npos; at = code.find("\"\n", at + 1)) {
        const std::size_t next = code.find_first_not_of(" \n", at + 1);
        if (next != std::string::npos && code[next] == '"') {
            code.erase(at, next + 1 - at);
        }
    }
    return code;
}

std::string header(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

}  // namespace

TEST_CASE("every translation is Chinese, there once, and its places can be filled") {
    fmt::dynamic_format_arg_store<fmt::format_context> numbers;
    for (int i = 0; i < 16; ++i) {
        numbers.push_back(0.5 + i);
    }
    std::set<std::string_view> known;
    for (const Bilingual& words : translations) {
        CAPTURE(words.en);
        CHECK(known.insert(words.en).second);
        CHECK_FALSE(holds_chinese(words.en));
        CHECK((only_joins(words) || holds_chinese(words.zh)));
        CHECK(english_word_in(words.zh) == "");
        CHECK(indices(words.en) == indices(words.zh));
        CHECK_NOTHROW(fmt::vformat(words.en, numbers));
        CHECK_NOTHROW(fmt::vformat(words.zh, numbers));
    }
}

TEST_CASE("no translation is left over") {
    const std::string code = code_of_the_program();
    for (const Bilingual& words : translations) {
        std::string literal = "\"";
        for (const char c : words.en) {
            literal += c == '"' ? std::string("\\\"") : std::string(1, c);
        }
        literal += '"';
        CAPTURE(literal);
        CHECK(has(code, literal));
    }
}

TEST_CASE("places of a text") {
    CHECK(indices("none") == 0);
    CHECK(indices("{} {{}} {:.3g}") == 0b11);
    CHECK(indices("{1} {0} {1}") == 0b11);
    CHECK(indices("{2:.6g}") == 0b100);
}

TEST_CASE("the language is known before anything else is") {
    World chinese;
    chinese.variables["LANG"] = "zh_CN.UTF-8";
    CHECK(has(run({"--lang", "zh", "--frobnicate"}).err, "没有这个选项"));
    CHECK(has(run({"--frobnicate", "--lang", "zh"}).err, "没有这个选项"));
    CHECK(has(run({"--frobnicate", "--lang=zh"}).err, "没有这个选项"));
    CHECK(has(run({"--frobnicate"}, chinese).err, "没有这个选项"));
    CHECK(has(run({"--frobnicate", "--lang", "en"}, chinese).err, "no such option"));
    CHECK(has(run({"--lang", "zh", "-s"}).err, "后面要有值"));
    CHECK(has(run({"-s", "--lang", "zh"}).err, "no such command"));  // --lang is what -s was given
    // Of the variables the first that is not empty counts, as POSIX has it.
    World both = chinese;
    both.variables["LC_MESSAGES"] = "en_US.UTF-8";
    CHECK(has(run({"--frobnicate"}, both).err, "no such option"));
    both.variables["LC_ALL"] = "zh_TW.UTF-8";
    CHECK(has(run({"--frobnicate"}, both).err, "没有这个选项"));
    // A language that isn't there is told in the locale's, whatever else is wrong.
    CHECK(run({"--lang", "fr"}).err == "flashlens: --lang fr: must be one of en, zh\n");
    CHECK(run({"--lang", "fr", "--frobnicate"}).err == "flashlens: --lang fr: must be one of en, zh\n");
    CHECK(run({"--lang=fr"}, chinese).err == "flashlens: --lang fr：只能是 en、zh 之一\n");
    CHECK(run({"--lang", "fr", "--lang", "zh"}).code == 0);  // the last one counts
}

TEST_CASE("failures while running, in Chinese") {
    World world;
    world.has_card = true;
    world.failing_seqlen = 64;
    const std::vector<std::string> arguments{"sweep", "-s", "64", "--batch", "1,2"};
    check_told_in_chinese(arguments, run(arguments, world), world);
    World unexpected;
    unexpected.failure = "bad_function_call";
    check_told_in_chinese({}, run({}, unexpected), unexpected);
    World small;
    small.meets = [] { throw std::bad_alloc(); };
    CHECK(run({}, small).err == "flashlens: out of memory: the shape is too large for this machine\n");
    check_told_in_chinese({"explain"}, run({"explain"}, small), small);
    World racing;
    racing.meets = [] {
        simt::KernelError::Details details;
        details.kernel = "v2";
        details.access = {"store_shared", "/src/kernels/v2/kernel.cuh", 7, "load_k", 1, 1U << 3, true};
        details.earlier = {"ldmatrix_x4", "/src/kernels/primitives/tile.cuh", 56, "", 0, 1, false};
        details.memory = "shared memory";
        details.memory_bytes = 4096;
        details.address = 28;
        details.bytes = 4;
        throw simt::KernelError(simt::KernelError::Kind::race, "a race\n  at kernel.cuh:7", details);
    };
    CHECK(run({}, racing).err == "flashlens: a race\n  at kernel.cuh:7\n");
    CHECK(run({"--lang", "zh"}, racing).err ==
          "flashlens: CPU 模拟机发现 kernel v2 违反 CUDA 的规则。竞争（race）：kernels/v2/kernel.cuh 第 7 行"
          "（store_shared，步骤 load_k，warp 1，lane 3）所写的，正是 kernels/primitives/tile.cuh 第 56 行"
          "（ldmatrix_x4，warp 0，lane 0）所读的；两者之间没有 barrier。\n"
          "  shared memory 的第 28 到 31 字节（共 4096 字节）\n  在 CTA (1, 1, 1) 中\n");
    CHECK(run({"--lang", "zh"}, racing).code == 1);

    World wrong;
    wrong.verdict = Verdict::fail;
    CHECK(has(run({"--lang", "zh"}, wrong).out, "v2 不通过：O(0, 0, 0, 0) 是 NaN，应为 0.5"));
    CHECK(has(run({"bench", "--lang", "zh", "-s", "64"}, wrong).out, "是 NaN，应为 0.5"));
    CHECK(has(run({"devices", "--lang", "zh"}).out, "本机没有可用的 GPU：编译时没有 CUDA"));
    CHECK(has(run({"sweep", "--heads", "1,3", "--kv-heads", "2", "--lang", "zh", "-d", "64,256"}, {}).err,
              "--heads 1 --kv-heads 2：1 个 query head 不能平分 2 个 KV head"));
}

TEST_CASE("a row of a table says in Chinese why it can't run; files for programs stay English") {
    const std::vector<std::string> arguments{"sweep", "--head-dim", "64,256,46", "-s", "64", "--lang", "zh"};
    const auto result = run(arguments);
    CHECK(has(result.out, "[1] v1：--head-dim 256：只接受 8 的倍数，至多 128"));
    CHECK(has(result.out, "--head-dim 46：须为 8 到 256 之间 8 的倍数；40 或 48 就可以"));
    CHECK(english_word_in(result.out) == "");
    std::vector<std::string> as_json = arguments;
    as_json.insert(as_json.end(), {"--json", "-"});
    CHECK(has(run(as_json).out, "--head-dim 46: must be a multiple of 8 from 8 to 256; 40 or 48 would work"));
}

TEST_CASE("everything that the explorer refuses, in both languages") {
    using hardware::find_card;
    check_both(thrown([] { find_card("H900"); }));
    check_both(thrown([] { find_model("gpt9"); }));
    for (const Problem& problem : {problem_of(-1, 5, 64), problem_of(8, 5, 65), problem_of(1LL << 40, 1LL << 40, 64)}) {
        check_both(thrown([&] { validate(problem); }));
    }
    Problem scaled;
    scaled.scale = -1.0;
    check_both(thrown([&] { validate(scaled); }));

    // Plans that a card has no room for.
    const auto refusal = [](const char* variant, const Problem& problem, const char* card) {
        return plan(variant, problem, find_card(card), false, std::nullopt).refusal;
    };
    check_both(refusal("v1", problem_of(8, 64, 256), "A100"));
    check_both(refusal("v2-tuned", problem_of(8, 64, 64), "T4"));
    Problem bf16 = problem_of(8, 64, 64);
    bf16.dtype = DType::bf16;
    check_both(refusal("v2", bf16, "T4"));
    hardware::Card card = find_card("T4");
    card.chip = 70;
    check_both(plan("v2", problem_of(8, 64, 64), card, false, std::nullopt).refusal);
    card = find_card("H200");
    card.kernels_of = 75;  // of a program that was built for no other chip
    check_both(plan("v2", bf16, card, false, std::nullopt).refusal);
    check_both(plan("v2-tuned", problem_of(8, 64, 64), card, false, std::nullopt).refusal);
    check_both(refusal("v2", problem_of(70000, 64, 64), "A100"));
    check_both(refusal("v2", problem_of(1, (1LL << 30) + 8, 64), "A100"));
    for (const auto& [threads, registers, bytes] : {std::tuple{2048, 16, 131072}, {32, 256, 0}, {288, 176, 0}}) {
        check_both(hardware::occupancy(find_card("L4"), threads, registers, bytes).refusal);
    }

    Request request;
    request.card = "A100";
    request.problem = problem_of(8, 64, 256);
    request.variants = {"v1"};
    check_both(thrown([&] { explain(request); }));
    if (Message why; !card_here(&why)) {
        check_both(why);
        request.machine = MachineChoice::gpu;
        check_both(thrown([&] { explain(request); }));
        check_both(thrown([] { bench(BenchRequest{}); }));
    }
}

TEST_CASE("what is wrong with .npy files, and with files that can't be written, in both languages") {
    const TemporaryFolder folder;
    Problem problem;
    const auto told = [&] { return thrown([&] { read_shape(folder.path, problem); }); };
    const auto write = [&](const char* name, const std::string& bytes) {
        std::ofstream(folder.path / name, std::ios::binary) << bytes;
    };
    check_both(thrown([&] { read_shape(folder.path / "none", problem); }));
    check_both(told());  // no q.npy
    const std::string good = npy(header("<f4", "(1, 2, 2, 8)"), 128);
    write("q.npy", good);
    write("v.npy", good);
    for (const std::string& bad :
         {std::string("PK"), std::string("PKPKPKPK"), good.substr(0, 20), good.substr(0, good.size() - 1),
          npy("{'descr': }", 0), npy("{'what': 1}", 0), npy("{'descr': [('a', '<f4')]}", 0),
          npy(header("<i4", "(1,)"), 4), npy(header(">f4", "(1,)"), 4), npy(header("<f4", "(1,)"), 4),
          npy(header("<f4", "(1, 2, 4, 8)"), 256), npy(header("<f4", "(2, 2, 2, 8)"), 256),
          npy(header("<f4", "(9223372036854775807, 2)"), 0),
          npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4), std::string("\x93NUMPY\x04\x00", 8) + "   ",
          std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)}) {
        write("k.npy", bad);
        check_both(told());
    }
    write("k.npy", npy(header("<f4", "(1, 2, 4, 8)"), 256));
    write("v.npy", npy(header("<f4", "(1, 2, 4, 8)"), 256));
    check_both(told());  // 4 KV heads for 2 heads

    const std::vector<float> values{1.0F};
    const std::vector<std::int64_t> shape{1};
    const std::filesystem::path in_a_file = folder.path / "q.npy" / "o.npy";
    check_both(thrown([&] { write_npy(in_a_file, shape, values); }));
    check_both(thrown([&] { cli::check_writable("--json", folder.path.string()); }));
    check_both(thrown([&] { cli::check_writable("--json", (folder.path / "none" / "x").string()); }));
    check_both(thrown([&] { cli::write_file("--json", (folder.path / "none" / "x").string(), "text"); }));
}

TEST_CASE("every reason for which a result is wrong, in both languages") {
    Problem problem = problem_of(2, 40, 16);
    problem.causal = true;
    problem.seqlen_q = 41;  // row 0 sees no key
    const Inputs inputs = random_inputs(problem);
    const ReferenceRun reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
    const CpuRun right = [&] {
        return run_on_cpu(plan("v2", problem, hardware::find_card("A100"), false, std::nullopt), problem, inputs, {});
    }();
    CHECK(check(problem, inputs, right.o, right.lse, reference).reason.empty());
    const auto reason = [&](std::size_t o_index, std::uint16_t o, std::size_t lse_index, float lse) {
        CpuRun wrong = right;
        wrong.o[o_index] = o;
        wrong.lse[lse_index] = lse;
        return check(problem, inputs, wrong.o, wrong.lse, reference).reason;
    };
    constexpr std::uint16_t one = 0x3c00;
    constexpr std::uint16_t nan = 0x7e00;
    const std::size_t middle = right.o.size() / 2;
    const float lse = right.lse[20];
    check_both(reason(middle, nan, 20, lse));
    check_both(reason(middle, static_cast<std::uint16_t>(one + 0x1000), 20, lse));
    check_both(reason(0, one, 20, lse));
    check_both(reason(middle, right.o[middle], 20, lse + 1.0F));
    check_both(reason(middle, right.o[middle], 20, std::numeric_limits<float>::infinity()));
    CpuRun shifted = right;  // each element a little off: the rms error
    for (std::uint16_t& word : shifted.o) {
        word = static_cast<std::uint16_t>(word ^ 1U);
    }
    check_both(check(problem, inputs, shifted.o, shifted.lse, reference).reason);
}
