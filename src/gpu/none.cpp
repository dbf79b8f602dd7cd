// gpu.h in a build without CUDA.
#include "gpu/gpu.h"
#include "gpu/say.h"

namespace flashlens::gpu {
namespace {

Message why_not() {
    return say(
        "this program was built without its GPU part; with nvcc 12.0 or newer, configure with -DFLASHLENS_CUDA=ON");
}

}  // namespace

std::optional<Device> device(Message* why) {
    if (why != nullptr) {
        *why = why_not();
    }
    return std::nullopt;
}

Instance inspect(const Call&) {
    throw Error(why_not());
}

std::vector<Run> run(std::span<const Call>, std::span<const std::uint16_t>, std::span<const std::uint16_t>,
                     std::span<const std::uint16_t>, int) {
    throw Error(why_not());
}

Recording record(const Call&, std::int64_t, std::span<const std::uint16_t>, std::span<const std::uint16_t>,
                 std::span<const std::uint16_t>) {
    throw Error(why_not());
}

std::optional<Matmul> time_matmul(DType, int, std::span<const std::uint16_t>, std::span<const std::uint16_t>, int,
                                  Message*) {
    throw Error(why_not());
}

Software software() {
    return {"unknown", "unknown", "none"};
}

}  // namespace flashlens::gpu
