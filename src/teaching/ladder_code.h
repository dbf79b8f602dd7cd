// The files that a kernel is made of, and which of them change from one kernel to another.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "embedded_text.h"

namespace flashlens::teaching {

/// The variant's kernel.cuh and what of kernels/ that includes, the primitives apart, which all kernels are written in; of
/// its own folder plan.h too. Empty for a variant without a folder.
std::vector<EmbeddedText> code_of_variant(std::string_view variant);

/// A file that changes: the one before and the one that takes its place. One alone has gone, or come.
struct FileChange {
    std::optional<EmbeddedText> before{};
    std::optional<EmbeddedText> after{};
};

struct CodeChange {
    std::vector<FileChange> files;          ///< that change: those in both, then those that came, then those that went
    std::vector<std::string_view> shared;  ///< paths of those that are in both as they are
};

/// Files of one path, or with one text, are the same; of the others those of one name are each other's.
CodeChange code_change(const std::vector<EmbeddedText>& before, const std::vector<EmbeddedText>& after);

}  // namespace flashlens::teaching
