#include "explorer/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "explorer/npy_header.h"
#include "reason.h"
#include "say.h"

namespace flashlens {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, ".npy files are read and written as little-endian words");

/// One .npy file, opened at its first element, its header checked against its size.
struct Array {
    fs::path path;
    NpyHeader header;
    std::ifstream file;
};

std::string show(std::span<const std::int64_t> shape) {
    return fmt::format("({})", fmt::join(shape, ", "));
}

[[noreturn]] void refuse(const fs::path& path, const Message& why) {
    throw UsageError(say("{}: {}", path.string(), why));
}

Array open(const fs::path& path) {
    Array array{path, {}, std::ifstream(path, std::ios::binary)};
    std::error_code error;
    if (fs::is_directory(path, error) || !array.file) {
        refuse(path, say("can't be read; --input needs a folder with q.npy, k.npy and v.npy"));
    }
    array.header = read_npy_header(array.file, path.string());
    const std::int64_t start = array.file.tellg();
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) {
        refuse(path, say("its size can't be read: {}", reason_of(error)));
    }
    const std::int64_t expected = array.header.elements() * array.header.bytes_per_element;
    const std::int64_t found = static_cast<std::int64_t>(size) - start;
    if (found != expected) {
        refuse(path, say("shape {} of {} needs {} bytes of data, but the file has {}", show(array.header.shape),
                         array.header.descr, expected, found));
    }
    if (array.header.shape.size() != 4) {
        refuse(path, say("has shape {}; (batch, seqlen, heads, head_dim) is expected", show(array.header.shape)));
    }
    return array;
}

struct Folder {
    Array q;
    Array k;
    Array v;
};

Folder open_folder(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        throw UsageError(say("--input {}: not a folder; one with q.npy, k.npy and v.npy is expected", folder.string()));
    }
    Folder files{open(folder / "q.npy"), open(folder / "k.npy"), open(folder / "v.npy")};
    const auto& q = files.q.header.shape;
    const auto& k = files.k.header.shape;
    const auto& v = files.v.header.shape;
    if (v != k) {
        refuse(files.v.path, say("has shape {}; k.npy's is expected, {}", show(v), show(k)));
    }
    if (k[0] != q[0] || k[3] != q[3]) {
        refuse(files.k.path, say("has shape {}; batch {} and head_dim {} are expected, as q.npy has shape {}", show(k),
                                 q[0], q[3], show(q)));
    }
    if (k[2] == 0 ? q[2] != 0 : q[2] % k[2] != 0) {
        refuse(files.k.path,
               say("has {} KV heads, and q.npy {} heads: the KV heads must divide the heads", k[2], q[2]));
    }
    return files;
}

void take_shape(const Folder& files, Problem& problem) {
    const auto& q = files.q.header.shape;
    const auto& k = files.k.header.shape;
    problem.batch = q[0];
    problem.seqlen_q = q[1];
    problem.heads = q[2];
    problem.head_dim = q[3];
    problem.seqlen_k = k[1];
    problem.kv_heads = k[2];
}

double element(const char* bytes, int width) {
    if (width == 2) {
        std::uint16_t word = 0;
        std::memcpy(&word, bytes, sizeof word);
        return widen(word, DType::fp16);
    }
    if (width == 4) {
        float value = 0.0F;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }
    double value = 0.0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::vector<std::uint16_t> read_words(Array& array, DType dtype, std::int64_t& overflowed) {
    constexpr std::int64_t chunk = 1 << 16;
    const int width = array.header.bytes_per_element;
    std::vector<std::uint16_t> words(array.header.elements());
    std::vector<char> bytes(chunk * width);
    for (std::int64_t first = 0; first < std::ssize(words); first += chunk) {
        const std::int64_t count = std::min(chunk, std::ssize(words) - first);
        if (!array.file.read(bytes.data(), count * width)) {
            refuse(array.path, say("reading it failed"));
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const double value = element(bytes.data() + i * width, width);
            words[first + i] = round_to(value, dtype);
            if (std::isfinite(value) && !std::isfinite(widen(words[first + i], dtype))) {
                ++overflowed;
            }
        }
    }
    return words;
}

template <class Value>
void write(const fs::path& path, std::span<const std::int64_t> shape, std::span<const Value> values) {
    const auto fail = [&](const Message& what) {
        throw UsageError(say("--output: {} can't be written: {}", path.string(), what));
    };
    std::error_code error;
    if (path.has_parent_path()) {
        fs::create_directories(path.parent_path(), error);
        if (error) {
            fail(reason_of(error));
        }
    }
    fs::path temporary = path;
    temporary += ".partial";
    const auto discard = [&](const Message& what) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        fail(what);
    };
    {
        std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
        if (!file) {
            fail(reason_of_errno());
        }
        const std::string header = npy_header(sizeof(Value) == 4 ? "<f4" : "<f8", shape);
        file.write(header.data(), std::ssize(header));
        file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
        file.close();
        if (!file) {
            discard(say("the disk may be full"));
        }
    }
    fs::rename(temporary, path, error);
    if (error) {
        discard(reason_of(error));
    }
}

std::array<std::int64_t, 4> o_shape(const Problem& p) {
    return {p.batch, p.seqlen_q, p.heads, p.head_dim};
}
std::array<std::int64_t, 3> lse_shape(const Problem& p) {
    return {p.batch, p.heads, p.seqlen_q};
}

}  // namespace

void read_shape(const fs::path& folder, Problem& problem) {
    take_shape(open_folder(folder), problem);
}

Inputs read_inputs(const fs::path& folder, Problem& problem) {
    Folder files = open_folder(folder);
    take_shape(files, problem);
    Inputs inputs;
    inputs.q = read_words(files.q, problem.dtype, inputs.overflowed);
    inputs.k = read_words(files.k, problem.dtype, inputs.overflowed);
    inputs.v = read_words(files.v, problem.dtype, inputs.overflowed);
    return inputs;
}

void write_npy(const fs::path& file, std::span<const std::int64_t> shape, std::span<const float> values) {
    write(file, shape, values);
}

void write_npy(const fs::path& file, std::span<const std::int64_t> shape, std::span<const double> values) {
    write(file, shape, values);
}

void write_outputs(const fs::path& folder, const Problem& problem, std::span<const std::uint16_t> o,
                   std::span<const float> lse) {
    std::vector<float> numbers(o.size());
    std::transform(o.begin(), o.end(), numbers.begin(),
                   [&](std::uint16_t word) { return static_cast<float>(widen(word, problem.dtype)); });
    write_npy(folder / "o.npy", o_shape(problem), numbers);
    write_npy(folder / "lse.npy", lse_shape(problem), lse);
}

void write_reference(const fs::path& folder, const Problem& problem, std::span<const double> o,
                     std::span<const double> lse) {
    // From (batch, head, row, dim), the order of the reference's rows, to (batch, row, head, dim).
    std::vector<double> transposed(o.size());
    const std::int64_t dim = problem.head_dim;
    for (std::int64_t b = 0; b < problem.batch; ++b) {
        for (std::int64_t h = 0; h < problem.heads; ++h) {
            for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
                const double* const from = o.data() + ((b * problem.heads + h) * problem.seqlen_q + i) * dim;
                std::copy(from, from + dim, transposed.data() + ((b * problem.seqlen_q + i) * problem.heads + h) * dim);
            }
        }
    }
    write_npy(folder / "o.npy", o_shape(problem), transposed);
    write_npy(folder / "lse.npy", lse_shape(problem), lse);
}

}  // namespace flashlens
