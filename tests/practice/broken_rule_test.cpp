// How a report of the CPU machine is said to somebody who writes a kernel.
#include "practice/broken_rule.h"

#include <doctest/doctest.h>

using namespace flashlens;
using namespace flashlens::practice;
using Kind = simt::KernelError::Kind;

namespace {

const simt::Place writes{"store_shared", "11-missing-barrier.cu", 52, "pack", 1, 1, true};
const simt::Place reads{"ldmatrix_x4", "/tmp/x/include/kernels/primitives/tile.cuh", 56, "", 0, 1U << 3, false};

simt::KernelError::Details of(const simt::Place& access, const simt::Place& earlier) {
    simt::KernelError::Details details;
    details.access = access;
    details.earlier = earlier;
    details.memory = "shared memory";
    details.memory_bytes = 4096;
    details.address = 28;
    details.bytes = 4;
    return details;
}

BrokenRule rule(Kind kind, const simt::KernelError::Details& details) {
    return broken_rule(simt::KernelError(kind, "a report", details));
}

bool has(const BrokenRule& rule, const char* en, const char* zh) {
    for (const Message& line : rule.evidence) {
        if (line == Message{en, zh}) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("a race is said with both lines, the writer first, whichever came first") {
    for (const auto& details : {of(writes, reads), of(reads, writes)}) {
        const BrokenRule race = rule(Kind::race, details);
        CHECK(race.id == "race");
        CHECK(race.what.en ==
              "A race: line 52 (store_shared, step pack, warp 1, lane 0) writes what line 56 of "
              "kernels/primitives/tile.cuh (ldmatrix_x4, warp 0, lane 3) reads; no barrier stands between the two.");
        CHECK(race.what.zh ==
              "竞争（race）：代码第 52 行（store_shared，步骤 pack，warp 1，lane 0）所写的，正是 "
              "kernels/primitives/tile.cuh "
              "第 56 行（ldmatrix_x4，warp 0，lane 3）所读的；两者之间没有 barrier。");
        CHECK(has(race, "bytes 28 to 31 of shared memory, which has 4096",
                  "shared memory 的第 28 到 31 字节（共 4096 字节）"));
        CHECK(has(race, "in CTA (1, 1, 1)", "在 CTA (1, 1, 1) 中"));
        CHECK(race.error.details().access == details.access);
    }
}

TEST_CASE("a race of two writes, within a warp, and between two CTAs") {
    simt::Place neighbour = writes;
    neighbour.lanes = 1U << 9;
    auto details = of(writes, neighbour);
    CHECK(
        rule(Kind::race, details).what.en ==
        "A race: line 52 (store_shared, step pack, warp 1, lane 0) and line 52 (store_shared, step pack, warp 1, lane "
        "9) write to one place; neither __syncwarp nor a barrier stands between the two.");
    details.other_cta = true;
    CHECK(rule(Kind::race, details).what.en.find("between two CTAs") != std::string::npos);
    CHECK(rule(Kind::race, details).what.zh.find("两个 CTA 之间") != std::string::npos);
}

TEST_CASE("a copy that has not arrived") {
    simt::Place copies = writes;
    copies.what = "cp_async_16";
    copies.step = "load K";
    const BrokenRule early = rule(Kind::unfinished_copy, of(reads, copies));
    CHECK(early.id == "unfinished-copy");
    CHECK(early.what.en.find("line 56 of kernels/primitives/tile.cuh (ldmatrix_x4, warp 0, lane 3) reads what line 52 "
                             "(cp_async_16, step load K, warp 1, lane 0) copies") != std::string::npos);
    CHECK(early.what.zh.find("由代码第 52 行（cp_async_16，步骤 load K，warp 1，lane 0）拷贝") != std::string::npos);
}

TEST_CASE("who waits where, and who has gone") {
    simt::KernelError::Details details;
    details.waiting = {{"__syncthreads", "11-missing-barrier.cu", 40, "", 0, 0xFFFF, false},
                       {"", "", 0, "", 0, 0xFFFF0000, false}};
    const BrokenRule divergent = rule(Kind::divergent_barrier, details);
    CHECK(divergent.id == "divergent-barrier");
    CHECK(has(divergent, "warp 0, lanes 0-15: wait in line 40 (__syncthreads)",
              "warp 0，lane 0-15：等在代码第 40 行（__syncthreads）"));
    CHECK(has(divergent, "warp 0, lanes 16-31: at the end of the kernel", "warp 0，lane 16-31：已到 kernel 结尾"));
    CHECK(rule(Kind::missing_lane, details).id == "missing-lane");
}

TEST_CASE("out of bounds, an input that is written, misaligned, unwritten") {
    auto details = of(writes, reads);
    details.earlier.reset();
    details.address = 4090;
    details.bytes = 16;
    const BrokenRule outside = rule(Kind::out_of_bounds, details);
    CHECK(outside.what.en == "Line 52 (store_shared, step pack, warp 1, lane 0) goes out of bounds.");
    CHECK(has(outside, "bytes 4090 to 4105 of shared memory, which has 4096",
              "shared memory 的第 4090 到 4105 字节（共 4096 字节）"));
    details.address = 8;
    const BrokenRule misaligned = rule(Kind::misaligned, details);
    CHECK(misaligned.what.en.find("must begin at a multiple of 16, and this one begins at 8") != std::string::npos);
    details.memory = "Q";
    CHECK(rule(Kind::out_of_bounds, details).what.en.find("writes Q, which is an input") != std::string::npos);
    CHECK(rule(Kind::unwritten_read, details).what.zh.find("没有任何线程写过") != std::string::npos);
}
