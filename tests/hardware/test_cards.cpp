#include <doctest/doctest.h>

#include <set>

#include "hardware/card.h"
#include "usage_error.h"

using namespace flashlens;
using namespace flashlens::hardware;

namespace {

std::string error_of(const std::string& name) {
    try {
        find_card(name);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the cards of the table are all there, in order, each with its source") {
    std::set<std::string> names;
    const Card* before = nullptr;
    for (const Card& card : cards()) {
        CAPTURE(card.name);
        names.insert(card.name);
        CHECK(card.source.en.find("NVIDIA") != std::string::npos);
        CHECK(card.matmul_tflops > card.fp32_tflops);
        CHECK(card.memory_gb_per_s > 0);
        if (before != nullptr) {
            CHECK((before->chip < card.chip || (before->chip == card.chip && before->sm_count <= card.sm_count)));
        }
        before = &card;
    }
    CHECK(names == std::set<std::string>{"T4", "A100 40GB", "A100 80GB", "A10", "RTX 3090", "L4", "RTX 4090", "L40S",
                                         "H100 PCIe", "H100 SXM", "H200", "B200", "RTX 5090"});
}

TEST_CASE("the opt-in maximum of shared memory per CTA is that of the chip") {
    const auto bytes = [](const char* name) { return find_card(name).max_shared_bytes_per_cta; };
    CHECK(bytes("T4") == 65536);
    CHECK(bytes("A100") == 166912);
    CHECK(bytes("A10") == 101376);
    CHECK(bytes("RTX 3090") == 101376);
    CHECK(bytes("L4") == 101376);
    CHECK(bytes("H100") == 232448);
    CHECK(bytes("B200") == 232448);
    CHECK(bytes("RTX 5090") == 101376);
}

TEST_CASE("what the driver reserves for each CTA: 1 KiB, nothing on sm_75") {
    for (const Card& card : cards()) {
        CAPTURE(card.name);
        CHECK(card.reserved_shared_bytes_per_cta == (card.chip == 75 ? 0 : 1024));
    }
}

TEST_CASE("the H200 of the table is what its driver reports") {
    const Card& card = find_card("NVIDIA H200");
    CHECK(card.chip == 90);
    CHECK(card.sm_count == 132);
    CHECK(card.max_threads_per_sm == 2048);
    CHECK(card.max_ctas_per_sm == 32);
    CHECK(card.shared_bytes_per_sm == 233472);
    CHECK(card.registers_per_sm == 65536);
}

TEST_CASE("the article's A100: 108 SMs, 312 TFLOP/s of fp16 matmul against 19.5 of fp32, 16 to 1") {
    const Card& card = find_card("A100");
    CHECK(card.name == "A100 40GB");
    CHECK(card.sm_count == 108);
    CHECK(card.matmul_tflops / card.fp32_tflops == doctest::Approx(16.0));
}

TEST_CASE("names are found whatever their case, blanks and dashes") {
    CHECK(find_card("rtx4090").name == "RTX 4090");
    CHECK(find_card("RTX-4090").name == "RTX 4090");
    CHECK(find_card("4090").name == "RTX 4090");
    CHECK(find_card("NVIDIA GeForce RTX 4090").name == "RTX 4090");
    CHECK(find_card("a100-80gb").name == "A100 80GB");
    CHECK(find_card("A100 80").name == "A100 80GB");
    CHECK(find_card("NVIDIA A100-SXM4-80GB").name == "A100 80GB");
    CHECK(find_card("NVIDIA A100-SXM4-40GB").name == "A100 40GB");
    CHECK(find_card("h100").name == "H100 SXM");
    CHECK(find_card("NVIDIA H100 80GB HBM3").name == "H100 SXM");
    CHECK(find_card("NVIDIA H100 PCIe").name == "H100 PCIe");
    CHECK(find_card("Tesla T4").name == "T4");
    CHECK(find_card(" l40s ").name == "L40S");
    CHECK(find_card("A10").name == "A10");
}

TEST_CASE("an unknown card is refused by a message that names the option, the card and those there are") {
    for (const char* name : {"A101", "", "NVIDIA", "gb", "V100", "A100 60GB"}) {
        CAPTURE(name);
        CHECK(look_up_card(name) == nullptr);
        const std::string error = error_of(name);
        CHECK(error.rfind("--gpu " + std::string(name) + ":", 0) == 0);
        for (const Card& card : cards()) {
            CHECK(error.find(card.name) != std::string::npos);
        }
    }
}
