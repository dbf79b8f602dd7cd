// Memory instructions of device.h: bounds, order and counting of each access, and the asynchronous copies.
#include <algorithm>
#include <array>
#include <cstring>

#include "simt/cta.h"

namespace flashlens::simt {
namespace {

/// What a launch that only counts loads.
constexpr std::array<std::uint32_t, 4> zeros{};

/// With a constant size in each case, so that it is a move and not a call.
void copy_bytes(void* to, const void* from, unsigned bytes) {
    switch (bytes) {
        case 2:
            std::memcpy(to, from, 2);
            return;
        case 4:
            std::memcpy(to, from, 4);
            return;
        case 8:
            std::memcpy(to, from, 8);
            return;
        default:
            std::memcpy(to, from, 16);
            return;
    }
}

inline void check_shared_bounds(Cta& cta, Access access, const Where& where, unsigned thread, std::uint32_t address,
                                unsigned bytes) {
    if (!cta.shared().contains(address, bytes) || (address & (bytes - 1)) != 0) [[unlikely]] {
        cta.fail_bounds_shared(access, where, thread, address, bytes);
    }
}

/// Checks a read of shared memory and notes it.
[[gnu::always_inline]] inline void read_shared(Cta& cta, Access access, const Where& where, std::uint32_t address,
                                               unsigned bytes, const Moment& m) {
    Granule* granule = cta.shared().granule(address);
    for (unsigned i = 0; i < bytes / 4; ++i) {
        if (const Finding finding = note_read(granule[i], m); finding != Finding::fine) [[unlikely]] {
            cta.fail_shared(finding, access, where, m.thread, address + 4 * i, granule[i]);
        }
    }
}

/// Checks a write of shared memory and notes it as `record`.
[[gnu::always_inline]] inline void write_shared(Cta& cta, Access access, const Where& where, std::uint32_t address,
                                                unsigned bytes, const Moment& m, Stamp record) {
    Granule* granule = cta.shared().granule(address);
    for (unsigned i = 0; i < bytes / 4; ++i) {
        if (const Finding finding = note_write(granule[i], m, record); finding != Finding::fine) [[unlikely]] {
            cta.fail_shared(finding, access, where, m.thread, address + 4 * i, granule[i]);
        }
    }
}

template <unsigned bytes>
void load_shared_of(void* to, std::uint32_t address, Where where) {
    Cta& cta = *machine;
    const unsigned thread = cta.lane().thread;
    check_shared_bounds(cta, Access::load_shared, where, thread, address, bytes);
    const std::uint32_t site = cta.site(where, Access::load_shared, bytes);
    if (cta.checks()) {
        read_shared(cta, Access::load_shared, where, address, bytes, cta.moment(cta.warp(), thread, site));
    }
    if (cta.values()) {
        std::memcpy(to, cta.shared().at(address), bytes);
    } else {
        std::memset(to, 0, bytes);
    }
    cta.log(site, address);
}

template <unsigned bytes>
void store_shared_of(std::uint32_t address, const void* from, Where where) {
    Cta& cta = *machine;
    const unsigned thread = cta.lane().thread;
    check_shared_bounds(cta, Access::store_shared, where, thread, address, bytes);
    const std::uint32_t site = cta.site(where, Access::store_shared, bytes);
    if (cta.checks()) {
        const Moment m = cta.moment(cta.warp(), thread, site);
        write_shared(cta, Access::store_shared, where, address, bytes, m, m.mine);
    }
    if (cta.values()) {
        std::memcpy(cta.shared().at(address), from, bytes);
    }
    cta.log(site, address);
}

struct GlobalPlace {
    std::uint64_t address;  ///< device address
    std::uint32_t region;   ///< its number
};

/// The region of a global access, after every check of it; the access is noted.
GlobalPlace note_global(Cta& cta, Access access, const Where& where, const void* address, unsigned bytes,
                        std::uint32_t site) {
    MappedRegion* region = cta.find_global(address, bytes);
    if (region == nullptr) [[unlikely]] {
        cta.fail_bounds_global(access, where, address, bytes);
    }
    const std::size_t position = region->position(static_cast<const std::byte*>(address));
    const auto details = [&] { return region->details(position, bytes); };
    if ((position & (bytes - 1)) != 0) [[unlikely]] {
        cta.fail(KernelError::Kind::misaligned,
                 std::string(name_of(access)) + " misaligned: " + std::to_string(bytes) + " bytes at offset " +
                     std::to_string(position - region->skew) + " of " + region->name,
                 access, where, details());
    }
    const bool writes = access == Access::store_global;
    if (writes && region->use == Region::Use::input) [[unlikely]] {
        cta.fail(KernelError::Kind::out_of_bounds,
                 std::string(name_of(access)) + " to " + region->name + ", which is an input and not to be written",
                 access, where, details());
    }
    if (region->granules) {
        const Moment m = cta.moment(cta.warp(), cta.lane().thread, site);
        GlobalGranule* granule = &region->granules[position / 4];
        const unsigned halves = bytes == 2 ? 1U << (position / 2 % 2) : 3U;
        for (unsigned i = 0; i < (bytes + 3) / 4; ++i) {
            const GlobalFinding finding = writes ? note_global_write(granule[i], m, cta.cta_number(), halves)
                                                 : note_global_read(granule[i], m, cta.cta_number(), halves);
            if (finding != GlobalFinding::fine) [[unlikely]] {
                cta.fail_global(finding, access, where, *region, position + 4 * i, granule[i]);
            }
        }
    }
    if (TouchedMap& map = writes ? region->written : region->read; map) {
        map.touch(position, bytes);
    }
    return {region->device_address + position, region->number};
}

/// ldmatrix for the whole warp, whose lanes have left their addresses and registers.
[[gnu::noinline]] void load_matrices(bool transposed, Where where) {
    Cta& cta = *machine;
    Warp& warp = cta.warp();
    if (!cta.complete(Meeting::ldmatrix)) {
        return;
    }
    const unsigned first_thread = cta.lane().thread / 32 * 32;
    const std::uint32_t site = cta.site(where, Access::ldmatrix, 16);
    Moment m = cta.moment(warp, first_thread, site);
    std::array<std::array<std::uint16_t, 8>, 32> rows;
    for (unsigned i = 0; i < 32; ++i) {
        const std::uint32_t address = warp.value[i];
        check_shared_bounds(cta, Access::ldmatrix, where, first_thread + i, address, 16);
        if (cta.checks()) {
            m.thread = first_thread + i;
            m.mine = cta.moment(warp, first_thread + i, site).mine;
            read_shared(cta, Access::ldmatrix, where, address, 16, m);
        }
        std::memcpy(rows[i].data(), cta.shared().at(address), 16);
    }
    // Lane 4 g + t gets elements 2t and 2t + 1 of row g of each matrix; of column g when transposed.
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned g = i / 4;
        const unsigned t = i % 4;
        for (unsigned matrix = 0; matrix < 4; ++matrix) {
            const auto* row = &rows[8 * matrix];
            const std::uint32_t low = transposed ? row[2 * t][g] : row[g][2 * t];
            const std::uint32_t high = transposed ? row[2 * t + 1][g] : row[g][2 * t + 1];
            warp.registers[i][matrix] = low | high << 16;
        }
    }
    count_ldmatrix(cta.warp_tally(), warp.value);
}

}  // namespace

