#include "practice/broken_rule.h"

#include <cctype>
#include <string_view>

#include "practice/two_languages.h"

namespace flashlens::practice {
namespace {

using Details = simt::KernelError::Details;

/// A header by its path within the headers; empty: it is the learner's own file.
std::string_view header_of(std::string_view file) {
    if (file.ends_with(".cu")) {
        return "";
    }
    constexpr std::string_view folder = "kernels/";
    const std::size_t at = file.rfind(folder);
    if (at != std::string_view::npos) {
        return file.substr(at);
    }
    const std::size_t name = file.rfind('/');  // one that comes with an exercise, in a folder of its name
    const std::size_t parent = name == std::string_view::npos || name == 0 ? name : file.rfind('/', name - 1);
    return parent == std::string_view::npos ? file : file.substr(parent + 1);
}

/// "(store_shared, step pack, warp 1, lane 0)"
Message who_text(const simt::Place& place) {
    const bool several = (place.lanes & (place.lanes - 1)) != 0;
    const Message step = place.step.empty() ? Message{} : both({", step {}", "，步骤 {}"}, place.step);
    return both({"({}{}, warp {}, {} {})", "（{}{}，warp {}，{} {}）"}, place.what, step, place.warp,
                several ? both({"lanes", "lane"}) : both({"lane", "lane"}), simt::lane_ranges(place.lanes));
}

/// "shared memory", "O"
Message memory_text(const Details& details) {
    return as_it_is(details.memory);
}

Message bytes_text(const Details& details) {
    return both({"bytes {} to {} of {}, which has {}", "{2} 的第 {0} 到 {1} 字节（共 {3} 字节）"}, details.address,
                details.address + details.bytes - 1, memory_text(details), details.memory_bytes);
}

Message waiting_text(const simt::Place& place) {
    const std::string lanes = simt::lane_ranges(place.lanes);
    if (place.file.empty()) {
        return both({"warp {}, lanes {}: at the end of the kernel", "warp {}，lane {}：已到 kernel 结尾"}, place.warp,
                    lanes);
    }
    return both({"warp {}, lanes {}: wait in {} ({})", "warp {}，lane {}：等在{}（{}）"}, place.warp, lanes,
                line_text(place), place.what);
}

/// Without the blank that stands before a file's name within a sentence.
Message without_blank(Message message) {
    if (message.zh.starts_with(' ')) {
        message.zh.erase(0, 1);
    }
    return message;
}

Message conflict_of(const Details& details) {
    const simt::Place& access = *details.access;
    const simt::Place& earlier = *details.earlier;
    const bool copying = earlier.what == std::string_view("cp_async_16");
    if (copying && !access.writes) {
        return both({"{} reads what {} copies", "{}读取的数据，由{}拷贝"}, place_text(access), place_text(earlier));
    }
    if (access.writes && earlier.writes) {
        return both({"{} and {} write to one place", "{}与{}写同一处"}, place_text(access), place_text(earlier));
    }
    const simt::Place& writer = access.writes ? access : earlier;
    const simt::Place& reader = access.writes ? earlier : access;
    const bool others = details.earlier_by_others && access.writes;
    return both({"{} writes what {}{} reads", "{}所写的，正是{}{}所读的"}, place_text(writer), place_text(reader),
                others ? both({", and other lanes there,", "及同处的其他 lane "}) : Message{});
}

Message race_text(const Details& details) {
    if (details.other_cta) {
        return both({"A race between two CTAs: {}. Nothing orders the CTAs of a launch.",
                     "两个 CTA 之间的竞争（race）：{}。同一次 launch 的 CTA 之间没有任何次序。"},
                    conflict_text(details));
    }
    const bool in_warp = details.access->warp == details.earlier->warp;
    return both({"A race: {}; {} stands between the two.", "竞争（race）：{}；两者之间没有 {}。"},
                conflict_text(details),
                in_warp ? both({"neither __syncwarp nor a barrier", "__syncwarp 或 barrier"})
                        : both({"no barrier", "barrier"}));
}

Finding finding_of(const simt::KernelError& error) {
    using Kind = simt::KernelError::Kind;
    const Details& details = error.details();
    const Message here = details.access ? place_text(*details.access) : Message{};
    switch (error.kind()) {
        case Kind::race:
            return {"race", race_text(details)};
        case Kind::unfinished_copy:
            return {"unfinished-copy",
                    both({"Data is used before its copy is waited for: {}. The cp_async_wait that covers the copy has "
                          "not come yet.",
                          "数据在等待拷贝完成之前就被使用：{}。覆盖这次拷贝的 cp_async_wait 还没有执行。"},
                         conflict_text(details))};
        case Kind::unwritten_read:
            return {"unwritten-read",
                    both({"{} reads what nobody has written.", "{}读取了没有任何线程写过的数据。"}, capital(here))};
        case Kind::out_of_bounds:
            return {"out-of-bounds",
                    details.bytes != 0 && details.address >= 0 &&
                            details.address + details.bytes <= static_cast<std::int64_t>(details.memory_bytes)
                        ? both({"{} writes {}, which is an input.", "{}写了 {}，而它是输入，不允许写。"}, capital(here),
                               memory_text(details))
                        : both({"{} goes out of bounds.", "{}访问越界。"}, capital(here))};
        case Kind::misaligned:
            return {"misaligned",
                    both({"{} is misaligned: an access of {} bytes must begin at a multiple of {}, and this one begins "
                          "at {}.",
                          "{}没有对齐：{} 字节的访问必须从 {} 的倍数处开始，而它从 {} 开始。"},
                         capital(here), details.bytes, details.bytes, details.address)};
        case Kind::divergent_barrier:
            return {"divergent-barrier",
                    both({"A __syncthreads that not all threads of the CTA reach: on a GPU they would wait for ever.",
                          "有的 __syncthreads 并非 CTA 的所有线程都会到达：在 GPU 上会永远等下去。"})};
        case Kind::missing_lane:
            break;
    }
    return {"missing-lane",
            both({"An instruction of a whole warp (mma, ldmatrix, shuffle) that not all 32 lanes come to.",
                  "warp 级指令（mma、ldmatrix、shuffle）没有等到全部 32 个 lane。"})};
}

}  // namespace

Message capital(Message message) {
    if (!message.en.empty()) {
        message.en[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(message.en[0])));
    }
    return without_blank(message);
}

Message line_text(const simt::Place& place) {
    const std::string_view header = header_of(place.file);
    return header.empty() ? both({"line {}", "代码第 {} 行"}, place.line)
                          : both({"line {} of {}", " {1} 第 {0} 行"}, place.line, std::string(header));
}

Message place_text(const simt::Place& place) {
    return both({"{} {}", "{}{}"}, line_text(place), who_text(place));
}

Message conflict_text(const Details& details) {
    return without_blank(conflict_of(details));
}

BrokenRule broken_rule(const simt::KernelError& error) {
    const Details& details = error.details();
    BrokenRule rule{finding_of(error), error, error.kind() == simt::KernelError::Kind::unwritten_read};
    for (const simt::Place& place : details.waiting) {
        rule.evidence.push_back(waiting_text(place));
    }
    if (details.bytes != 0) {
        rule.evidence.push_back(bytes_text(details));
    }
    rule.evidence.push_back(
        both({"in CTA ({}, {}, {})", "在 CTA ({}, {}, {}) 中"}, details.block.x, details.block.y, details.block.z));
    return rule;
}

}  // namespace flashlens::practice
