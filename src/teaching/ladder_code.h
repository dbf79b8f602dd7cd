// The files that a kernel is made of, and which of them change from one kernel to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embedded_text.h"

namespace flashlens::teaching {

struct KernelCode {
    std::string folder;               ///< the kernel's own: "kernels/v1/"
    std::vector<EmbeddedText> files;  ///< kernel.cuh first
};

/// The variant's kernel.cuh and what of kernels/ that includes, but for what every kernel is written in (the primitives) and
/// for the plans, which choose its tile.
KernelCode code_of_variant(std::string_view variant);

/// A file that changes: the one before and the one that takes its place. One alone has gone, or come.
struct FileChange {
    std::optional<EmbeddedText> before{};
    std::optional<EmbeddedText> after{};
    bool own = true;  ///< of one that has come: it stands in the kernel's own folder
};

struct CodeChange {
    std::vector<FileChange> files;         ///< that change: those in both, then those that came, then those that went
    std::vector<std::string_view> shared;  ///< paths of those that are in both as they are
};

/// Files of one path, or with one text, are the same. Of the others, two of one name are each other's where each stands in
/// its kernel's own folder.
CodeChange code_change(const KernelCode& before, const KernelCode& after);

}  // namespace flashlens::teaching
