// Who runs where and when, by hand for small cases; and what must hold for all.
#include "explorer/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <vector>

#include "explorer/timeline.h"

namespace flashlens {
namespace {

/// CTAs of these costs, in launch order.
std::vector<CtaSpan> run(const std::vector<double>& costs, int sms, int slots) {
    std::vector<std::uint32_t> ctas;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        ctas.push_back(static_cast<std::uint32_t>(i));
    }
    return schedule(ctas, costs, sms, slots);
}

void check_spans(const std::vector<CtaSpan>& got, const std::vector<CtaSpan>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CAPTURE(i);
        CHECK(got[i].sm == wanted[i].sm);
        CHECK(got[i].slot == wanted[i].slot);
        CHECK(got[i].start_us == doctest::Approx(wanted[i].start_us));
        CHECK(got[i].end_us == doctest::Approx(wanted[i].end_us));
    }
}

/// No place has two CTAs at once, no CTA is outside, none is later than it need be.
void check_sound(const std::vector<CtaSpan>& spans, int sms, int slots) {
    std::map<std::pair<int, int>, std::vector<CtaSpan>> by_place;
    std::vector<double> ends{0.0};
    for (const CtaSpan& span : spans) {
        CHECK(span.sm >= 0);
        CHECK(span.sm < sms);
        CHECK(span.slot >= 0);
        CHECK(span.slot < slots);
        CHECK(span.start_us <= span.end_us);
        by_place[{span.sm, span.slot}].push_back(span);
        ends.push_back(span.end_us);
    }
    for (auto& [place, there] : by_place) {
        std::sort(there.begin(), there.end(), [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
        for (std::size_t i = 1; i < there.size(); ++i) {
            CHECK(there[i - 1].end_us <= there[i].start_us * (1 + 1e-9));
        }
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 1; i < spans.size(); ++i) {
        CHECK(spans[i - 1].start_us <= spans[i].start_us);                       // in launch order
        CHECK(std::binary_search(ends.begin(), ends.end(), spans[i].start_us));  // as soon as there is a place
    }
}

}  // namespace

TEST_CASE("schedule: three CTAs on two SMs") {
    check_spans(run({10, 10, 10}, 2, 1), {{0, 0, 0, 10}, {1, 0, 0, 10}, {0, 0, 10, 20}});
    check_spans(run({10, 4, 10}, 2, 1), {{0, 0, 0, 10}, {1, 0, 0, 4}, {1, 0, 4, 14}});
}

TEST_CASE("schedule: an SM each first, then a second one") {
    const std::vector<CtaSpan> spans = run({10, 10, 10, 10, 10}, 3, 2);
    CHECK(spans[2].sm == 2);
    CHECK(spans[3].sm == 0);
    CHECK(spans[3].slot == 1);
    CHECK(spans[4].sm == 1);
}

TEST_CASE("schedule: CTAs that share an SM make half as much again as one alone, in all, or a little more") {
    // Two alike: each at 2/3 of its speed.
    check_spans(run({10, 10}, 1, 2), {{0, 0, 0, 15}, {0, 1, 0, 15}});
    // The short one is done after 6; the long one has done 4 by then, and is alone for its last 6.
    check_spans(run({10, 4}, 1, 2), {{0, 0, 0, 12}, {0, 1, 0, 6}});
    // The third comes as the first two go, and is alone.
    check_spans(run({10, 10, 10}, 1, 2), {{0, 0, 0, 15}, {0, 1, 0, 15}, {0, 0, 15, 25}});
    // Three: each at half its speed.
    check_spans(run({10, 10, 10}, 1, 3), {{0, 0, 0, 20}, {0, 1, 0, 20}, {0, 2, 0, 20}});
}

TEST_CASE("schedule: of several SMs that have room, the emptiest") {
    // After 6 SM 0 has one CTA left, SM 1 none: the fifth CTA goes to SM 1, and the sixth too.
    const std::vector<CtaSpan> spans = run({100, 4, 4, 4, 10, 10}, 2, 2);
    CHECK(spans[4].start_us == doctest::Approx(6));
    CHECK(spans[4].sm == 1);
    CHECK(spans[5].start_us == doctest::Approx(6));
    CHECK(spans[5].sm == 0);
}

TEST_CASE("schedule: CTAs without work take no time") {
    check_spans(run({0, 0, 5}, 1, 1), {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 5}});
    CHECK(run({}, 4, 2).empty());
}

TEST_CASE("schedule: every CTA once, no place twice, nobody waits while there is room") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> cost(0.0, 20.0);
    for (int round = 0; round < 40; ++round) {
        const int sms = 1 + static_cast<int>(random() % 13);
        const int slots = 1 + static_cast<int>(random() % 4);
        std::vector<double> costs(random() % 300);
        const bool alike = round % 3 == 0;
        for (double& one : costs) {
            one = alike ? 5.0 : cost(random);
        }
        CAPTURE(round);
        const std::vector<CtaSpan> spans = run(costs, sms, slots);
        check_sound(spans, sms, slots);
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const double took = spans[i].end_us - spans[i].start_us;
            CHECK(took >= costs[i] * (1 - 1e-6));                                // never faster than alone
            CHECK(took <= costs[i] / speed_of_each(slots) * (1 + 1e-6) + 1e-6);  // never slower than on a full SM
        }
        std::vector<CtaSpan> again = spans;
        CHECK(take_slots(again) <= slots);
    }
}

TEST_CASE("schedule: 65535 CTAs on 132 SMs take no time that anybody notices") {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::uint32_t> ctas(65535, 0);
    const std::vector<CtaSpan> spans = schedule(ctas, {3.0}, 132, 2);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    CHECK(took.count() < 2.0);
    // 248 full waves, and 63 CTAs alone on an SM
    const auto last =
        std::max_element(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.end_us < b.end_us; });
    CHECK(last->end_us == doctest::Approx(248 * 4.5 + 3.0));
}

TEST_CASE("facts of a timeline: idle SMs, who runs dry first, how busy, by hand") {
    Timeline timeline;
    timeline.sm_count = 4;
    timeline.slots = 2;
    timeline.spans = {{0, 0, 0, 10}, {1, 0, 0, 4}, {0, 1, 2, 8}, {1, 0, 6, 8}};
    const TimelineFacts facts = facts_of(timeline);
    CHECK(facts.end_us == 10);
    CHECK(facts.idle_sms == 2);
    CHECK(facts.first_dry_us == 8);
    CHECK(facts.tail_us == 2);
    CHECK(facts.busy_of_sm == std::vector<double>{1.0, 0.6, 0.0, 0.0});
    CHECK(facts.sm_busy == doctest::Approx(0.4));
    CHECK(facts.place_busy == doctest::Approx((10.0 + 4 + 6 + 2) / 80));
    CHECK(facts.shortest_us == 2);
    CHECK(facts.longest_us == 10);
    timeline.spans.clear();
    CHECK(facts_of(timeline).idle_sms == 4);
    CHECK(facts_of(timeline).sm_busy == 0.0);
}

}  // namespace flashlens
