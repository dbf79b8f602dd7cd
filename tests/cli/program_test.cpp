#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/strict.h"
#include "fake.h"
#include "files.h"
#include "report/width.h"
#include "say.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::run;
using fake::World;

TEST_CASE("version") {
    CHECK(run({"--version"}).out == version_text() + "\n");
    CHECK(version_text().rfind("flashlens ", 0) == 0);
    CHECK(run({"-V"}).code == 0);
}

TEST_CASE("exit codes") {
    CHECK(run({}).code == 0);
    World wrong;
    wrong.verdict = Verdict::fail;
    const auto failed = run({}, wrong);
    CHECK(failed.code == 3);
    CHECK(has(failed.out, "O(0, 0, 0, 0) is NaN, expected 0.5"));
    CHECK(run({"explain"}, wrong).code == 0);
    World broken;
    broken.failure = "the driver went away";
    const auto error = run({}, broken);
    CHECK(error.code == 1);
    CHECK(error.err == "flashlens: the driver went away\n");
    CHECK(error.out.empty());
}

TEST_CASE("JSON on standard output is alone there, and parses when a verdict failed") {
    World wrong;
    wrong.verdict = Verdict::fail;
    const auto result = run({"--json", "-"}, wrong);
    CHECK(result.code == 3);
    const auto parsed = nlohmann::json::parse(result.out);
    CHECK(parsed["variants"][1]["verdict"] == "fail");
    CHECK(parsed["variants"][1]["max_abs_error"] == "nan");
    CHECK(nlohmann::json::parse(run({"explain", "--json", "-"}).out)["variants"].size() == 2);
    CHECK(nlohmann::json::parse(run({"devices", "--json", "-"}).out)["why_none_here"] == "this build has no CUDA");
}

TEST_CASE("JSON in a file, beside the table") {
    const TemporaryFolder folder;
    const std::string file = (folder.path / "all.json").string();
    const auto result = run({"--json", file});
    CHECK(result.code == 0);
    CHECK(has(result.out, "grid"));
    CHECK(nlohmann::json::parse(content(file))["variants"].size() == 2);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
    // A run that fails leaves what was there.
    World broken;
    broken.failure = "no";
    const std::string before = content(file);
    CHECK(run({"--json", file}, broken).code == 1);
    CHECK(content(file) == before);
    const std::string other = (folder.path / "other.json").string();
    CHECK(run({"--json", other}, broken).code == 1);
    CHECK_FALSE(std::filesystem::exists(other));
}

TEST_CASE("no escape codes when output is no terminal") {
    World piped;
    piped.variables = {{"LANG", "en_US.UTF-8"}, {"TERM", "xterm"}};
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                      {"explain"},
                                                      {"map", "--view", "ctas,warps,lanes,blocks,sms"},
                                                      {"timeline"},
                                                      {"bench"},
                                                      {"devices"},
                                                      {"source", "all"},
                                                      {"--help"},
                                                      {"--lang", "zh"},
                                                      {"--json", "-"}}) {
        const auto result = run(arguments, piped);
        CHECK_FALSE(has(result.out, "\x1b"));
        CHECK_FALSE(has(result.err, "\x1b"));
    }
    World terminal = piped;
    terminal.terminal = true;
    CHECK(has(run({}, terminal).out, "\x1b["));
    CHECK_FALSE(has(run({"--no-color"}, terminal).out, "\x1b"));
    terminal.variables["NO_COLOR"] = "1";
    CHECK_FALSE(has(run({}, terminal).out, "\x1b"));
}

TEST_CASE("language: by option, else by locale") {
    World chinese;
    chinese.variables["LANG"] = "zh_CN.UTF-8";
    CHECK(has(run({}, chinese).out, "显卡"));
    CHECK_FALSE(has(run({"--lang", "en"}, chinese).out, "显卡"));
    CHECK(has(run({"--lang", "zh"}).out, "显卡"));
    CHECK(has(run({"devices", "--lang", "zh"}).out, "本机没有可用的 GPU"));
    CHECK(has(run({}).out, "card"));
}

