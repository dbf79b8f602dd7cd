// Zeroed memory that costs nothing until it is touched, however large.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace flashlens::simt {

/// An array of `T`, whose all-zero bytes are a valid value, on pages of its own.
template <typename T>
class ZeroedPages {
public:
    ZeroedPages() = default;
    explicit ZeroedPages(std::size_t count) : bytes_(count * sizeof(T)) {
        void* memory =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::bad_alloc();
        }
        data_ = static_cast<T*>(memory);
    }
    ZeroedPages(ZeroedPages&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    ZeroedPages& operator=(ZeroedPages&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~ZeroedPages() {
        if (data_ != nullptr) {
            munmap(data_, bytes_);
        }
    }

    explicit operator bool() const { return data_ != nullptr; }
    T* data() { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + bytes_ / sizeof(T); }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + bytes_ / sizeof(T); }
    T& operator[](std::size_t i) { return data_[i]; }

private:
    T* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace flashlens::simt
