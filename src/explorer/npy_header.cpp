#include "explorer/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "say.h"
#include "usage_error.h"

namespace flashlens {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1 << 20;  // NumPy's own are under 200 bytes

/// Reads the one kind of Python dictionary that a header is: string keys; a string, True, False or a tuple of integers as
/// values.
class Dictionary {
public:
    Dictionary(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader read() {
        NpyHeader header;
        bool fortran = false;
        std::array<bool, 3> seen{};
        expect('{');
        while (!accept('}')) {
            const std::string_view key = string();
            expect(':');
            if (key == "descr") {
                if (peek() == '[') {
                    refuse(say("holds records; plain numbers, '<f2', '<f4' or '<f8', are expected"));
                }
                header.descr = string();
                seen[0] = true;
            } else if (key == "fortran_order") {
                fortran = boolean();
                seen[1] = true;
            } else if (key == "shape") {
                header.shape = tuple();
                seen[2] = true;
            } else {
                refuse(say("has the unknown header key '{}'", key));
            }
            if (!accept(',') && peek() != '}') {
                damaged();
            }
        }
        if (peek() != '\0' || !seen[0] || !seen[1] || !seen[2]) {
            damaged();
        }
        if (fortran) {
            refuse(
                say("is in Fortran order; C order is expected: numpy.ascontiguousarray makes it so before numpy.save"));
        }
        return header;
    }

private:
    [[noreturn]] void refuse(const Message& why) const { throw UsageError(say("{}: {}", name_, why)); }
    [[noreturn]] void damaged() const {
        refuse(say("its header is damaged; a dictionary with 'descr', 'fortran_order' and 'shape' is expected"));
    }

    char peek() {
        const std::size_t next = text_.find_first_not_of(" \n\t\r");
        text_.remove_prefix(next == std::string_view::npos ? text_.size() : next);
        return text_.empty() ? '\0' : text_.front();
    }

    bool accept(char wanted) {
        if (peek() != wanted) {
            return false;
        }
        text_.remove_prefix(1);
        return true;
    }

    void expect(char wanted) {
        if (!accept(wanted)) {
            damaged();
        }
    }

    std::string_view string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') {
            damaged();
        }
        const std::size_t end = text_.find(quote, 1);
        if (end == std::string_view::npos) {
            damaged();
        }
        const std::string_view value = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return value;
    }

    bool boolean() {
        peek();
        for (const std::string_view word : {"True", "False"}) {
            if (text_.substr(0, word.size()) == word) {
                text_.remove_prefix(word.size());
                return word == "True";
            }
        }
        damaged();
    }

    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> values;
        expect('(');
        while (!accept(')')) {
            peek();
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
            if (error != std::errc() || value < 0) {
                damaged();
            }
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            values.push_back(value);
            if (!accept(',') && peek() != ')') {
                damaged();
            }
        }
        return values;
    }

    std::string_view text_;
    const std::string& name_;
};

/// Bytes per element of the types that can be read.
std::optional<int> width_of(std::string_view descr) {
    if (descr == "<f2" || descr == "=f2") {
        return 2;
    }
    if (descr == "<f4" || descr == "=f4") {
        return 4;
    }
    if (descr == "<f8" || descr == "=f8") {
        return 8;
    }
    return std::nullopt;
}

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) {
        value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
    }
    return value;
}

}  // namespace

std::int64_t NpyHeader::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) {
        product *= size;
    }
    return product;
}

NpyHeader read_npy_header(std::istream& file, const std::string& name) {
    const auto refuse = [&](const Message& why) { throw UsageError(say("{}: {}", name, why)); };
    const auto read = [&](std::size_t size) {
        std::string bytes(size, '\0');
        if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
            refuse(say("is no .npy file, or is cut short; one that numpy.save wrote is expected"));
        }
        return bytes;
    };
    if (read(magic.size()) != magic) {
        refuse(say("is no .npy file; one that numpy.save wrote is expected"));
    }
    const std::string version = read(2);
    if (version[0] < 1 || version[0] > 3 || version[1] != 0) {
        refuse(say("is of .npy format {}.{}; 1.0, 2.0 or 3.0 is expected", static_cast<int>(version[0]),
                   static_cast<int>(version[1])));
    }
    const std::uint32_t length = little_endian(read(version[0] == 1 ? 2 : 4));
    if (length > longest_header) {
        refuse(say("its header claims {} bytes; at most {} are expected", length, longest_header));
    }
    NpyHeader header = Dictionary(read(length), name).read();
    const std::optional<int> width = width_of(header.descr);
    if (!width) {
        const bool big_endian = header.descr.starts_with('>');
        refuse(
            say("holds '{}'{}; float16, float32 or float64, little-endian ('<f2', '<f4', '<f8') is expected: "
                "a.astype('<f4') makes it so before numpy.save",
                header.descr, big_endian ? say(", big-endian numbers") : Message{}));
    }
    header.bytes_per_element = *width;
    std::int64_t bytes = *width;
    for (const std::int64_t size : header.shape) {
        if (__builtin_mul_overflow(bytes, size, &bytes)) {
            refuse(say("its shape is too large for 63 bits"));
        }
    }
    return header;
}

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
    std::string tuple;
    for (const std::int64_t size : shape) {
        tuple += fmt::format("{}, ", size);
    }
    std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, tuple);
    constexpr std::size_t before = 10;  // magic, version and length
    dictionary.append(63 - (before + dictionary.size()) % 64, ' ');
    dictionary += '\n';
    std::string header(magic);
    header += {'\x01', '\x00', static_cast<char>(dictionary.size() % 256), static_cast<char>(dictionary.size() / 256)};
    return header + dictionary;
}

}  // namespace flashlens
