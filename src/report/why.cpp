#include "report/why.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "report/facts.h"
#include "report/idea_weights.h"
#include "report/ladder_quantities.h"

namespace flashlens::report {
namespace {

constexpr std::size_t most_sentences = 4;
constexpr double telling_ratio = 1.15;  ///< figures closer than this are not worth a sentence of their own
constexpr double worth_naming = 0.02;   ///< of the whole: a smaller part is not named beside another
constexpr double change_weight = 71;    ///< just before what warps exchange, which the sentence on changes is about

double as_double(std::int64_t value) {
    return static_cast<double>(value);
}

Figure constant(double value, Unit unit = Unit::number) {
    return {"constant", value, unit};
}

/// left / right, named so.
Figure quotient(const Figure& left, const Figure& right) {
    return {left.name + "/" + right.name, left.value / right.value, Unit::number};
}

Figure share(const Figure& part, const Figure& whole) {
    return {part.name + "/" + whole.name, part.value / whole.value, Unit::fraction};
}

Claim at_most(const Figure& a, const Figure& b) {
    return {a, a.value == b.value ? Relation::equal : Relation::less, b};
}

/// How far apart two figures are, whichever is larger: 0 for equal ones.
double distance(const Figure& a, const Figure& b) {
    return a.value > 0.0 && b.value > 0.0 ? std::abs(std::log(a.value / b.value)) : 0.0;
}

/// One variant's figures.
class Subject {
public:
    Subject(const Comparison& comparison, const VariantFacts& facts)
        : comparison_(&comparison), problem_(&comparison.problem), facts_(&facts) {}

    const VariantFacts& facts() const { return *facts_; }

    const std::string& name() const { return facts_->name; }
    const LaunchFacts& launch() const { return facts_->launch; }
    bool counted() const { return facts_->counted.has_value(); }
    bool timed() const { return facts_->timed.has_value(); }
    /// v1 and what is built like it: query tiles dealt out to splits, warps over keys.
    bool has_splits() const { return launch().splits.has_value(); }

    Figure ctas() const { return named("ctas_with_work", as_double(launch().ctas_with_work), Unit::count); }
    Figure sms() const { return named("sms_with_work", launch().waves.sms_with_work, Unit::count); }
    Figure splits() const { return named("splits", launch().splits.value_or(0), Unit::count); }
    Figure waves() const { return named("waves", launch().waves.waves, Unit::number); }
    Figure tail() const { return named("last_wave", last_wave(launch().waves), Unit::fraction); }
    Figure occupancy() const { return named("occupancy", launch().occupancy.fraction, Unit::fraction); }
    Figure ctas_per_sm() const { return named("ctas_per_sm", launch().occupancy.ctas_per_sm, Unit::count); }
    Figure block_m() const { return named("block_m", launch().tile.block_m, Unit::count); }
    Figure block_n() const { return named("block_n", launch().tile.block_n, Unit::count); }
    Figure blocks_of_keys() const {
        return named("key_blocks", as_double(key_blocks(*problem_, launch().tile)), Unit::count);
    }

    Figure time() const { return named("time_us", facts_->timed->median_us, Unit::microseconds); }
    Figure written() const { return count("global_write_bytes", as_double_u(total().global_write_bytes), Unit::bytes); }
    Figure read() const { return count("global_read_bytes", as_double_u(total().global_read_bytes), Unit::bytes); }
    Figure moved() const { return count("global_bytes", global_bytes(total()), Unit::bytes); }
    Figure barriers() const { return count("barriers", as_double_u(total().barriers), Unit::count); }
    Figure shared() const { return count("shared_bytes", as_double_u(total().shared_bytes()), Unit::bytes); }
    Figure fp32() const { return count("fp32_per_kiloflop", fp32_per_kiloflop(total()), Unit::number); }
    Figure exchanged() const { return of_ladder("shared-exchange", Unit::bytes); }
    Figure o_tmp() const { return of_ladder("o-tmp", Unit::bytes); }
    Figure divisions() const { return of_ladder("divisions", Unit::count); }
    Figure mask_ops() const { return of_ladder("mask-ops", Unit::count); }
    Figure executed() const {
        return count("mma_flops_per_flop", mma_flops(total()) / as_double(flops(*problem_)), Unit::number);
    }

private:
    static double as_double_u(std::uint64_t value) { return static_cast<double>(value); }
    const simt::Counters& total() const { return facts_->counted->report.total; }
    Figure named(const char* quantity, double value, Unit unit) const { return {name() + "." + quantity, value, unit}; }
    Figure count(const char* quantity, double value, Unit unit) const { return named(quantity, value, unit); }

