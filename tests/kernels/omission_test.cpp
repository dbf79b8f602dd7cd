// Every barrier and every wait of the real kernels is needed: left out, one at a time, the machine reports it.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

struct Place {
    simt::Omission::What what;
    unsigned line;
    std::string text;
};

/// The lines of a kernel that call __syncthreads or cp_async_wait, found in its text.
std::vector<Place> places_in(const std::string& file) {
    std::ifstream text(FLASHLENS_KERNELS_FOLDER "/" + file);
    REQUIRE(text.good());
    std::vector<Place> places;
    std::string line;
    for (unsigned number = 1; std::getline(text, line); ++number) {
        const std::string code = line.substr(0, line.find("//"));
        if (code.find("__syncthreads()") != std::string::npos) {
            places.push_back({simt::Omission::What::barrier, number, line});
        }
        if (code.find("cp_async_wait<") != std::string::npos) {
            places.push_back({simt::Omission::What::cp_async_wait, number, line});
        }
    }
    return places;
}

/// Long enough that every loop runs several times, and every kind of block occurs.
std::vector<Problem> problems() {
    return {shape(1, 1, 1, 300, 700, 64, true), shape(1, 1, 1, 130, 700, 64), shape(1, 1, 1, 130, 400, 128, true)};
}

void expect_reported(Variant variant, const std::string& file, std::size_t barriers, std::size_t waits) {
    const std::vector<Place> places = places_in(file);
    std::size_t barriers_seen = 0;
    for (const Place& place : places) {
        const bool is_barrier = place.what == simt::Omission::What::barrier;
        barriers_seen += is_barrier ? 1 : 0;
        How how{.variant = variant, .splits = 2};
        how.options.omissions = {{place.what, place.line, file}};
        std::string report;
        for (const Problem& p : problems()) {
            try {
                run(p, random_inputs(p), how);
            } catch (const simt::KernelError& error) {
                using Kind = simt::KernelError::Kind;
                report = error.what();
                // Without a barrier data is read too early or overwritten too soon; without a wait it has not arrived.
                const bool fits = is_barrier ? error.kind() == Kind::race || error.kind() == Kind::unfinished_copy ||
                                                   error.kind() == Kind::unwritten_read
                                             : error.kind() == Kind::unfinished_copy;
                CHECK_MESSAGE(fits, report);
                CHECK_MESSAGE(report.find(name_of(variant)) != std::string::npos, report);
                break;
            }
        }
        CHECK_MESSAGE(!report.empty(), file << ":" << place.line << " can go: " << place.text);
    }
    CHECK(barriers_seen == barriers);
    CHECK(places.size() - barriers_seen == waits);
}

}  // namespace

TEST_CASE("v1: each of its seven barriers is needed") {
    // 4 at the start of a key block, 1 on its first tile, 2 a tile; nothing is copied asynchronously
    expect_reported(Variant::v1, "v1/kernel.cuh", 7, 0);
}

TEST_CASE("v2: each of its barriers and waits is needed") {
    // two loops of two barriers and two waits, and the barrier before O is stored
    expect_reported(Variant::v2, "v2/kernel.cuh", 5, 4);
}

TEST_CASE("v2-tuned: each of its barriers and waits is needed") {
    // one of each for Q, where it stays in registers, one of each a key block, and the barriers before O takes Q's place and
    // before it is stored
    expect_reported(Variant::v2_tuned, "v2_tuned/kernel.cuh", 4, 2);
}
