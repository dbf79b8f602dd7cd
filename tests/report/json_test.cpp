#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "report/json.h"
#include "samples.h"

using namespace flashlens;
using namespace flashlens::report;
using nlohmann::json;

TEST_CASE("JSON of a comparison has what scripts rely on") {
    const json parsed = json::parse(to_json(samples::timed(), Detail::compared, Language::en));
    CHECK(parsed["problem"]["batch"] == 2);
    CHECK(parsed["problem"]["kv_heads"] == 16);
    CHECK(parsed["problem"]["align"] == "bottom-right");
    CHECK(parsed["problem"]["dtype"] == "fp16");
    CHECK(parsed["problem"]["flops"] == 4LL * 2 * 16 * 64 * 512 * 512);
    CHECK(parsed["card"]["sm"] == 80);
    CHECK(parsed["card"]["sm_count"] == 108);
    CHECK(parsed["machine"] == "gpu");
    const json& v1 = parsed["variants"][0];
    CHECK(v1["name"] == "v1");
    CHECK(v1["grid"] == json({2, 16, 13}));
    CHECK(v1["threads"] == 128);
    CHECK(v1["smem_bytes"] == 36992);
    CHECK(v1["limiter"] == "registers");
    CHECK(v1["occupancy"] == 0.125);
    CHECK(v1["sm_fill"] == 1.0);
    CHECK(v1["splits"] == 13);
    CHECK(v1["counters"]["barriers"] == 8192);
    CHECK(v1["counters"]["shared_bytes"] == 300'000'000);
    CHECK(v1["counters"]["fp32_ops"] == 42'000'000);
    CHECK(v1["steps"][0]["name"] == "gemm_q_k");
    CHECK(v1["steps"][0]["mma"] == 524'288);
    CHECK(v1["time_us"] == 161.2);
    CHECK(v1["tflops"].get<double>() == doctest::Approx(2.147483648e9 / 161.2e-6 / 1e12));
    CHECK(v1["verdict"] == "pass");
    CHECK(v1["max_abs_error"] == 1.1e-4);
    CHECK(v1["lse_max_abs_error"] == 4e-7);
    CHECK_FALSE(parsed["variants"][1].contains("splits"));
    CHECK(parsed["reference"]["rows_checked"] == 16384);
    CHECK(parsed["why"].size() >= 2);
    CHECK(parsed["why"][0]["claims"][0]["left"]["value"].is_number());
}

TEST_CASE("no GPU time on the CPU machine, and none of a run when nothing ran") {
    const json simulated = json::parse(to_json(samples::simulated(), Detail::compared, Language::zh));
    CHECK(simulated["machine"] == "cpu");
    CHECK(simulated["variants"][0]["time_us"].is_null());
    CHECK(simulated["variants"][0]["tflops"].is_null());
    CHECK(simulated["variants"][0]["simulation_us"] == 612345.0);
    const json explained = json::parse(to_json(samples::explained(), Detail::explained, Language::en));
    CHECK(explained["variants"][0]["grid"] == json({2, 16, 13}));
    for (const char* key : {"counters", "time_us", "verdict", "simulation_us"}) {
        CHECK_FALSE(explained["variants"][0].contains(key));
    }
    CHECK_FALSE(explained.contains("reference"));
    CHECK_FALSE(explained.contains("machine"));
}

TEST_CASE("JSON of failures is strictly valid") {
    Comparison comparison = samples::simulated();
    comparison.variants[0].error->max_abs_error = std::nan("");
    comparison.variants[0].error->lse_max_abs_error = INFINITY;
    comparison.variants[0].error->rms_error = -INFINITY;
    comparison.variants[0].error->verdict = Verdict::fail;
    comparison.variants[0].error->reason = {"a \"quoted\" reason with a tab\t and a bad byte \xff",
                                            "a \"quoted\" reason with a tab\t and a bad byte \xff"};
    comparison.variants[1].refusal = {"no", "no"};
    comparison.input_folder = "/tmp/\x1b/\x80";
    const std::string text = to_json(comparison, Detail::compared, Language::en);
    const json parsed = json::parse(text);
    CHECK(parsed["variants"][0]["max_abs_error"] == "nan");
    CHECK(parsed["variants"][0]["lse_max_abs_error"] == "inf");
    CHECK(parsed["variants"][0]["rms_error"] == "-inf");
    CHECK(parsed["variants"][0]["verdict"] == "fail");
    CHECK(parsed["variants"][1]["runs"] == false);
    for (const char* key : {"grid", "counters", "time_us", "tflops", "simulation_us", "max_abs_error", "rms_error"}) {
        CHECK(parsed["variants"][1][key].is_null());
    }
    CHECK(parsed["variants"][1]["verdict"] == "not run");
    CHECK(parsed["variants"][1]["reason"] == "no");
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("JSON of the devices") {
    const json parsed = json::parse(devices_to_json(std::nullopt, {"this build has no CUDA", "编译时没有 CUDA"}));
    CHECK(parsed["here"].is_null());
    CHECK(parsed["why_none_here"] == "this build has no CUDA");
    CHECK(parsed["cards"].size() == hardware::cards().size());
}