    /// One of the figures that the ladder judges its steps by; of what was counted.
    Figure of_ladder(const char* name, Unit unit) const {
        const Quantity& quantity = find_ladder_quantity(name)->quantity;
        return named(std::string(quantity.key).c_str(), quantity.of(*facts_, *comparison_).value(), unit);
    }

    const Comparison* comparison_;
    const Problem* problem_;
    const VariantFacts* facts_;
};

struct Offer {
    double weight;
    Sentence sentence;
};

class Speaker {
public:
    Speaker(const Comparison& comparison, Language language, const std::string& ladder_command)
        : comparison_(comparison), language_(language), ladder_command_(ladder_command) {}

    /// Which of the changes from v1 to v2 matters most; to be said before v1 and v2 are compared.
    void changes(const Subject& v1, const Subject& v2);
    void compare(const Subject& a, const Subject& b);
    void compare_times(const Subject& a, const Subject& b);
    void speak_of(const Subject& only);
    std::vector<Sentence> best() &&;

private:
    /// Kept only when every claim holds.
    template <typename... Values>
    bool offer(double weight, std::vector<Claim> claims, Text text, const Values&... values) {
        if (!std::all_of(claims.begin(), claims.end(), holds)) {
            return false;
        }
        offers_.push_back({weight, {fill(language_, text, in_words(values)...), std::move(claims)}});
        return true;
    }

    /// Adds a sentence that names the command to the last one offered.
    void name_command() {
        Sentence& sentence = offers_.back().sentence;
        if (!ladder_command_.empty()) {
            sentence.text = fill(language_, Text::why_changes_command, sentence.text, ladder_command_);
            sentence.command = ladder_command_;
        }
    }

    static const std::string& in_words(const std::string& words) { return words; }
    static std::string in_words(const Figure& figure) { return print(figure); }

    std::string ctas(const Figure& count) const {
        return fill(language_, count.value == 1.0 ? Text::one_cta : Text::n_ctas, print(count));
    }

    Figure sm_count() const { return {"card.sm_count", static_cast<double>(comparison_.card.sm_count), Unit::count}; }
    Figure heads_in_all() const {
        return {"problem.batch_heads", as_double(comparison_.problem.batch * comparison_.problem.heads), Unit::count};
    }
    Figure queries() const { return {"problem.seqlen_q", as_double(comparison_.problem.seqlen_q), Unit::count}; }
    Figure keys() const { return {"problem.visible_keys", as_double(visible_keys(comparison_.problem)), Unit::count}; }
    Figure plain() const {
        return {"plain.global_bytes",
                as_double(comparison_.plain_read_bytes) + as_double(comparison_.plain_write_bytes), Unit::bytes};
    }

    bool changes_grid(const Subject& v1, const Subject& v2);
    bool changes_warps_and_loops(const Subject& v1);
    bool offer_change(Idea idea, const Subject& v1, const Subject& v2);
    void changes_to_be_timed(const Subject& v1, const Subject& v2);
    void time(const Subject& a, const Subject& b);
    void sm_fill(const Subject& a, const Subject& b);
    void one_query_block(const Subject& subject);
    void splits(const Subject& subject);
    void last_waves(const Subject& a, const Subject& b);
    void occupancy(const Subject& a, const Subject& b);
    void key_blocks(const Subject& streaming, const Subject& other);
    void merging(const Subject& a, const Subject& b);
    void arithmetic(const Subject& a, const Subject& b);
    void memory(const Subject& a, const Subject& b);

