// NumPy's .npy files: a user's own Q, K and V in, O and LSE out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "explorer/inputs.h"
#include "explorer/problem.h"

namespace flashlens {

/// Reads the headers of q.npy, k.npy and v.npy in `folder` and sets batch, heads, kv_heads, seqlen_q, seqlen_k and
/// head_dim of `problem`; the rest (scale too) stays as it is. Throws UsageError, naming the file and what was expected,
/// unless they are float16, float32 or float64, little-endian, C order, (batch, seqlen, heads, head_dim), of the size
/// that the header says, and agree with each other.
void read_shape(const std::filesystem::path& folder, Problem& problem);

/// read_shape, then the numbers, each rounded once to problem.dtype.
Inputs read_inputs(const std::filesystem::path& folder, Problem& problem);

/// Writes a .npy file of format 1.0, C order, little-endian: '<f4' or '<f8'. The size of `values` must be the product of
/// `shape`. Folders are created. The file appears whole or not at all; throws UsageError naming it when it can't be
/// written.
void write_npy(const std::filesystem::path& file, std::span<const std::int64_t> shape, std::span<const float> values);
void write_npy(const std::filesystem::path& file, std::span<const std::int64_t> shape, std::span<const double> values);

/// Writes folder/o.npy, (batch, seqlen_q, heads, head_dim), and folder/lse.npy, (batch, heads, seqlen_q), as float32: a
/// kernel's outputs in the layouts of kernels/attention.h.
void write_outputs(const std::filesystem::path& folder, const Problem& problem, std::span<const std::uint16_t> o,
                   std::span<const float> lse);

/// The same of the fp64 reference, as float64. o and lse are as reference::exact gives them for every row in order:
/// (batch, heads, seqlen_q, head_dim) and (batch, heads, seqlen_q).
void write_reference(const std::filesystem::path& folder, const Problem& problem, std::span<const double> o,
                     std::span<const double> lse);

}  // namespace flashlens
