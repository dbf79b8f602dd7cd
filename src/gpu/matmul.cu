// The card's matmul limit, through cuBLAS. Its library is loaded when it is asked for: linked dynamically, the program would
// not start where it is missing, which is every machine without the CUDA toolkit; linked statically, it would grow by
// hundreds of megabytes.
#include <cublas_v2.h>

#include "gpu/library.h"
#include "gpu/runtime.cuh"

namespace flashlens::gpu {
namespace {

/// The functions that are used, from the library of the toolkit that compiled this.
struct Cublas {
    Library library{{"libcublas.so." + std::to_string(CUBLAS_VER_MAJOR),
                     FLASHLENS_CUBLAS_FOLDER "/libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)}};
    decltype(cublasCreate_v2)* create = library.function<decltype(cublasCreate_v2)>("cublasCreate_v2");
    decltype(cublasDestroy_v2)* destroy = library.function<decltype(cublasDestroy_v2)>("cublasDestroy_v2");
    decltype(cublasGetProperty)* property = library.function<decltype(cublasGetProperty)>("cublasGetProperty");
    // C++ overloads the header's cublasGemmEx; this is the one that is exported.
    using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                  cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
    GemmEx* gemm = library.function<GemmEx>("cublasGemmEx");

    bool complete() const { return create != nullptr && destroy != nullptr && property != nullptr && gemm != nullptr; }
};

void check(cublasStatus_t status, const Phrase& what) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw Error(say("cuBLAS: {}: error {}", {say(what), as_it_is(std::to_string(status))}));
    }
}

class Handle {
public:
    explicit Handle(const Cublas& cublas) : cublas_(cublas) { check(cublas.create(&handle_), "starting"); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { cublas_.destroy(handle_); }

    cublasHandle_t get() const { return handle_; }

private:
    const Cublas& cublas_;
    cublasHandle_t handle_ = nullptr;
};

std::string version(const Cublas& cublas) {
    std::string text = "cuBLAS";
    char separator = ' ';
    for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
        int number = 0;
        check(cublas.property(part, &number), "asking for its version");
        text += separator + std::to_string(number);
        separator = '.';
    }
    return text;
}

}  // namespace

std::optional<Matmul> time_matmul(DType dtype, int size, std::span<const std::uint16_t> a,
                                  std::span<const std::uint16_t> b, int samples, Message* why) {
    const Cublas cublas;
    if (!cublas.complete()) {
        if (why != nullptr) {
            *why = say("{} is not on this machine", {as_it_is("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR))});
        }
        return std::nullopt;
    }
    const std::size_t bytes = std::size_t{2} * size * size;
    check_memory(3 * bytes);
    const Buffer a_on_card(bytes), b_on_card(bytes), c_on_card(bytes);
    a_on_card.upload(a.data());
    b_on_card.upload(b.data());
    const Handle handle(cublas);
    const cudaDataType type = dtype == DType::fp16 ? CUDA_R_16F : CUDA_R_16BF;
    const float one = 1.0F, zero = 0.0F;
    const auto launch = [&] {
        check(cublas.gemm(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, size, size, size, &one, a_on_card.data(), type, size,
                          b_on_card.data(), type, size, &zero, c_on_card.data(), type, size, CUBLAS_COMPUTE_32F,
                          CUBLAS_GEMM_DEFAULT),
              "multiplying");
    };
    Matmul result;
    result.library = version(cublas);
    const Stopwatch stopwatch;
    const int launches = stopwatch.warm_up(launch);
    for (int i = 0; i < samples; ++i) {
        result.samples_us.push_back(stopwatch.us(launches, launch));
    }
    std::sort(result.samples_us.begin(), result.samples_us.end());
    return result;
}

}  // namespace flashlens::gpu
