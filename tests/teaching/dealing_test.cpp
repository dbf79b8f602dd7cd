// CTAs dealt to SMs, held against dealing them one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "explorer/variant.h"
#include "harness.h"
#include "teaching/dealing.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;
using namespace flashlens::teaching;

namespace {

/// Whether some row of this block of `rows` rows sees a key.
bool sees_something(const Problem& p, std::int64_t block, std::int64_t rows) {
    for (std::int64_t i = block * rows; i < (block + 1) * rows; ++i) {
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            if (!p.causal || j <= i + p.diagonal()) {
                return true;
            }
        }
    }
    return false;
}

struct Numbered {
    std::int64_t number = 0;
    GridPlace place;
};

/// CTAs with work, x fastest.
std::vector<Numbered> launched(const VariantFacts& planned, const Problem& p) {
    const LaunchFacts& launch = planned.launch;
    std::vector<Numbered> all;
    std::int64_t number = 0;
    for (std::int64_t z = 0; z < launch.grid.z; ++z) {
        for (std::int64_t y = 0; y < launch.grid.y; ++y) {
            for (std::int64_t x = 0; x < launch.grid.x; ++x, ++number) {
                const std::int64_t share = work_of(planned, p, {x, y, z}).share;
                const bool works =
                    launch.splits ? share * 16 < p.seqlen_q : sees_something(p, share, launch.tile.block_m);
                if (works) {
                    all.push_back({number, {x, y, z}});
                }
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("dealing: one CTA to each SM, then a second, until all are full; then the next wave") {
    const hardware::Card& a100 = hardware::find_card("A100");
    std::vector<Problem> problems{shape(2, 16, 16, 512, 512, 64, true), shape(1, 8, 8, 200, 300, 128),
                                  shape(12, 40, 8, 900, 130, 64, true), shape(1, 1, 1, 40, 700, 32),
                                  shape(1, 300, 300, 64, 64, 256)};
    for (const Problem& p : problems) {
        for (const char* name : {"v1", "v2", "v2-tuned"}) {
            for (const std::optional<int> splits : {std::optional<int>(), std::optional(7)}) {
                const VariantFacts planned = plan(name, p, a100, false, splits);
                if (!planned.refusal.empty()) {
                    continue;
                }
                INFO(name << " " << text_of(p));
                const Dealing dealing(planned, p, a100);
                std::vector<Numbered> rest = launched(planned, p);
                CHECK(static_cast<std::int64_t>(rest.size()) == planned.launch.ctas_with_work);
                std::reverse(rest.begin(), rest.end());
                std::int64_t wrong = 0;
                for (std::int64_t w = 0; w < dealing.waves(); ++w) {
                    const Wave wave = dealing.wave(w);
                    for (int slot = 0; slot < planned.launch.occupancy.ctas_per_sm; ++slot) {
                        for (int sm = 0; sm < 108; ++sm) {
                            const auto& dealt = wave.at(sm, slot);
                            const bool expected = !rest.empty();
                            wrong += dealt.has_value() != expected ? 1 : 0;
                            if (dealt && expected) {
                                wrong += dealt->number != rest.back().number ? 1 : 0;
                                wrong += dealt->place == rest.back().place ? 0 : 1;
                                wrong += dealt->work == work_of(planned, p, rest.back().place) ? 0 : 1;
                                rest.pop_back();
                            }
                        }
                    }
                }
                CHECK(wrong == 0);
                CHECK(rest.empty());
            }
        }
    }
}

TEST_CASE("dealing: waves, tail and SMs with work are those of the occupancy figures") {
    const hardware::Card& card = hardware::find_card("RTX 3090");
    for (const Problem& p : {shape(1, 4, 4, 1024, 1024, 64, true), shape(4, 32, 32, 512, 512, 64)}) {
        for (const char* name : {"v1", "v2", "v2-tuned"}) {
            const VariantFacts planned = plan(name, p, card, false, {});
            const Dealing dealing(planned, p, card);
            const hardware::Waves& waves = planned.launch.waves;
            CHECK(dealing.waves() == waves.full_waves + (waves.tail_ctas > 0 ? 1 : 0));
            const Wave first = dealing.wave(0);
            int busy = 0;
            for (int sm = 0; sm < dealing.sms(); ++sm) {
                busy += first.at(sm, 0) ? 1 : 0;
            }
            CHECK(busy == waves.sms_with_work);
            const Wave last = dealing.wave(dealing.waves() - 1);
            const auto ctas =
                std::count_if(last.places.begin(), last.places.end(), [](const auto& cta) { return cta.has_value(); });
            CHECK(ctas == (waves.tail_ctas > 0 ? waves.tail_ctas : dealing.wave_size()));
        }
    }
}