    const Comparison& comparison_;
    Language language_;
    const std::string& ladder_command_;
    bool fill_is_settled_ = false;  ///< the sentence on changes has said it
    bool o_tmp_is_settled_ = false;
    double padding_weight_ = 55.0;
    std::vector<Offer> offers_;
};

using Get = Figure (Subject::*)() const;

/// The subject with the larger figure first.
std::pair<Subject, Subject> larger_first(const Subject& a, const Subject& b, Get figure) {
    return (a.*figure)().value >= (b.*figure)().value ? std::pair(a, b) : std::pair(b, a);
}

bool Speaker::changes_grid(const Subject& v1, const Subject& v2) {
    const auto [more, less] = larger_first(v2, v1, &Subject::sms);
    const Text text = more.has_splits() ? Text::why_changes_grid_against : Text::why_changes_grid;
    fill_is_settled_ =
        offer(80, {{more.sms(), Relation::greater, less.sms()}, {less.sms(), Relation::less, sm_count()}}, text,
              more.name(), ctas(more.ctas()), more.sms(), sm_count(), less.name(), ctas(less.ctas()), less.sms());
    return fill_is_settled_;
}

/// Of the two that need each other: a row's O can stay in registers only where one warp has the whole row.
bool Speaker::changes_warps_and_loops(const Subject& v1) {
    const Figure nothing = constant(0, Unit::fraction);
    const Claim exchange{share(v1.exchanged(), v1.shared()), Relation::greater, nothing};
    const Claim passed{share(v1.o_tmp(), v1.moved()), Relation::greater, nothing};
    const Claim several{v1.blocks_of_keys(), Relation::greater, constant(1, Unit::count)};
    if (!(passed.left.value >= worth_naming)) {
        return offer(change_weight, {exchange}, Text::why_changes_warps, v1.name(), exchange.left);
    }
    o_tmp_is_settled_ =
        exchange.left.value >= worth_naming
            ? offer(change_weight, {exchange, passed, several}, Text::why_changes_together, v1.name(), exchange.left,
                    passed.left, several.left)
            : offer(change_weight, {passed, several}, Text::why_changes_loops, v1.name(), passed.left, several.left);
    return o_tmp_is_settled_;
}

bool Speaker::offer_change(Idea idea, const Subject& v1, const Subject& v2) {
    switch (idea) {
        case Idea::grid:
            return changes_grid(v1, v2);
        case Idea::row_warps:
        case Idea::loop_order:
            return changes_warps_and_loops(v1);
        case Idea::late_norm:
            return offer(change_weight, {{v1.divisions(), Relation::greater, v2.divisions()}},
                         Text::why_changes_division, v1.name(), v1.divisions(), v2.name(), v2.divisions());
        case Idea::masking:
            return offer(change_weight, {{v1.mask_ops(), Relation::greater, v2.mask_ops()}}, Text::why_changes_masking,
                         v1.name(), v1.mask_ops(), v2.name(), v2.mask_ops());
        case Idea::wide_warps:
        case Idea::warps:
        case Idea::async_copies:
        case Idea::beyond:
            break;
    }
    return false;
}

/// v2 is not faster: what it saves by its figures does not show in the time, and measuring each change tells more.
void Speaker::changes_to_be_timed(const Subject& v1, const Subject& v2) {
    const Claim slower{v2.time(), Relation::greater, v1.time()};
    const Claim same{v2.time(), Relation::about, v1.time()};
    if (!ladder_command_.empty() &&
        offer(72, {holds(slower) ? slower : same}, Text::why_changes_times, v1.time(), v2.time(), ladder_command_)) {
        offers_.back().sentence.command = ladder_command_;
    }
}

void Speaker::changes(const Subject& v1, const Subject& v2) {
    if (!v1.counted() || !v2.counted() || !stands(v1.facts()) || !stands(v2.facts())) {
        return;
    }
    const bool timed = v1.timed() && v2.timed();
    if (timed && std::max(v1.time().value, v2.time().value) < launch_overhead_us) {
        return;  // what a kernel does hardly shows in such a time
    }
    if (timed && (v2.time().value >= v1.time().value || holds({v2.time(), Relation::about, v1.time()}))) {
        changes_to_be_timed(v1, v2);
        return;
    }
    // Of a v2 that is faster the text says what speaks for it.
    std::vector<IdeaWeight> weights = idea_weights(v1.facts(), v2.facts(), comparison_);
    std::erase_if(weights, [&](const IdeaWeight& w) { return timed && w.weight < 0.0; });
    if (weights.empty() || std::abs(weights.front().weight) < std::log(telling_ratio)) {
        if (!timed &&
            offer(change_weight, {{v1.sms(), Relation::equal, v2.sms()}, {v2.shared(), Relation::greater, v1.shared()}},
                  Text::why_changes_none, v2.name(), v1.name(), v2.sms(), sm_count(), v2.block_m(), v2.shared(),
                  v1.block_m(), v1.shared())) {
            name_command();
            o_tmp_is_settled_ = true;
        }
        return;
    }
    if (!offer_change(weights.front().idea, v1, v2)) {
        return;
    }
    const Claim one_key_block{v1.blocks_of_keys(), Relation::equal, constant(1, Unit::count)};
    if (holds(one_key_block) && v1.o_tmp().value == 0.0) {
        Sentence& sentence = offers_.back().sentence;
        sentence.text =
            fill(language_, Text::why_changes_one_key_block, sentence.text, v1.name(), print(one_key_block.left));
        sentence.claims.push_back(one_key_block);
        o_tmp_is_settled_ = true;
    }
    name_command();
}

void Speaker::time(const Subject& a, const Subject& b) {
    const auto [slow, fast] = larger_first(a, b, &Subject::time);
    const Figure long_time = slow.time();
    const Figure short_time = fast.time();
    const Figure times = quotient(long_time, short_time);
    const bool apart = !offer(100, {{short_time, Relation::about, long_time}}, Text::why_same_time, fast.name(),
                              short_time, slow.name(), long_time);
    if (apart) {
        offer(100, {{long_time, Relation::greater, short_time}, {times, Relation::greater, constant(1)}},
              Text::why_faster, fast.name(), short_time, slow.name(), long_time, times);
    }
    const Figure limit = constant(launch_overhead_us, Unit::microseconds);
    if (offer(95, {{long_time, Relation::less, limit}, {short_time, Relation::less, limit}}, Text::why_launch_overhead,
              limit, short_time, long_time)) {
        return;
    }
    // The variant built to be faster isn't: the figures that could tell why come first.
    if (!apart || slow.has_splits() || !fast.has_splits()) {
        return;
    }
    padding_weight_ = 90;
    const bool nothing_counted_against_it = slow.counted() && fast.counted() && slow.sms().value >= fast.sms().value &&
                                            slow.executed().value <= telling_ratio * fast.executed().value;
    if (nothing_counted_against_it) {
        offer(85,
              {{long_time, Relation::greater, short_time},
               {slow.barriers(), Relation::less, fast.barriers()},
               {slow.shared(), Relation::less, fast.shared()}},
              Text::why_unexplained, slow.name(), slow.barriers(), fast.barriers(), slow.shared(), fast.shared(),
              long_time, short_time);
    }
}

void Speaker::sm_fill(const Subject& a, const Subject& b) {
    const auto [more, less] = larger_first(a, b, &Subject::sms);
    const Figure most = more.sms();
    const Figure least = less.sms();
    if (!fill_is_settled_) {
        offer(80, {{most, Relation::greater, least}, {least, Relation::less, sm_count()}}, Text::why_fill_differs,
              more.name(), ctas(more.ctas()), most, sm_count(), less.name(), ctas(less.ctas()), least);
    }
    offer(80, {{a.sms(), Relation::equal, sm_count()}, {b.sms(), Relation::equal, sm_count()}}, Text::why_fill_full,
          a.name(), ctas(a.ctas()), b.name(), ctas(b.ctas()), sm_count());
    offer(80, {{a.sms(), Relation::equal, b.sms()}, {a.sms(), Relation::less, sm_count()}}, Text::why_fill_same,
          a.name(), ctas(a.ctas()), b.name(), ctas(b.ctas()), a.sms(), sm_count());
}

void Speaker::one_query_block(const Subject& subject) {
    if (subject.has_splits() || queries().value > subject.block_m().value) {
        return;
    }
    offer(75,
          {at_most(queries(), subject.block_m()),
           {subject.ctas(), Relation::less, sm_count()},
           {subject.ctas(), Relation::equal, heads_in_all()}},
          Text::why_one_query_block, subject.name(), subject.block_m(), queries(), ctas(subject.ctas()), sm_count());
}

void Speaker::splits(const Subject& subject) {
    if (!subject.has_splits()) {
        return;
    }
    offer(45,
          {{subject.splits(), Relation::greater, constant(1, Unit::count)},
           {heads_in_all(), Relation::less, sm_count()},
           {subject.ctas(), Relation::greater, heads_in_all()}},
          Text::why_splits, subject.name(), ctas(heads_in_all()), sm_count(), subject.splits(), ctas(subject.ctas()));
}

void Speaker::last_waves(const Subject& a, const Subject& b) {
    const auto [fuller, emptier] = larger_first(a, b, &Subject::tail);
    if (std::max(a.waves().value, b.waves().value) <= 1.0 || distance(a.tail(), b.tail()) < std::log(telling_ratio)) {
        return;
    }
    offer(35, {{fuller.tail(), Relation::greater, emptier.tail()}}, Text::why_tail, fuller.name(), fuller.tail(),
          fuller.waves(), emptier.name(), emptier.tail(), emptier.waves());
}

void Speaker::occupancy(const Subject& a, const Subject& b) {
    const auto [more, less] = larger_first(a, b, &Subject::occupancy);
    offer(10, {{a.occupancy(), Relation::equal, b.occupancy()}}, Text::why_occupancy_same, a.occupancy());
    offer(30, {{more.occupancy(), Relation::greater, less.occupancy()}}, Text::why_occupancy_differs, more.name(),
          more.occupancy(), less.name(), less.occupancy());
}

void Speaker::key_blocks(const Subject& streaming, const Subject& other) {
    if (!streaming.has_splits() || o_tmp_is_settled_) {
        return;
    }
    const Claim several{streaming.blocks_of_keys(), Relation::greater, constant(1, Unit::count)};
    if (streaming.counted() && other.counted()) {
        offer(60, {several, {streaming.written(), Relation::greater, other.written()}}, Text::why_o_tmp,
              streaming.name(), streaming.blocks_of_keys(), streaming.written(), other.name(), other.written());
    } else {
        offer(60, {several}, Text::why_o_tmp_uncounted, streaming.name(), streaming.blocks_of_keys(), other.name());
    }
    if (keys().value > 0.0 && keys().value <= streaming.block_n().value) {
        offer(30, {at_most(keys(), streaming.block_n())}, Text::why_one_key_block, streaming.name(),
              streaming.block_n(), keys());
    }
}

void Speaker::merging(const Subject& a, const Subject& b) {
    const double apart = std::max(distance(a.barriers(), b.barriers()), distance(a.shared(), b.shared()));
    if (apart < std::log(telling_ratio)) {
        return;
    }
    const auto [more_barriers, fewer_barriers] = larger_first(a, b, &Subject::barriers);
    const auto [more_shared, less_shared] = larger_first(a, b, &Subject::shared);
    const Claim barriers{more_barriers.barriers(), Relation::greater, fewer_barriers.barriers()};
    const Claim shared{more_shared.shared(), Relation::greater, less_shared.shared()};
    const bool same_one = more_barriers.name() == more_shared.name();
    if (same_one && more_shared.has_splits() && !less_shared.has_splits() &&
        offer(70, {barriers, shared}, Text::why_merging, more_barriers.name(), more_barriers.barriers(),
              fewer_barriers.name(), fewer_barriers.barriers(), more_shared.shared(), less_shared.shared())) {
        return;
    }
    offer(50 + distance(barriers.left, barriers.right), {barriers}, Text::why_barriers, more_barriers.name(),
          barriers.left, fewer_barriers.name(), barriers.right);
    offer(50 + distance(shared.left, shared.right), {shared}, Text::why_shared, more_shared.name(), shared.left,
          less_shared.name(), shared.right);
}

void Speaker::arithmetic(const Subject& a, const Subject& b) {
    const auto [more, less] = larger_first(a, b, &Subject::executed);
    if (more.executed().value > telling_ratio * less.executed().value) {
        offer(padding_weight_, {{more.executed(), Relation::greater, less.executed()}}, Text::why_padding, more.name(),
              more.executed(), less.name(), less.executed(), more.block_m(), more.block_n(), less.block_m(),
              less.block_n());
    }
    const auto [busier, leaner] = larger_first(a, b, &Subject::fp32);
    if (distance(busier.fp32(), leaner.fp32()) < std::log(telling_ratio)) {
        return;
    }
    const Claim claim{busier.fp32(), Relation::greater, leaner.fp32()};
    const Figure matmul{"card.matmul_tflops", comparison_.card.matmul_tflops, Unit::number};
    const Figure fp32{"card.fp32_tflops", comparison_.card.fp32_tflops, Unit::number};
    const Figure dearness = quotient(matmul, fp32);
    if (!offer(50, {claim, {dearness, Relation::greater, constant(1)}}, Text::why_fp32_card, busier.name(),
               busier.fp32(), leaner.name(), leaner.fp32(), dearness)) {
        offer(50, {claim}, Text::why_fp32, busier.name(), busier.fp32(), leaner.name(), leaner.fp32());
    }
}

void Speaker::memory(const Subject& a, const Subject& b) {
    offer(30, {{plain(), Relation::greater, a.moved()}, {plain(), Relation::greater, b.moved()}}, Text::why_plain_saves,
          plain(), a.name(), a.moved(), b.name(), b.moved());
    offer(30, {{plain(), Relation::less, a.moved()}, {plain(), Relation::less, b.moved()}},
          Text::why_plain_does_not_save, plain(), a.name(), a.moved(), b.name(), b.moved());
    const auto [more, less] = larger_first(a, b, &Subject::read);
    offer(25, {{more.read(), Relation::greater, less.read()}}, Text::why_reads, more.name(), more.read(), less.name(),
          less.read());
}

void Speaker::compare_times(const Subject& a, const Subject& b) {
    if (a.timed() && b.timed()) {
        time(a, b);
    }
}

void Speaker::compare(const Subject& a, const Subject& b) {
    compare_times(a, b);
    sm_fill(a, b);
    last_waves(a, b);
    occupancy(a, b);
    for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
        one_query_block(one);
        splits(one);
        key_blocks(one, other);
    }
    if (a.counted() && b.counted()) {
        merging(a, b);
        arithmetic(a, b);
        memory(a, b);
    }
}

void Speaker::speak_of(const Subject& only) {
    if (!offer(80, {{only.sms(), Relation::less, sm_count()}}, Text::why_single_fill, only.name(), ctas(only.ctas()),
               only.sms(), sm_count())) {
        offer(80, {{only.sms(), Relation::equal, sm_count()}}, Text::why_single_full, only.name(), ctas(only.ctas()),
              sm_count());
    }
    one_query_block(only);
    splits(only);
    const double resident = only.ctas_per_sm().value * only.launch().threads;
    const Figure by_threads{only.name() + ".resident_threads/card.max_threads_per_sm",
                            resident / comparison_.card.max_threads_per_sm, Unit::fraction};
    offer(20, {{only.occupancy(), Relation::about, by_threads}}, Text::why_single_occupancy, only.name(),
          only.ctas_per_sm(), only.occupancy());
    if (only.counted()) {
        offer(30, {{plain(), Relation::greater, only.moved()}}, Text::why_single_plain_saves, plain(), only.name(),
              only.moved());
        offer(30, {{plain(), Relation::less, only.moved()}}, Text::why_single_plain_does_not_save, plain(), only.name(),
              only.moved());
    }
}

std::vector<Sentence> Speaker::best() && {
    std::stable_sort(offers_.begin(), offers_.end(),
                     [](const Offer& a, const Offer& b) { return a.weight > b.weight; });
    std::vector<Sentence> result;
    for (Offer& offer : offers_) {
        if (result.size() < most_sentences) {
            result.push_back(std::move(offer.sentence));
        }
    }
    return result;
}

}  // namespace

std::vector<Sentence> why(const Comparison& comparison, Language language, const std::string& ladder_command) {
    std::vector<Subject> subjects;
    for (const VariantFacts& variant : comparison.variants) {
        if (runs(variant) && variant.launch.ctas_with_work > 0) {
            subjects.emplace_back(comparison, variant);
        }
    }
    if (subjects.empty() || flops(comparison.problem) == 0) {
        return {};
    }
    const auto named = [&](const char* name) {
        return std::find_if(subjects.begin(), subjects.end(), [&](const Subject& s) { return s.name() == name; });
    };
    Speaker speaker(comparison, language, ladder_command);
    if (subjects.size() == 1) {
        speaker.speak_of(subjects.front());
    } else if (named("v1") != subjects.end() && named("v2") != subjects.end()) {
        speaker.changes(*named("v1"), *named("v2"));
        speaker.compare(*named("v1"), *named("v2"));
        if (named("v2-tuned") != subjects.end()) {
            speaker.compare_times(*named("v2"), *named("v2-tuned"));
        }
    } else {
        speaker.compare(subjects[0], subjects[1]);
    }
    return std::move(speaker).best();
}

}  // namespace flashlens::report