TEST_CASE("source: a stage, all of them, or the main loop; nothing is asked of the explorer") {
    const auto stages = [](const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"source", "--json", "-"};
        all.insert(all.begin() + 1, arguments.begin(), arguments.end());
        const auto result = run(all);
        CAPTURE(result.err);
        CHECK(result.code == 0);
        CHECK(result.command.empty());
        std::vector<std::string> names;
        const auto json = nlohmann::json::parse(result.out);
        for (const auto& stage : json["stages"]) {
            names.push_back(stage["stage"]);
        }
        return names;
    };
    CHECK(stages({}) == std::vector<std::string>{"mainloop"});
    CHECK(stages({"warps"}) == std::vector<std::string>{"warps"});
    CHECK(stages({"all"}) == std::vector<std::string>{"launch", "mainloop", "warps", "epilogue"});
    const std::string alone = run({"source", "--variants", "v2-tuned"}).out;
    CHECK(has(alone, "kernels/v2_tuned/kernel.cuh"));
    CHECK_FALSE(has(alone, "kernels/v1/"));
    CHECK(has(run({"source", "--article"}).out, "gemm_cl(acc_o, frag_p, frag_v);"));
    CHECK(has(run({"source", "--lang", "zh"}).out, "主循环"));
}

TEST_CASE("progress shows on a terminal alone, and leaves no trace") {
    World world;
    world.reports_progress = true;
    CHECK(run({}, world).err.empty());
    world.terminal = true;
    const std::string shown = run({}, world).err;
    CHECK(has(shown, "v1 on the CPU machine  [#####---------------]  25 %, about 6 s left"));
    CHECK(shown.substr(shown.size() - 4) == "\r\x1b[K");
    CHECK(has(run({"--lang", "zh"}, world).err, "CPU 模拟机运行 v1  [#####---------------]  25 %，约剩 6 秒"));
    world.variables["TERM"] = "dumb";
    CHECK(run({}, world).err.empty());
    for (const int columns : {19, 40, 79}) {
        for (const double done : {-1.0, 0.0, 0.5, 1.0, 2.0, std::nan("")}) {
            for (const Language language : {Language::en, Language::zh}) {
                const Message what = say("{} on the CPU machine", "v2");
                CHECK(report::display_width(progress_line(what, done, 100.0, columns, language)) <= columns);
            }
        }
    }
    std::ostringstream out;
    {
        Progress progress(out, 80, Language::en);
        progress.show({"short", "短"}, 0.5, 0.2);
    }
    CHECK(out.str().empty());
}

TEST_CASE("completion scripts know every option") {
    for (const char* shell : {"bash", "zsh"}) {
        const std::string script = run({"completion", shell}).out;
        for (const Option& option : options()) {
            CAPTURE(option.name);
            CHECK(has(script, option.name));
        }
        for (const char* word :
             {"RTX3090", "bottom-right", "small", "v1,v2", "bench", "devices", "launch mainloop warps epilogue all"}) {
            CHECK(has(script, word));
        }
    }
    CHECK(has(run({"completion", "zsh"}).out, "'--count:value:{ (( ${words[(I)quiz]} )) || compadd auto on off }'"));
    const TemporaryFolder folder;
    const auto file = folder.path / "completion.bash";
    std::ofstream(file)
        << run({"completion", "bash"}).out
        << "COMP_WORDS=(flashlens --align b); COMP_CWORD=2; _flashlens; echo \"${COMPREPLY[*]}\"\n"
           "COMP_WORDS=(flashlens source ma); COMP_CWORD=2; _flashlens; echo \"${COMPREPLY[*]}\"\n"
           "COMP_WORDS=(flashlens sweep --count o); COMP_CWORD=3; _flashlens; echo \"${COMPREPLY[*]}\"\n"
           "COMP_WORDS=(flashlens quiz --count o); COMP_CWORD=3; _flashlens; echo \"${COMPREPLY[*]}\"\n"
           "COMP_WORDS=(flashlens --seqlen-); COMP_CWORD=1; _flashlens; echo \"${COMPREPLY[*]}\"\n";
    std::FILE* bash = popen(("bash " + file.string()).c_str(), "r");
    REQUIRE(bash != nullptr);
    std::string reply(1000, '\0');
    reply.resize(std::fread(reply.data(), 1, reply.size(), bash));
    CHECK(pclose(bash) == 0);
    CHECK(reply == "bottom-right\nmainloop\non off\n\n--seqlen-q --seqlen-k\n");
}

TEST_CASE("a full disk is an error, a closed pipe is none") {
    const int full = open("/dev/full", O_WRONLY);
    REQUIRE(full >= 0);
    const Written written = write_all(full, "text");
    close(full);
    CHECK_FALSE(written.complete);
    CHECK_FALSE(written.reader_left);
    CHECK(written.reason.en == "No space left on device");

    std::signal(SIGPIPE, SIG_IGN);
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    close(pipe_ends[0]);
    const Written left = write_all(pipe_ends[1], "text");
    close(pipe_ends[1]);
    std::signal(SIGPIPE, SIG_DFL);
    CHECK(left.reader_left);

    REQUIRE(pipe(pipe_ends) == 0);
    CHECK(write_all(pipe_ends[1], "text").complete);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}
