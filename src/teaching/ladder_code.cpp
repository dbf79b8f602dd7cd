#include "teaching/ladder_code.h"

#include <algorithm>
#include <string>

#include "explorer/ladder.h"
#include "teaching/kernel_texts.h"

namespace flashlens::teaching {
namespace {

const EmbeddedText* find_text(std::string_view path) {
    const auto texts = kernel_texts();
    const auto found = std::find_if(texts.begin(), texts.end(), [&](const EmbeddedText& t) { return t.path == path; });
    return found == texts.end() ? nullptr : &*found;
}

std::string_view name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

/// The paths in quotes that a file includes, in its order.
std::vector<std::string_view> includes_of(std::string_view text) {
    constexpr std::string_view include = "#include \"";
    std::vector<std::string_view> paths;
    for (std::size_t at = text.find(include); at != std::string_view::npos; at = text.find(include, at)) {
        at += include.size();
        if (at == include.size() || text[at - include.size() - 1] == '\n') {
            paths.push_back(text.substr(at, text.find('"', at) - at));
        }
    }
    return paths;
}

/// What is no part of one kernel alone.
bool everybodys(std::string_view path) {
    return path.starts_with("kernels/primitives/") || path.ends_with(".h");
}

/// Each file once, those that it includes after it.
void add(std::vector<EmbeddedText>& files, const EmbeddedText& file) {
    const auto same = [&](const EmbeddedText& other) { return other.path == file.path; };
    if (everybodys(file.path) || std::any_of(files.begin(), files.end(), same)) {
        return;
    }
    files.push_back(file);
    for (const std::string_view path : includes_of(file.text)) {
        if (const EmbeddedText* const included = find_text(path)) {
            add(files, *included);
        }
    }
}

}  // namespace

KernelCode code_of_variant(std::string_view variant) {
    KernelCode code{folder_of_kernel(variant), {}};
    if (const EmbeddedText* const kernel = find_text(code.folder + "kernel.cuh")) {
        add(code.files, *kernel);
    }
    return code;
}

CodeChange code_change(const KernelCode& before, const KernelCode& after) {
    CodeChange change;
    std::vector<EmbeddedText> gone = before.files;
    std::vector<EmbeddedText> come;
    for (const EmbeddedText& file : after.files) {
        const auto same = std::find_if(gone.begin(), gone.end(), [&](const EmbeddedText& other) {
            return other.path == file.path || other.text == file.text;
        });
        if (same == gone.end()) {
            come.push_back(file);
        } else {
            change.shared.push_back(file.path);
            gone.erase(same);
        }
    }
    std::vector<FileChange> alone;
    for (const EmbeddedText& file : come) {
        const bool own = file.path.starts_with(after.folder);
        const auto other = std::find_if(gone.begin(), gone.end(), [&](const EmbeddedText& one) {
            return own && one.path.starts_with(before.folder) && name_of(one.path) == name_of(file.path);
        });
        if (other == gone.end()) {
            alone.push_back({{}, file, own});
        } else {
            change.files.push_back({*other, file});
            gone.erase(other);
        }
    }
    change.files.insert(change.files.end(), alone.begin(), alone.end());
    for (const EmbeddedText& file : gone) {
        change.files.push_back({file, {}});
    }
    return change;
}

}  // namespace flashlens::teaching
