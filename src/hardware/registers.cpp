#include "hardware/registers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "hardware/card.h"
#include "hardware/registers_csv.h"

namespace flashlens::hardware {
namespace {

constexpr std::string_view column_names =
    "variant,chip,dtype,causal,head_dim,block_m,block_n,warps,registers,spill_stores_bytes,spill_loads_bytes";
constexpr std::size_t columns = 11;

[[noreturn]] void fail(std::string_view line) {
    throw std::runtime_error("registers.csv: this line can't be read: \"" + std::string(line) + "\"");
}

/// What stands before `separator`, which is removed from `text` with it; all of it where there is none.
std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

CompiledKernel parse_line(std::string_view line) {
    std::array<std::string_view, columns> fields;
    std::string_view rest = line;
    for (std::string_view& field : fields) {
        field = take_until(rest, ',');
    }
    const auto number = [&](std::size_t column) {
        const std::string_view field = fields[column];
        int value = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (error != std::errc{} || end != field.data() + field.size() || value < 0) {
            fail(line);
        }
        return value;
    };
    const bool dtype_known = fields[2] == "fp16" || fields[2] == "bf16";
    if (!rest.empty() || fields[0].empty() || !dtype_known || number(3) > 1) {
        fail(line);
    }
    CompiledKernel kernel;
    kernel.variant = fields[0];
    kernel.chip = number(1);
    kernel.dtype = fields[2] == "fp16" ? DType::fp16 : DType::bf16;
    kernel.causal = number(3) == 1;
    kernel.tile = Tile{number(4), number(5), number(6), number(7)};
    kernel.registers = number(8);
    kernel.spill_stores_bytes = number(9);
    kernel.spill_loads_bytes = number(10);
    return kernel;
}

}  // namespace

RegisterTable parse_register_table(std::string_view text) {
    RegisterTable table;
    std::string_view line = take_until(text, '\n');
    if (line.rfind("# ", 0) != 0) {
        fail(line);
    }
    table.compiler = line.substr(2);
    line = take_until(text, '\n');
    if (line != column_names) {
        fail(line);
    }
    while (!text.empty()) {
        table.kernels.push_back(parse_line(take_until(text, '\n')));
    }
    return table;
}

const RegisterTable& register_table() {
    static const RegisterTable table = parse_register_table(registers_csv().front().text);
    return table;
}

const CompiledKernel* find_compiled_kernel(const RegisterTable& table, std::string_view variant, Chip chip, DType dtype,
                                           bool causal, const Tile& tile) {
    const auto found = std::find_if(table.kernels.begin(), table.kernels.end(), [&](const CompiledKernel& kernel) {
        return kernel.variant == variant && kernel.chip == chip && kernel.dtype == dtype && kernel.causal == causal &&
               kernel.tile == tile;
    });
    return found == table.kernels.end() ? nullptr : &*found;
}

std::optional<int> registers_per_thread(std::string_view variant, Chip chip, DType dtype, bool causal,
                                        const Tile& tile) {
    const CompiledKernel* kernel = find_compiled_kernel(register_table(), variant, chip, dtype, causal, tile);
    return kernel == nullptr ? std::nullopt : std::optional<int>(kernel->registers);
}

}  // namespace flashlens::hardware