void load_shared(void* to, std::uint32_t shared_address, unsigned bytes, Where where) {
    switch (bytes) {
        case 4:
            return load_shared_of<4>(to, shared_address, where);
        case 8:
            return load_shared_of<8>(to, shared_address, where);
        default:
            return load_shared_of<16>(to, shared_address, where);
    }
}

void store_shared(std::uint32_t shared_address, const void* from, unsigned bytes, Where where) {
    switch (bytes) {
        case 4:
            return store_shared_of<4>(shared_address, from, where);
        case 8:
            return store_shared_of<8>(shared_address, from, where);
        default:
            return store_shared_of<16>(shared_address, from, where);
    }
}

void load_global(void* to, const void* from, unsigned bytes, Where where) {
    Cta& cta = *machine;
    const std::uint32_t site = cta.site(where, Access::load_global, bytes);
    const GlobalPlace place = note_global(cta, Access::load_global, where, from, bytes, site);
    copy_bytes(to, cta.values() ? from : &zeros, bytes);
    cta.log(AccessLog::pack_origin(site, place.region), place.address);
}

void store_global(void* to, const void* from, unsigned bytes, Where where) {
    Cta& cta = *machine;
    const std::uint32_t site = cta.site(where, Access::store_global, bytes);
    const GlobalPlace place = note_global(cta, Access::store_global, where, to, bytes, site);
    if (cta.values()) {
        copy_bytes(to, from, bytes);
    }
    cta.log(AccessLog::pack_origin(site, place.region), place.address);
}

