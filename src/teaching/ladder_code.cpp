#include "teaching/ladder_code.h"

#include <algorithm>
#include <string>

#include "teaching/kernel_texts.h"

namespace flashlens::teaching {
namespace {

const EmbeddedText* find_text(std::string_view path) {
    const auto texts = kernel_texts();
    const auto found = std::find_if(texts.begin(), texts.end(), [&](const EmbeddedText& t) { return t.path == path; });
    return found == texts.end() ? nullptr : &*found;
}

std::string_view folder_of(std::string_view path) {
    return path.substr(0, path.rfind('/') + 1);
}

std::string_view name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

/// kernels/v2_tuned/kernel.cuh of "v2-tuned"; a rung's folder is in kernels/between/.
const EmbeddedText* kernel_of(std::string_view variant) {
    std::string folder(variant);
    std::replace(folder.begin(), folder.end(), '-', '_');
    for (const char* const above : {"kernels/", "kernels/between/"}) {
        if (const EmbeddedText* const kernel = find_text(above + folder + "/kernel.cuh")) {
            return kernel;
        }
    }
    return nullptr;
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

bool everybodys(std::string_view path) {
    return path.starts_with("kernels/primitives/") || path == "kernels/attention.h";
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

std::vector<EmbeddedText> code_of_variant(std::string_view variant) {
    std::vector<EmbeddedText> files;
    if (const EmbeddedText* const kernel = kernel_of(variant)) {
        add(files, *kernel);
        if (const EmbeddedText* const plan = find_text(std::string(folder_of(kernel->path)) + "plan.h")) {
            add(files, *plan);
        }
    }
    return files;
}

CodeChange code_change(const std::vector<EmbeddedText>& before, const std::vector<EmbeddedText>& after) {
    CodeChange change;
    std::vector<EmbeddedText> gone = before;
    std::vector<EmbeddedText> come;
    for (const EmbeddedText& file : after) {
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
        const auto other = std::find_if(gone.begin(), gone.end(), [&](const EmbeddedText& one) {
            return name_of(one.path) == name_of(file.path);
        });
        if (other == gone.end()) {
            alone.push_back({{}, file});
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
