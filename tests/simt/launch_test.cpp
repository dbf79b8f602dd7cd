// Launches: grid, threads, order, progress, errors.
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;

namespace {

/// A kernel with a little of everything: copies, shared memory, ldmatrix, mma, shuffles, a vote.
struct Everything {
    static constexpr unsigned ctas = 6;
    std::vector<std::uint16_t> in = std::vector<std::uint16_t>(ctas * 64 * 8);
    std::vector<float> out = std::vector<float>(ctas * 64 * 4);

    Everything() {
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = static_cast<std::uint16_t>(0x2C00 + i * 2654435761U % 0x1000);
        }
    }

    LaunchReport run(LaunchOptions options) {
        std::fill(out.begin(), out.end(), 0.0F);
        options.memory = {{in.data(), in.size() * 2, "in", Region::Use::input},
                          {out.data(), out.size() * 4, "out", Region::Use::output}};
        return launch("everything", {2, 3, 1}, 64, 64 * 16, options, [this] { lane(); });
    }

    void lane() {
        const unsigned cta = block_index().y * grid_size().x + block_index().x;
        const unsigned t = thread_index().x;
        {
            const Step step("copy");
            cp_async_16(16 * t, &in[8 * (64 * cta + t)], 16);
            cp_async_commit();
            cp_async_wait(0);
            barrier();
        }
        float d[4] = {};
        std::uint32_t fragment[4];
        {
            const Step step("mma");
            ldmatrix_x4(fragment, 16 * (t ^ 33), false);
            mma_m16n8k16_fp16(d, fragment, fragment + 2);
        }
        const Step step("out");
        f32 largest = d[0];
        for (unsigned mask = 1; mask < 32; mask *= 2) {
            largest =
                max(largest, std::bit_cast<float>(shuffle_xor(std::bit_cast<std::uint32_t>(largest.value), mask)));
        }
        if (any(t % 32 < cta)) {
            d[3] = exp2(fma(d[3], 0.25F, -largest)).value;
        }
        if (t % 3 == 0) {
            store_global(&out[4 * (64 * cta + t)], d, 16);
        } else {
            store_global(&out[4 * (64 * cta + t)], d, 8);
        }
    }
};

