// What the files of this room share of the CUDA runtime: errors, memory and timing. For nvcc alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "gpu/gpu.h"
#include "gpu/say.h"

namespace flashlens::gpu {

/// Throws Error: what was done, the runtime's words, and advice where there is some.
[[noreturn]] void fail(cudaError_t error, const Message& what);

inline void check(cudaError_t error, const Phrase& what) {
    if (error != cudaSuccess) {
        fail(error, say(what));
    }
}

/// Throws Error unless the card has that much memory free; both figures are named.
void check_memory(std::size_t needed);

/// Device memory, freed when it goes.
class Buffer {
public:
    explicit Buffer(std::size_t bytes) : bytes_(bytes) {
        if (bytes > 0) {
            check(cudaMalloc(&data_, bytes), "allocating memory on the card");
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data_); }

    void* data() const { return data_; }
    float* floats() const { return static_cast<float*>(data_); }

    /// NaN in fp32, fp16 and bf16.
    void poison() const {
        if (bytes_ > 0) {
            check(cudaMemset(data_, 0xff, bytes_), "filling memory on the card");
        }
    }
    void upload(const void* from) const {
        if (bytes_ > 0) {
            check(cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice), "copying inputs to the card");
        }
    }
    /// So many bytes, from this one on.
    void download(void* to, std::size_t bytes, std::size_t from = 0) const {
        if (bytes > 0) {
            check(cudaMemcpy(to, static_cast<const char*>(data_) + from, bytes, cudaMemcpyDeviceToHost),
                  "copying outputs from the card");
        }
    }
    std::size_t bytes() const { return bytes_; }

private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

class Event {
public:
    Event() { check(cudaEventCreate(&event_), "creating an event"); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { cudaEventDestroy(event_); }

    void record() const { check(cudaEventRecord(event_), "recording an event"); }
    double us_since(const Event& start) const {
        check(cudaEventSynchronize(event_), "running the kernel");
        float ms = 0.0F;
        check(cudaEventElapsedTime(&ms, start.event_, event_), "reading an event");
        return static_cast<double>(ms) * 1e3;
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// Times launches with events.
class Stopwatch {
public:
    /// Mean time of one of `launches` launches back to back.
    template <class Launch>
    double us(int launches, const Launch& launch) const {
        start_.record();
        for (int i = 0; i < launches; ++i) {
            launch();
        }
        stop_.record();
        return stop_.us_since(start_) / launches;
    }

    /// Launches for warm_up_us and returns how many launches make a sample of about sample_us.
    template <class Launch>
    int warm_up(const Launch& launch) const {
        constexpr int at_once = 3;
        us(at_once, launch);  // the first launch also loads the kernel
        double once = 0.0;
        for (double spent = 0.0; spent < warm_up_us; spent += at_once * once) {
            once = std::max(us(at_once, launch), 0.1);  // events tick in half microseconds
        }
        return std::clamp(static_cast<int>(sample_us / once), 1, 200);
    }

private:
    Event start_, stop_;
};

}  // namespace flashlens::gpu
