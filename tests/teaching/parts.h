// What tests of the teaching room ask of the kernels' code.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "teaching/source.h"

namespace flashlens::teaching::tests {

using Names = std::vector<std::string>;

inline const Names both{"v1", "v2"};
inline const Names all_three{"v1", "v2", "v2-tuned"};

inline Part part_of(Stage stage, Topic topic, const Names& variants) {
    for (Part& part : parts_of(stage, variants)) {
        if (part.topic == topic) {
            return part;
        }
    }
    FAIL("no such part");
    return {};
}

}  // namespace flashlens::teaching::tests