bool same(const LaunchReport& a, const LaunchReport& b) {
    if (a.steps.size() != b.steps.size() || a.total != b.total || a.unique_read_bytes != b.unique_read_bytes ||
        a.unique_write_bytes != b.unique_write_bytes || a.ctas_run != b.ctas_run) {
        return false;
    }
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
        if (a.steps[i].name != b.steps[i].name || a.steps[i].counters != b.steps[i].counters) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("every lane of every CTA runs once and finds its place") {
    std::vector<std::uint32_t> out(3 * 2 * 2 * 64, 0);
    LaunchOptions options;
    options.memory = {{out.data(), out.size() * 4, "out", Region::Use::output}};
    const LaunchReport report = launch("where", {3, 2, 2}, 64, 0, options, [&] {
        const Dim3 b = block_index();
        const Dim3 g = grid_size();
        const unsigned index = ((b.z * g.y + b.y) * g.x + b.x) * 64 + thread_index().x;
        const std::uint32_t value = index + 1;
        store_global(&out[index], &value, 4);
    });
    std::vector<std::uint32_t> expected(out.size());
    std::iota(expected.begin(), expected.end(), 1);
    CHECK(out == expected);
    CHECK(report.ctas_run == 12);
    CHECK(report.wall_us > 0);
}

TEST_CASE("CTAs of 32 to 1024 threads; nothing else") {
    for (const unsigned threads : {32U, 96U, 1024U}) {
        std::atomic<unsigned> lanes{0};
        run(threads, [&] {
            barrier();
            ++lanes;
        });
        CHECK(lanes == threads);
    }
    for (const unsigned threads : {0U, 16U, 33U, 1056U}) {
        CHECK_THROWS_AS(run(threads, [] {}), std::invalid_argument);
    }
}

TEST_CASE("an empty grid runs nothing") {
    const LaunchReport report = launch("nothing", {0, 1, 1}, 32, 0, {}, [] { throw std::logic_error("ran"); });
    CHECK(report.ctas_run == 0);
    CHECK(report.total == Counters{});
}

TEST_CASE("results and counts depend neither on the order of lanes nor on the number of threads") {
    Everything kernel;
    const LaunchReport reference = kernel.run({});
    const std::vector<float> out = kernel.out;
    CHECK(reference.total.mma == 12);
    CHECK(reference.total.global_write_bytes == 6 * (22 * 16 + 42 * 8));
    CHECK(std::accumulate(out.begin(), out.end(), 0.0F) != 0.0F);
    for (const std::uint64_t seed : {0, 1, 2, 3, 99}) {
        for (const unsigned os_threads : {1U, 2U, 5U}) {
            for (const bool checks : {true, false}) {
                LaunchOptions options;
                options.lane_order_seed = seed;
                options.os_threads = os_threads;
                options.checks = checks;
                CHECK(same(kernel.run(options), reference));
                CHECK(std::memcmp(kernel.out.data(), out.data(), out.size() * 4) == 0);
            }
        }
    }
}

TEST_CASE("a seed does change the order") {
    const auto order = [](std::uint64_t seed) {
        std::vector<unsigned> order;
        LaunchOptions options;
        options.lane_order_seed = seed;
        run(
            64,
            [&] {
                order.push_back(thread());
                barrier();
                order.push_back(thread());
            },
            options);
        return order;
    };
    CHECK(order(0) == order(0));
    CHECK(order(1) == order(1));
    CHECK(order(0) != order(1));
    CHECK(order(1) != order(2));
}

TEST_CASE("after a failed launch the next one works") {
    Everything kernel;
    const LaunchReport reference = kernel.run({});
    for (unsigned i = 0; i < 20; ++i) {
        CHECK_THROWS_AS(launch("fails", {40, 1, 1}, 128, 1024, {},
                               [] {
                                   const Step step("deep");
                                   const std::vector<int> on_the_heap(100);  // freed as its lane unwinds
                                   shuffle_xor(0, 1);
                                   if (block_index().x % 3 == 2 && thread() == 77) {
                                       get(2000);
                                   }
                                   barrier();
                               }),
                        KernelError);
        CHECK(same(kernel.run({}), reference));
    }
}

TEST_CASE("every lane unwinds when one fails, wherever it is") {
    struct Guard {
        std::atomic<int>& alive;
        explicit Guard(std::atomic<int>& count) : alive(count) { ++alive; }
        ~Guard() { --alive; }
    };
    std::atomic<int> alive{0};
    std::atomic<int> entered{0};
    for (const std::uint64_t seed : {0, 1, 2}) {
        LaunchOptions options;
        options.lane_order_seed = seed;
        options.os_threads = 2;
        CHECK_THROWS_AS(launch("unwinds", {8, 1, 1}, 96, 1024, options,
                               [&] {
                                   const Guard guard(alive);
                                   ++entered;
                                   barrier();
                                   if (thread() >= 32) {
                                       sync_warp();
                                   }
                                   if (thread() == 70) {
                                       get(0);  // nobody wrote there
                                   }
                                   any(true);
                                   barrier();
                               }),
                        KernelError);
        CHECK(alive == 0);
        CHECK(entered >= 96);
    }
}

TEST_CASE("the error reported is that of the lowest block, however many threads there are") {
    for (const unsigned os_threads : {1U, 2U, 4U, 8U}) {
        LaunchOptions options;
        options.os_threads = os_threads;
        const auto error = error_of([&] {
            launch("fails", {4, 16, 1}, 32, 1024, options, [] {
                for (unsigned i = 0; i < 200 * (5 - block_index().x); ++i) {  // lower blocks fail later
                    shuffle_xor(0, 1);
                }
                if (block_index().y >= 2) {
                    get(4 * block_index().x);
                }
            });
        });
        check_report(error, KernelError::Kind::unwritten_read, {"block (0, 2, 0)"});
    }
}

TEST_CASE("what else a lane throws comes out of launch()") {
    CHECK_THROWS_WITH_AS(run(64,
                             [] {
                                 barrier();
                                 if (thread() == 3) {
                                     throw std::runtime_error("of the kernel's own");
                                 }
                                 barrier();
                             }),
                         "of the kernel's own", std::runtime_error);
}

TEST_CASE("progress comes from one thread, rises, and stays within 0..1") {
    std::vector<double> shares;
    std::vector<std::thread::id> callers;
    LaunchOptions options;
    options.os_threads = 2;
    options.progress = [&](double share) {
        shares.push_back(share);
        callers.push_back(std::this_thread::get_id());
    };
    launch("slow", {16, 1, 1}, 32, 0, options, [] {
        if (thread() == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
    REQUIRE(shares.size() >= 2);
    CHECK(shares.size() <= 12);  // about ten a second
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    CHECK(shares.front() >= 0.0);
    CHECK(shares.back() <= 1.0);
    CHECK(std::count(callers.begin(), callers.end(), callers.front()) == static_cast<long>(callers.size()));
}
