// What the kernels run under.
#include "gpu/library.h"
#include "gpu/runtime.cuh"

namespace flashlens::gpu {
namespace {

std::string cuda_version(int number) {
    return number == 0 ? "unknown" : std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// By the management library, which comes with every driver. Its functions return 0 on success.
std::string driver_version() {
    const Library library({"libnvidia-ml.so.1"});
    const auto start = library.function<int()>("nvmlInit_v2");
    const auto stop = library.function<int()>("nvmlShutdown");
    const auto ask = library.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    if (start == nullptr || stop == nullptr || ask == nullptr || start() != 0) {
        return "unknown";
    }
    char text[128] = "";
    const bool told = ask(text, sizeof text) == 0;
    stop();
    return told ? text : "unknown";
}

}  // namespace

Software software() {
    int of_driver = 0;
    check(cudaDriverGetVersion(&of_driver), "asking for the driver's version");
    return {driver_version(), cuda_version(of_driver), cuda_version(CUDART_VERSION)};
}

}  // namespace flashlens::gpu