void ldmatrix_x4(std::uint32_t (&registers)[4], std::uint32_t shared_address, bool transposed, Where where) {
    Cta& cta = *machine;
    if (!cta.values()) {
        check_shared_bounds(cta, Access::ldmatrix, where, cta.lane().thread, shared_address, 16);
        std::memset(registers, 0, sizeof registers);
        return cta.log(cta.site(where, Access::ldmatrix, 16), shared_address);
    }
    Warp& warp = cta.warp();
    const unsigned lane = cta.lane().thread % 32;
    warp.registers[lane] = registers;
    warp.value[lane] = shared_address;
    return cta.arrive(Meeting::ldmatrix, where) ? cta.hand_over() : load_matrices(transposed, where);
}

void cp_async_16(std::uint32_t shared_address, const void* from, unsigned source_bytes, Where where) {
    Cta& cta = *machine;
    Lane& lane = cta.lane();
    check_shared_bounds(cta, Access::cp_async, where, lane.thread, shared_address, 16);
    const std::uint32_t site = cta.site(where, Access::cp_async, 16);
    const std::uint64_t source =
        source_bytes == 0 ? AccessLog::no_source : note_global(cta, Access::cp_async, where, from, 16, site).address;
    if (cta.checks()) {
        const Moment m = cta.moment(cta.warp(), lane.thread, site);
        write_shared(cta, Access::cp_async, where, shared_address, 16, m, stamp::in_flight | (m.mine & 0xFFFFFFFF));
    }
    lane.newest = lane.committed + 1;
    if (cta.values()) {
        std::memset(cta.shared().at(shared_address), 0xFF, 16);
        lane.copies.push_back({shared_address, site, lane.committed, lane.waits, source_bytes, from});
    }
    cta.log(site, AccessLog::pack_copy(source, shared_address));
}

void cp_async_commit(Where) {
    ++machine->lane().committed;
}

void cp_async_wait(unsigned pending, Where where) {
    Cta& cta = *machine;
    if (cta.omitted(Omission::What::cp_async_wait, where)) {
        return;
    }
    Lane& lane = cta.lane();
    ++lane.waits;
    lane.committed_at_wait = lane.committed;
    lane.waited = std::max(lane.waited, lane.committed - std::min(lane.committed, pending));
    while (lane.first_copy < lane.copies.size()) {
        const PendingCopy& copy = lane.copies[lane.first_copy];
        if (copy.group + pending >= lane.committed) {
            return;
        }
        std::byte* to = cta.shared().at(copy.shared_address);
        if (copy.source_bytes == 0) {
            std::memset(to, 0, 16);
        } else {
            std::memcpy(to, copy.from, 16);
        }
        if (cta.checks()) {
            const Stamp arrived = cta.moment(cta.warp(), lane.thread, copy.site).mine;
            for (unsigned i = 0; i < 4; ++i) {
                cta.shared().granule(copy.shared_address)[i].write = arrived;
            }
        }
        ++lane.first_copy;
    }
    lane.copies.clear();
    lane.first_copy = 0;
}

}  // namespace flashlens::simt
