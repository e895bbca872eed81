// The constants of the serialised form: docs/serialised.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gapless::serial {

inline constexpr std::array<std::uint8_t, 3> kMagic = {'G', 'A', 'P'};
inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = kMagic.size() + 1;
inline constexpr std::size_t kChecksumBytes = 4;

// 0 is no tag, so zeroed memory is not a node.
enum class Tag : std::uint8_t { kRun = 1, kLoop = 2, kTable = 3, kBlocks = 4, kSequence = 5 };

// The depth of normal::Node: a run has 1, blocks have 2, any other node has one more than the deepest node that it
// refers to. Types may nest 1000 deep, and the reader adds a few levels around the nodes.
inline constexpr int kMaxDepth = 512;
inline constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 16;

// The limit on the cost of normalising (normal/normalise.hpp): a tenth of a second, and some microseconds per byte.
// Nodes may be shared, so a few hundred bytes can ask for much more.
inline constexpr std::int64_t kMaxWork = std::int64_t{1} << 25, kMaxWorkPerByte = 1024;

}  // namespace gapless::serial
