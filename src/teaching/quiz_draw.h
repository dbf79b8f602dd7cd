// Random draws that are the same on every machine: of questions, and of the numbers in them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace flashlens::teaching {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Draw {
public:
    explicit Draw(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// 0 .. count - 1.
    std::int64_t below(std::int64_t count) {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
    }
    template <class T>
    T one_of(std::initializer_list<T> items) {
        return *(items.begin() + below(static_cast<std::int64_t>(items.size())));
    }
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t left = items.size(); left > 1; --left) {
            std::swap(items[left - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(left)))]);
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace flashlens::teaching
