// NumPy's files: what is read, what is refused and with which words, what is written.
#include "explorer/npy.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

using namespace flashlens;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes away with it.
struct Folder {
    Folder() {
        static int count = 0;
        path =
            fs::temp_directory_path() / ("flashlens_npy_" + std::to_string(getpid()) + "_" + std::to_string(count++));
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    fs::path path;
};

/// A .npy file byte by byte, as the format's definition has it, so that the writer isn't tested against itself.
std::string file_bytes(const std::string& dictionary, const std::string& data, char version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    const std::size_t length = dictionary.size() + 1;
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
        bytes += static_cast<char>(length >> (8 * i) & 0xFF);
    }
    return bytes + dictionary + "\n" + data;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
    std::string bytes(values.size() * sizeof(Value), '\0');
    if (!values.empty()) {
        std::memcpy(bytes.data(), values.data(), bytes.size());
    }
    return bytes;
}

void put(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string get(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Good files: q (1, 3, 4, 8), k and v (1, 2, 2, 8), in fp32, counting up from 0, 1000 and 2000.
void put_good(const fs::path& folder) {
    const auto ramp = [](int size, float first) {
        std::vector<float> values(size);
        for (int i = 0; i < size; ++i) {
            values[i] = first + static_cast<float>(i);
        }
        return bytes_of(values);
    };
    put(folder / "q.npy", file_bytes(header("<f4", "(1, 3, 4, 8)"), ramp(96, 0)));
    put(folder / "k.npy", file_bytes(header("<f4", "(1, 2, 2, 8)"), ramp(32, 1000)));
    put(folder / "v.npy", file_bytes(header("<f4", "(1, 2, 2, 8)"), ramp(32, 2000)));
}

std::string refusal(const fs::path& folder) {
    try {
        Problem problem;
        read_inputs(folder, problem);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

/// The refusal of good files with one of them replaced.
std::string refusal_with(const std::string& file, const std::string& bytes) {
    const Folder folder;
    put_good(folder.path);
    put(folder.path / file, bytes);
    return refusal(folder.path);
}

bool holds(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) {
        if (text.find(part) == std::string::npos) {
            MESSAGE("'", text, "' lacks '", part, "'");
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("the shape comes from the files, the rest of the problem stays") {
    const Folder folder;
    put_good(folder.path);
    Problem problem{.batch = 9, .scale = 0.25, .seed = 4};
    read_shape(folder.path, problem);
    CHECK(problem.batch == 1);
    CHECK(problem.seqlen_q == 3);
    CHECK(problem.heads == 4);
    CHECK(problem.head_dim == 8);
    CHECK(problem.seqlen_k == 2);
    CHECK(problem.kv_heads == 2);
    CHECK(problem.scale == 0.25);
    CHECK(problem.seed == 4);
}

TEST_CASE("numbers arrive in order, of every format version and type") {
    for (const char version : {1, 2, 3}) {
        const Folder folder;
        put_good(folder.path);
        std::vector<double> values(32);
        for (int i = 0; i < 32; ++i) {
            values[i] = i - 16;
        }
        put(folder.path / "k.npy", file_bytes(header("<f8", "(1, 2, 2, 8)"), bytes_of(values), version));
        std::vector<std::uint16_t> halves(32, 0x3C00);
        halves[5] = 0xC000;
        put(folder.path / "v.npy", file_bytes(header("<f2", "(1, 2, 2, 8)"), bytes_of(halves), version));
        Problem problem;
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            problem.dtype = dtype;
            const Inputs inputs = read_inputs(folder.path, problem);
            REQUIRE(inputs.q.size() == 96);
            REQUIRE(inputs.k.size() == 32);
            for (int i = 0; i < 96; ++i) {
                CHECK(widen(inputs.q[i], dtype) == i);
            }
            for (int i = 0; i < 32; ++i) {
                CHECK(widen(inputs.k[i], dtype) == i - 16);
                CHECK(widen(inputs.v[i], dtype) == (i == 5 ? -2.0 : 1.0));
            }
            CHECK(inputs.overflowed == 0);
        }
    }
}

TEST_CASE("each number is rounded once, and finite ones that overflow are counted") {
    const Folder folder;
    put_good(folder.path);
    std::vector<double> values(32, 1.0);
    values[0] = 1.0 + 0x1p-11 + 0x1p-40;  // through fp32 it would be a tie and go to 1
    values[1] = 65520.0;
    values[2] = std::numeric_limits<double>::infinity();
    values[3] = std::nan("");
    put(folder.path / "k.npy", file_bytes(header("<f8", "(1, 2, 2, 8)"), bytes_of(values)));
    Problem problem;
    const Inputs inputs = read_inputs(folder.path, problem);
    CHECK(inputs.k[0] == 0x3C01);
    CHECK(inputs.k[1] == 0x7C00);
    CHECK(inputs.k[2] == 0x7C00);
    CHECK(std::isnan(widen(inputs.k[3], DType::fp16)));
    CHECK(inputs.overflowed == 1);
}

TEST_CASE("sizes of zero can be read") {
    const Folder folder;
    put_good(folder.path);
    put(folder.path / "k.npy", file_bytes(header("<f4", "(1, 0, 2, 8)"), ""));
    put(folder.path / "v.npy", file_bytes(header("<f4", "(1, 0, 2, 8)"), ""));
    Problem problem;
    CHECK(read_inputs(folder.path, problem).k.empty());
    CHECK(problem.seqlen_k == 0);
}

TEST_CASE("what can't be read is refused by name, saying what was expected") {
    const std::string data(32 * 4, '\0');
    const auto with = [&](const std::string& dictionary) {
        return refusal_with("k.npy", file_bytes(dictionary, data));
    };
    CHECK(holds(with(header(">f4", "(1, 2, 2, 8)")), {"k.npy", "'>f4'", "big-endian", "<f4"}));
    CHECK(holds(with(header("<i4", "(1, 2, 2, 8)")), {"k.npy", "'<i4'", "float16, float32 or float64"}));
    CHECK(holds(with(header("|f4", "(1, 2, 2, 8)")), {"k.npy", "'|f4'"}));
    CHECK(holds(with(header("<f4", "(1, 2, 2, 8)", "True")), {"k.npy", "Fortran", "C order"}));
    CHECK(holds(with(header("<f4", "(2, 2, 8)")), {"k.npy", "(2, 2, 8)", "(batch, seqlen, heads, head_dim)"}));
    CHECK(holds(with(header("<f4", "(32,)")), {"k.npy", "(32)"}));
    CHECK(holds(with(header("<f4", "(1, 2, 2, 16)")), {"k.npy", "256 bytes", "128"}));
    CHECK(holds(with(header("<f4", "(1, 1, 2, 8)")), {"k.npy", "64 bytes", "128"}));
    CHECK(holds(with(header("<f4", "(9223372036854775807, 9, 2, 8)")), {"k.npy", "63 bits"}));
    CHECK(holds(with(header("<f4", "(99999999999999999999, 9, 2, 8)")), {"k.npy", "damaged"}));
    CHECK(holds(with(header("<f4", "(1, -2, 2, 8)")), {"k.npy", "damaged"}));
    CHECK(holds(with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), {"k.npy", "records"}));
    CHECK(holds(with("{'descr': '<f4', 'shape': (1, 2, 2, 8), }"), {"k.npy", "fortran_order"}));
    CHECK(holds(with("{'descr': '<f4"), {"k.npy", "damaged"}));
    CHECK(holds(with("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2, 8), 'x': True}"), {"k.npy", "'x'"}));
    CHECK(holds(refusal_with("k.npy", ""), {"k.npy", "no .npy file"}));
    CHECK(holds(refusal_with("k.npy", "PK\x03\x04 an archive"), {"k.npy", "no .npy file"}));
    CHECK(holds(refusal_with("k.npy", file_bytes(header("<f4", "(1, 2, 2, 8)"), data, 4)), {"k.npy", "4.0"}));
    std::string cut = file_bytes(header("<f4", "(1, 2, 2, 8)"), data);
    CHECK(holds(refusal_with("k.npy", cut.substr(0, 30)), {"k.npy", "cut short"}));
    CHECK(holds(refusal_with("k.npy", cut.substr(0, cut.size() - 1)), {"k.npy", "128 bytes", "127"}));
}

TEST_CASE("shapes that don't belong together are refused with both") {
    const auto with = [](const std::string& file, const std::string& shape, int elements) {
        return refusal_with(file, file_bytes(header("<f4", shape), std::string(elements * 4, '\0')));
    };
    CHECK(holds(with("v.npy", "(1, 3, 2, 8)", 48), {"v.npy", "(1, 3, 2, 8)", "(1, 2, 2, 8)"}));
    CHECK(holds(with("q.npy", "(2, 3, 4, 8)", 192), {"k.npy", "batch 2", "(2, 3, 4, 8)"}));
    CHECK(holds(with("q.npy", "(1, 3, 4, 16)", 192), {"k.npy", "head_dim 16"}));
    CHECK(holds(with("q.npy", "(1, 3, 3, 8)", 72), {"2 KV heads", "3 heads"}));
}

TEST_CASE("a folder or file that isn't there is refused by name") {
    const Folder folder;
    CHECK(holds(refusal(folder.path / "none"), {"--input", "none", "not a folder"}));
    CHECK(holds(refusal(folder.path), {"q.npy", "can't be read"}));
    put_good(folder.path);
    fs::remove(folder.path / "v.npy");
    CHECK(holds(refusal(folder.path), {"v.npy"}));
    fs::create_directories(folder.path / "v.npy");
    CHECK(holds(refusal(folder.path), {"v.npy", "can't be read"}));
}

TEST_CASE("what is written follows the format to the byte") {
    const Folder folder;
    const fs::path file = folder.path / "a" / "b" / "x.npy";
    const std::vector<float> values{1.0F, -2.5F, 3.0F, 0.0F, 5.0F, 6.0F};
    const std::vector<std::int64_t> shape{2, 3};
    write_npy(file, shape, values);
    // as the format's definition has it: 118 bytes of header, 128 before the data; (2, 3, ) is Python's (2, 3)
    std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, ), }";
    dictionary.resize(117, ' ');
    CHECK(get(file) == file_bytes(dictionary, bytes_of(values)));
    const std::vector<std::int64_t> one{6};
    write_npy(file, one, std::vector<double>(6, 1.5));
    CHECK(get(file).substr(10, 60).find("'<f8', 'fortran_order': False, 'shape': (6, )") != std::string::npos);
    CHECK(get(file).size() == 128 + 48);
}

TEST_CASE("outputs keep q's layout, the reference's too") {
    const Folder folder;
    Problem problem{.batch = 2, .heads = 2, .kv_heads = 1, .seqlen_q = 3, .seqlen_k = 1, .head_dim = 8};
    std::vector<std::uint16_t> o(2 * 3 * 2 * 8);
    std::vector<double> exact(o.size());
    for (int b = 0; b < 2; ++b) {
        for (int i = 0; i < 3; ++i) {
            for (int h = 0; h < 2; ++h) {
                for (int d = 0; d < 8; ++d) {
                    const double value = b * 1000 + i * 100 + h * 10 + d;
                    o[((b * 3 + i) * 2 + h) * 8 + d] = round_to(value, DType::fp16);
                    exact[((b * 2 + h) * 3 + i) * 8 + d] = value;
                }
            }
        }
    }
    const std::vector<float> lse{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    write_outputs(folder.path / "v1", problem, o, lse);
    write_reference(folder.path / "reference", problem, exact, std::vector<double>(lse.begin(), lse.end()));
    const std::string kernel = get(folder.path / "v1" / "o.npy");
    const std::string reference = get(folder.path / "reference" / "o.npy");
    REQUIRE(kernel.size() == 128 + 96 * 4);
    REQUIRE(reference.size() == 128 + 96 * 8);
    CHECK(kernel.find("(2, 3, 2, 8, )") != std::string::npos);
    CHECK(get(folder.path / "v1" / "lse.npy").find("(2, 2, 3, )") != std::string::npos);
    for (int i = 0; i < 96; ++i) {
        float value = 0.0F;
        double wide = 0.0;
        std::memcpy(&value, kernel.data() + 128 + i * 4, 4);
        std::memcpy(&wide, reference.data() + 128 + i * 8, 8);
        const double expected = i / 48 * 1000 + i / 16 % 3 * 100 + i / 8 % 2 * 10 + i % 8;
        CHECK(value == expected);
        CHECK(wide == expected);
    }
}

TEST_CASE("a write that fails names the file and leaves nothing half written") {
    const Folder folder;
    put(folder.path / "file", "x");
    const std::vector<std::int64_t> shape{1};
    const std::vector<float> values{1.0F};
    const auto message = [&](const fs::path& file) {
        try {
            write_npy(file, shape, values);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(holds(message(folder.path / "file" / "o.npy"), {"--output", "o.npy", "can't be written"}));
    fs::create_directories(folder.path / "taken.npy" / "by a folder");
    CHECK(holds(message(folder.path / "taken.npy"), {"--output", "taken.npy", "can't be written"}));
    for (const auto& entry : fs::directory_iterator(folder.path)) {
        CHECK(entry.path().extension() != ".partial");
    }
    if (fs::exists("/dev/full")) {
        // the device that is always full, under the name that the temporary file would have
        fs::create_symlink("/dev/full", folder.path / "o.npy.partial");
        CHECK(holds(message(folder.path / "o.npy"), {"o.npy", "full"}));
        CHECK_FALSE(fs::exists(folder.path / "o.npy"));
        CHECK_FALSE(fs::is_symlink(folder.path / "o.npy.partial"));
    }
}
