// The race check against its definition: every pair of accesses compared, over random sequences.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "simt/order.h"

using namespace flashlens::simt;

namespace {

struct Past {
    unsigned thread;
    unsigned barriers;       ///< of the CTA, before it
    unsigned warp_barriers;  ///< of its warp (or the CTA), before it
    bool write;
};

bool ordered(const Past& earlier, const Past& later) {
    return earlier.thread == later.thread || earlier.barriers < later.barriers ||
           (earlier.thread / 32 == later.thread / 32 && earlier.warp_barriers < later.warp_barriers);
}

}  // namespace

TEST_CASE("a race is found exactly when two accesses to a word, one a write, have nothing between them") {
    std::mt19937 random(1);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    unsigned races = 0;
    unsigned accesses = 0;
    for (unsigned sequence = 0; sequence < 40000; ++sequence) {
        const unsigned threads[] = {0, 1, 2, 32, 33, 64};
        Granule granule;
        std::vector<Past> past;
        unsigned barriers = 0;
        unsigned warp_barriers[3] = {};
        Stamp clock = Stamp{1} << 32;
        Stamp since_barrier = clock;
        Stamp since_warp[3] = {clock, clock, clock};
        const unsigned syncs = 1 + below(6);  // how often something orders
        const unsigned writes = 1 + below(4);
        for (unsigned step = 0; step < 40; ++step) {
            if (below(8) < syncs) {
                clock += Stamp{1} << 32;
                if (below(4) == 0) {
                    ++barriers;
                    since_barrier = clock;
                    for (unsigned w = 0; w < 3; ++w) {
                        ++warp_barriers[w];
                        since_warp[w] = clock;
                    }
                } else {
                    const unsigned w = below(3);
                    ++warp_barriers[w];
                    since_warp[w] = clock;
                }
                continue;
            }
            const unsigned thread = threads[below(sequence % 2 == 0 ? 6 : 2)];
            const Past access{thread, barriers, warp_barriers[thread / 32], past.empty() || below(8) < writes};
            bool expected = false;
            for (const Past& earlier : past) {
                expected |= (earlier.write || access.write) && !ordered(earlier, access);
            }
            const Moment moment{since_barrier, since_warp[thread / 32], clock | Stamp{thread} << 20 | 77, thread};
            const Finding finding =
                access.write ? note_write(granule, moment, moment.mine) : note_read(granule, moment);
            REQUIRE((finding != Finding::fine) == expected);
            ++accesses;
            if (expected) {
                ++races;
                break;
            }
            past.push_back(access);
        }
    }
    CHECK(races > 5000);
    CHECK(accesses > 100000);
}
