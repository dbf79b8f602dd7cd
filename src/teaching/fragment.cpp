#include "teaching/fragment.h"

namespace flashlens::teaching {

int columns_of(Operand operand) {
    return operand == Operand::a ? 16 : 8;
}

FragmentPlace place_of(Operand operand, int row, int column) {
    // lane = 4 group + thread_in_group, as the PTX ISA calls them
    switch (operand) {
        case Operand::a:
            return {4 * (row % 8) + column % 8 / 2, column % 2 + 2 * (row / 8) + 4 * (column / 8)};
        case Operand::b:
            return {4 * column + row % 8 / 2, row % 2 + 2 * (row / 8)};
        case Operand::c:
            break;
    }
    return {4 * (row % 8) + column / 2, column % 2 + 2 * (row / 8)};
}

}  // namespace flashlens::teaching
