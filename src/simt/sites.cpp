#include "simt/sites.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace flashlens::simt {

const char* name_of(Access access) {
    switch (access) {
        case Access::load_shared:
            return "load_shared";
        case Access::store_shared:
            return "store_shared";
        case Access::load_global:
            return "load_global";
        case Access::store_global:
            return "store_global";
        case Access::cp_async:
            return "cp_async_16";
        case Access::ldmatrix:
            return "ldmatrix_x4";
    }
    return "access";
}

std::uint32_t SiteTable::find_or_add(const Where& where, const StepTally* step, Access access, unsigned bytes) {
    const auto found = std::find_if(sites_.begin(), sites_.end(), [&](const Site& site) {
        return site.step == step && site.access == access && site.bytes == bytes && same_place(site.where, where) &&
               site.where.column() == where.column();
    });
    if (found != sites_.end()) {
        return base_ + static_cast<std::uint32_t>(found - sites_.begin());
    }
    if (sites_.size() == per_worker) {
        throw std::length_error("the kernel accesses memory at more places than the CPU machine keeps apart (4096)");
    }
    sites_.push_back({where, step, access, static_cast<std::uint8_t>(bytes)});
    return base_ + static_cast<std::uint32_t>(sites_.size() - 1);
}

StepTally* StepTable::find_or_add(const char* name) {
    for (const auto& step : steps_) {
        if (std::string_view(step->name) == name) {
            return step.get();
        }
    }
    auto step = std::make_unique<StepTally>();
    step->name = name;
    step->first_cta = ~std::uint64_t{0};
    steps_.push_back(std::move(step));
    return steps_.back().get();
}

void StepTable::finish_cta(std::uint64_t times) {
    for (const auto& step : steps_) {
        step->finished.add(*step, times);
    }
    clear_cta();
}

void StepTable::clear_cta() {
    for (const auto& step : steps_) {
        static_cast<Counters&>(*step) = Counters{};
    }
}

}  // namespace flashlens::simt
