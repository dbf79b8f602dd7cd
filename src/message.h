#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "bilingual.h"

namespace flashlens {

/// Something said to people, in every language: say.h makes them. Results carry them as reasons, errors as what they tell.
struct Message {
    std::string en;
    std::string zh;

    bool empty() const { return en.empty(); }
    const std::string& in(Language language) const { return language == Language::zh ? zh : en; }
    bool operator==(const Message&) const = default;
};

/// Could not run: the program ends with exit code 1. what() is the English.
class Failure : public std::runtime_error {
public:
    explicit Failure(Message message) : std::runtime_error(message.en), message_(std::move(message)) {}

    const Message& message() const { return message_; }

private:
    Message message_;
};

}  // namespace flashlens
