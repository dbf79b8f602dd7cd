// Places in a kernel: where an access stands, in which step, and what it does, as a small number that fits a stamp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simt/counters.h"
#include "simt/device.h"

namespace flashlens::simt {

/// The counters of one step, on one worker, for the CTA that runs.
struct StepTally : Counters {
    const char* name = "";
    Counters finished;            ///< CTAs done, each times its multiplicity
    std::uint64_t first_cta = 0;  ///< when it first appeared: CTA,
    unsigned first_thread = 0;    ///< thread (the lowest of that CTA),
    unsigned first_position = 0;  ///< and how many Steps that thread had entered before
};

enum class Access : std::uint8_t { load_shared, store_shared, load_global, store_global, cp_async, ldmatrix };

/// The access's name in reports.
const char* name_of(Access access);

struct Site {
    Where where;
    const StepTally* step = nullptr;
    Access access = Access::load_shared;
    std::uint8_t bytes = 0;
};

/// The sites that one worker has met. Numbers of different workers differ, so that a stamp left in global memory can be
/// traced by another worker (find_site).
class SiteTable {
public:
    static constexpr std::uint32_t per_worker = 4096;
    static constexpr unsigned id_bits = 20;  ///< an id has no more: 256 workers, see also stamp::site

    explicit SiteTable(unsigned worker) : base_(worker % 256 * per_worker) { sites_.reserve(per_worker); }

    std::uint32_t id(const Where& where, const StepTally* step, Access access, unsigned bytes) {
        const std::uintptr_t place = identity(where);
        const auto step_bits = reinterpret_cast<std::uintptr_t>(step);
        const unsigned kind = bytes << 8 | static_cast<unsigned>(access);
        Recent& recent = recent_[((place >> 3) ^ (step_bits >> 6) ^ bytes) % recent_.size()];
        if (recent.place != place || recent.step != step || recent.kind != kind) [[unlikely]] {
            recent = {place, step, kind, find_or_add(where, step, access, bytes)};
        }
        return recent.id;
    }

    const Site& operator[](std::uint32_t id) const { return sites_[id - base_]; }
    std::uint32_t base() const { return base_; }
    std::size_t size() const { return sites_.size(); }

private:
    struct Recent {
        std::uintptr_t place = 0;
        const StepTally* step = nullptr;
        unsigned kind = 0;
        std::uint32_t id = 0;
    };

    std::uint32_t find_or_add(const Where& where, const StepTally* step, Access access, unsigned bytes);

    std::uint32_t base_;
    std::vector<Site> sites_;  ///< never grows past what it reserved: other workers may look at it
    std::array<Recent, 512> recent_{};
};

/// The steps that one worker has met.
class StepTable {
public:
    StepTable() { find(""); }

    StepTally* find(const char* name) {
        Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(name) >> 2) % recent_.size()];
        if (recent.name != name) [[unlikely]] {
            recent = {name, find_or_add(name)};
        }
        return recent.step;
    }

    StepTally* outside() { return steps_.front().get(); }
    const std::vector<std::unique_ptr<StepTally>>& all() const { return steps_; }
    /// A CTA is done: adds what it counted, `times` over, to what is finished.
    void finish_cta(std::uint64_t times);
    /// Forgets what the running CTA counted.
    void clear_cta();

private:
    struct Recent {
        const char* name = nullptr;
        StepTally* step = nullptr;
    };

    StepTally* find_or_add(const char* name);

    std::vector<std::unique_ptr<StepTally>> steps_;
    std::array<Recent, 64> recent_{};
};

}  // namespace flashlens::simt
