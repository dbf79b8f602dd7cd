// Exercise 15: which steps ran, what was copied, and whether waits and barriers stand where they have to.
#pragma once

#include <string>
#include <vector>

#include "practice/attempt.h"

namespace flashlens::practice::main_loop {

constexpr std::int64_t block = 64;  ///< rows of a query block, keys of a key block

/// How many key blocks so many keys are.
std::int64_t blocks_of(std::int64_t keys);

/// Held by what the CPU machine counts and reports, of one query block and whole key blocks without a mask; nothing is
/// held on a GPU. Throws the Finding that names what is missing, or what is used or overwritten too early.
void hold_order_of_first_block(Attempt& attempt, const Problem& problem, const Inputs& inputs);
/// The same once a single key block is right.
void hold_order_of_later_blocks(Attempt& attempt, const Problem& problem, const Inputs& inputs);

/// How many barriers the CTAs of a run came to.
std::uint64_t barriers_of(Attempt& attempt, const Problem& problem, const Inputs& inputs);

/// The same finding under another name, which is what it means here; what it said before becomes evidence.
Finding renamed(const Finding& finding, std::string id, Message what, std::vector<Message> evidence);

}  // namespace flashlens::practice::main_loop
