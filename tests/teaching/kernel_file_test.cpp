#include "teaching/kernel_file.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "teaching/kernel_texts.h"

using namespace flashlens::teaching;

TEST_CASE("the texts in the program are the files'") {
    CHECK(kernel_texts().size() > 15);
    for (const flashlens::EmbeddedText& embedded : kernel_texts()) {
        std::ifstream file(FLASHLENS_ROOT "/" + std::string(embedded.path));
        std::ostringstream text;
        text << file.rdbuf();
        CAPTURE(embedded.path);
        CHECK(text.str() == embedded.text);
    }
}

TEST_CASE("whole words in code") {
    CHECK(find_word("    pack<T>(frag_p, acc_p);", "pack") == 4);
    CHECK(find_word("Element::pack(a, b)", "pack") == std::string_view::npos);
    CHECK(find_word("repack(a); unpack(b); pack_all(c); x.pack(d)", "pack") == std::string_view::npos);
    CHECK(find_word("smem_o.store(acc_o);", "smem_o.store") == 0);
    CHECK(find_word("out.store_lse(last)", "out.store") == std::string_view::npos);
    CHECK(find_word("unpack(); pack();", "pack") == 10);
    CHECK(find_word("    for (; n >= 0; --n) {", "for (; n") == 4);
    CHECK(find_word("", "pack") == std::string_view::npos);
    CHECK(code_of("int a;  // pack") == "int a;  ");
}

TEST_CASE("declarations with their comment and template head, to their closing brace") {
    const KernelFile file("kernels/v1/steps.cuh");
    const LineRange pack = file.declaration("void pack(");
    CHECK(file.line(pack.first).substr(0, 17) == "/// P in 16 bits.");
    CHECK(file.line(pack.first + 1) == "template <class T>");
    CHECK(file.line(pack.last) == "}");
    CHECK(pack.last - pack.first == 12);
    const LineRange statistics = file.declaration("struct Statistics");
    CHECK(file.line(statistics.last) == "};");
    CHECK_THROWS_AS(file.declaration("void no_such_step("), std::logic_error);
    CHECK_THROWS_AS(file.declaration("template <class T>"), std::logic_error);  // many
    CHECK_THROWS_AS(KernelFile("kernels/v3/kernel.cuh"), std::logic_error);
    CHECK_THROWS_AS(file.main_loop(), std::logic_error);  // no kernel here
    CHECK_THROWS_AS(file.head_paragraph("grid"), std::logic_error);
}

TEST_CASE("the kernels' loops, and what stands around them") {
    for (const char* path : {"kernels/v1/kernel.cuh", "kernels/v2/kernel.cuh", "kernels/v2_tuned/kernel.cuh"}) {
        CAPTURE(path);
        const KernelFile file(path);
        const LineRange before = file.before_loop(), loop = file.main_loop();
        CHECK(before.last < loop.first);
        CHECK(file.line(before.first - 1).empty());
        CHECK(file.line(loop.last) == "    }");
        int loops = 0;
        for (int number = loop.first; number <= loop.last; ++number) {
            loops += file.line(number).substr(0, 9) == "    for (" ? 1 : 0;
        }
        CHECK(loops == (std::string(path).find("/v2/") != std::string::npos ? 2 : 1));
        for (int number = loop.last + 1; number <= file.size(); ++number) {
            CHECK(file.line(number).substr(0, 9) != "    for (");
        }
        const LineRange grid = file.head_paragraph("grid"), warps = file.head_paragraph("warps");
        CHECK(grid.last + 1 == warps.first);
        CHECK(file.line(grid.first).substr(0, 8) == "// grid ");
    }
    const KernelFile v2("kernels/v2/kernel.cuh");
    CHECK(v2.after_loop().first > v2.main_loop().last);
    CHECK(v2.line(v2.main_loop().first).find("// the key blocks that need masking") != std::string_view::npos);
    CHECK_THROWS_AS(v2.in_loop("gemm_qk", "no_such_step"), std::logic_error);
    const LineRange once = v2.in_loop("apply_mask", "apply_mask");
    CHECK(once.first == once.last);
}
