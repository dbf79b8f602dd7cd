// The presets of --model.
#include "explorer/models.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

namespace flashlens {

TEST_CASE("every model is a problem that can be asked, and says where it comes from") {
    std::set<std::string_view> names;
    for (const ModelShape& model : models()) {
        CAPTURE(model.name);
        CHECK(names.insert(model.name).second);
        CHECK(&find_model(model.name) == &model);
        CHECK(!model.source.empty());
        CHECK(model.seqlen > 0);
        CHECK(model.seqlen <= 4096);
        Problem problem;
        apply(model, problem);
        CHECK_NOTHROW(validate(problem));
    }
    CHECK(names.size() >= 12);
}

TEST_CASE("shapes are those of the published configurations") {
    struct Case {
        const char* name;
        std::int64_t heads, kv_heads, head_dim, seqlen;
        bool causal;
    };
    for (const Case& c : {Case{"gpt2", 12, 12, 64, 1024, true}, Case{"llama3-8b", 32, 8, 128, 4096, true},
                          Case{"llama3-70b", 64, 8, 128, 4096, true}, Case{"phi-2", 32, 32, 80, 2048, true},
                          Case{"phi-3-mini", 32, 32, 96, 4096, true}, Case{"qwen2.5-0.5b", 14, 2, 64, 4096, true},
                          Case{"gemma-2b", 8, 1, 256, 4096, true}, Case{"bert-base", 12, 12, 64, 512, false},
                          Case{"whisper-large", 20, 20, 64, 1500, false}, Case{"minilm", 12, 12, 32, 512, false}}) {
        CAPTURE(c.name);
        Problem problem;
        problem.batch = 3;
        problem.seed = 7;
        apply(find_model(c.name), problem);
        CHECK(problem.heads == c.heads);
        CHECK(problem.kv_heads == c.kv_heads);
        CHECK(problem.head_dim == c.head_dim);
        CHECK(problem.seqlen_q == c.seqlen);
        CHECK(problem.seqlen_k == c.seqlen);
        CHECK(problem.causal == c.causal);
        CHECK(problem.scale * problem.scale * static_cast<double>(c.head_dim) == doctest::Approx(1.0).epsilon(1e-14));
        CHECK(problem.batch == 3);
        CHECK(problem.seed == 7);
    }
}

TEST_CASE("an unknown model is refused with the names that there are") {
    for (const char* name : {"gpt5", "", "GPT2", "gpt2 "}) {
        try {
            find_model(name);
            FAIL("taken: " << name);
        } catch (const UsageError& error) {
            const std::string message = error.what();
            CHECK(message.find(std::string("--model ") + name) != std::string::npos);
            CHECK(message.find("llama3-8b") != std::string::npos);
            CHECK(message.find("minilm") != std::string::npos);
        }
    }
}

}  // namespace flashlens
