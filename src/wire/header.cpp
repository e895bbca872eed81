#include "wire/header.hpp"

#include <cstring>

namespace gapless::wire {

namespace {

enum Field {
  kCookie,
  kCookieRest,
  kProcess,
  kRecord,
  kSerial,
  kBytes,
  kPartBytes,
  kTrial,
  kKind,
  // Of an offered message; 0 of others.
  kLayout,
  kLayoutChunk,
  kLayoutUnit,
  kLayoutBytes,
  kCount,
  kAddress,
};

std::uint64_t word_at(const void* bytes, Field word) noexcept {
  std::uint64_t value;
  std::memcpy(&value, static_cast<const char*>(bytes) + 2 * sizeof value * word, sizeof value);
  return value;
}

}  // namespace

void write_header(Header& header, const Segment& segment, const Sealed& message) noexcept {
  const auto set = [&](Field word, std::uint64_t value) { header.words[2 * word] = value; };
  set(kCookie, segment.cookie()[0]);
  set(kCookieRest, segment.cookie()[1]);
  set(kProcess, message.ticket.process);
  set(kRecord, message.ticket.record);
  set(kSerial, message.serial);
  set(kBytes, static_cast<std::uint64_t>(message.ticket.bytes));
  set(kPartBytes, static_cast<std::uint64_t>(message.ticket.part_bytes));
  set(kTrial, static_cast<std::uint64_t>(message.ticket.trial));
  set(kKind, message.ticket.kind.number());
  const Buffer origin = message.origin.value_or(Buffer{});
  set(kLayout, origin.layout.serial);
  set(kLayoutChunk, origin.layout.chunk);
  set(kLayoutUnit, origin.layout.unit);
  set(kLayoutBytes, origin.layout.bytes);
  set(kCount, static_cast<std::uint64_t>(origin.count));
  set(kAddress, origin.address);
}

bool read_header(const void* bytes, Segment& segment, Sealed& message) noexcept {
  if (word_at(bytes, kCookie) != segment.cookie()[0] || word_at(bytes, kCookieRest) != segment.cookie()[1])
    return false;
  const std::uint64_t process = word_at(bytes, kProcess), record = word_at(bytes, kRecord);
  if (process >= static_cast<std::uint64_t>(segment.processes()) || record >= kRecords) return false;
  message.ticket.process = static_cast<std::uint32_t>(process);
  message.ticket.record = static_cast<std::uint32_t>(record);
  message.ticket.bytes = static_cast<std::int64_t>(word_at(bytes, kBytes));
  message.ticket.part_bytes = static_cast<std::int64_t>(word_at(bytes, kPartBytes));
  message.ticket.trial = static_cast<Trial>(word_at(bytes, kTrial));
  message.ticket.kind = StoresKind(word_at(bytes, kKind));
  message.serial = static_cast<std::uint32_t>(word_at(bytes, kSerial));
  if (word_at(bytes, kTrial) > static_cast<std::uint64_t>(Trial::kWatched) ||
      !StoresKind::is_valid(word_at(bytes, kKind)) || message.ticket.bytes <= 0 || message.ticket.part_bytes <= 0 ||
      message.ticket.part_bytes > kChunkBytes ||
      parts_of(message.ticket.bytes, message.ticket.part_bytes) > segment.max_chunks() ||
      !segment.is_known(static_cast<int>(process), 0)) {
    return false;
  }
  message.origin.reset();
  if (word_at(bytes, kLayout) != 0) {
    message.origin = {.layout = {.serial = word_at(bytes, kLayout),
                                 .chunk = static_cast<std::uint32_t>(word_at(bytes, kLayoutChunk)),
                                 .unit = static_cast<std::uint16_t>(word_at(bytes, kLayoutUnit)),
                                 .bytes = static_cast<std::uint16_t>(word_at(bytes, kLayoutBytes))},
                      .count = static_cast<std::int64_t>(word_at(bytes, kCount)),
                      .address = word_at(bytes, kAddress)};
  }
  const auto& control = segment.record(static_cast<int>(process), message.ticket.record);
  return !control.is_free() && control.serial.load(std::memory_order_relaxed) == message.serial;
}

}  // namespace gapless::wire
