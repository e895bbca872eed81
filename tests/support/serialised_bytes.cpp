#include "support/serialised_bytes.hpp"

#include <algorithm>

namespace gapless::test {

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool differs = ((rest ^ (std::uint32_t{byte} >> bit)) & 1) != 0;
      rest = (rest >> 1) ^ (differs ? 0xEDB88320u : 0);
    }
  }
  return ~rest;
}

void reseal(SerialisedBytes& bytes) {
  if (bytes.size() < 4) return;
  const std::size_t end = bytes.size() - 4;
  const std::uint32_t sum = crc32(std::span(bytes).first(end));
  for (std::size_t i = 0; i < 4; ++i) bytes[end + i] = static_cast<std::uint8_t>(sum >> (8 * i));
}

SerialisedWriter::SerialisedWriter() : bytes_{'G', 'A', 'P', 1} {}

SerialisedWriter& SerialisedWriter::raw(std::uint8_t byte) {
  bytes_.push_back(byte);
  return *this;
}

SerialisedWriter& SerialisedWriter::number(std::uint64_t value) {
  while (value > 127) {
    bytes_.push_back(static_cast<std::uint8_t>(128 + value % 128));
    value /= 128;
  }
  return raw(static_cast<std::uint8_t>(value));
}

SerialisedWriter& SerialisedWriter::signed_number(std::int64_t value) {
  return number(value >= 0 ? 2 * static_cast<std::uint64_t>(value) : 2 * static_cast<std::uint64_t>(-(value + 1)) + 1);
}

SerialisedWriter& SerialisedWriter::run(std::uint64_t bytes) {
  return raw(1).number(bytes);
}

SerialisedWriter& SerialisedWriter::loop(std::uint64_t count, std::int64_t stride, std::uint64_t body) {
  return raw(2).number(count).signed_number(stride).number(body);
}

SerialisedWriter& SerialisedWriter::table(std::uint64_t body, const std::vector<std::int64_t>& steps) {
  raw(3).number(steps.size() + 1).number(body).number(1);
  for (const std::int64_t step : steps) signed_number(step);
  return *this;
}

SerialisedWriter& SerialisedWriter::blocks(const std::vector<std::uint64_t>& lengths,
                                           const std::vector<std::int64_t>& steps) {
  raw(4).number(lengths.size()).number(1);
  for (const std::uint64_t length : lengths) number(length);
  number(1);
  for (const std::int64_t step : steps) signed_number(step);
  return *this;
}

SerialisedWriter& SerialisedWriter::sequence(const std::vector<Part>& parts) {
  raw(5).number(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) signed_number(parts[i].step);
    number(parts[i].node);
  }
  return *this;
}

SerialisedBytes SerialisedWriter::sealed() const {
  SerialisedBytes bytes = bytes_;
  bytes.resize(bytes.size() + 4);
  reseal(bytes);
  return bytes;
}

SerialisedBytes hostile_form(Random& random, std::size_t most_bytes) {
  constexpr std::int64_t kMaxData = std::int64_t{1} << 40;
  SerialisedWriter nodes;
  std::vector<std::int64_t> sizes;  // [bytes] of data of each node
  std::vector<bool> used;
  const std::int64_t widest = random.mostly_small(2, 100'000);
  const auto step = [&] { return random.between(random.chance(20) ? -widest : 1, widest); };
  const auto pick = [&] {
    const auto last = static_cast<std::int64_t>(sizes.size()) - 1;
    const std::int64_t chosen =
        random.chance(50) ? random.between(std::max<std::int64_t>(0, last - 2), last) : random.between(0, last);
    return static_cast<std::uint64_t>(chosen);
  };
  const auto use = [&](std::uint64_t node) { used[static_cast<std::size_t>(node)] = true; };
  const auto add = [&](std::int64_t size) {
    sizes.push_back(size);
    used.push_back(false);
  };
  const auto steps = [&](std::int64_t count) {
    std::vector<std::int64_t> list;
    const std::int64_t regular = step();
    const bool some_regular = random.chance(50);
    while (static_cast<std::int64_t>(list.size()) < count)
      list.push_back(some_regular && random.chance(80) ? regular : step());
    return list;
  };
  nodes.run(1);
  add(1);
  while (nodes.sealed().size() + 3 * sizes.size() < most_bytes) {
    const auto most = static_cast<std::int64_t>(most_bytes - nodes.sealed().size());
    switch (random.between(0, 4)) {
      case 0: {
        const std::int64_t bytes = random.mostly_small(1, 300);
        nodes.run(static_cast<std::uint64_t>(bytes));
        add(bytes);
        break;
      }
      case 1: {
        const std::uint64_t body = pick();
        const std::int64_t count = random.mostly_small(2, 1000), size = sizes[body];
        if (size > kMaxData / count) break;
        use(body);
        nodes.loop(static_cast<std::uint64_t>(count), step(), body);
        add(count * size);
        break;
      }
      case 2: {
        const std::uint64_t body = pick();
        const std::int64_t count = random.mostly_small(2, std::max<std::int64_t>(2, most / 2)), size = sizes[body];
        if (size > kMaxData / count) break;
        use(body);
        nodes.table(body, steps(count - 1));
        add(count * size);
        break;
      }
      case 3: {
        const std::int64_t count = random.mostly_small(2, std::max<std::int64_t>(2, most / 4));
        std::vector<std::uint64_t> lengths;
        std::int64_t size = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          lengths.push_back(static_cast<std::uint64_t>(random.mostly_small(1, 100)));
          size += static_cast<std::int64_t>(lengths.back());
        }
        nodes.blocks(lengths, steps(count - 1));
        add(size);
        break;
      }
      default: {
        const std::int64_t count = random.mostly_small(2, std::max<std::int64_t>(2, most / 4));
        std::vector<SerialisedWriter::Part> parts;
        std::int64_t size = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          parts.push_back({step(), pick()});
          size += sizes[parts.back().node];
        }
        if (size > kMaxData) break;
        for (const SerialisedWriter::Part& part : parts) use(part.node);
        nodes.sequence(parts);
        add(size);
        break;
      }
    }
  }
  // The last node refers to whatever no other does.
  std::vector<SerialisedWriter::Part> parts{{0, 0}};
  std::int64_t size = sizes[0];
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (used[i]) continue;
    parts.push_back({step(), i});
    size += sizes[i];
  }
  if (parts.size() == 1) parts.push_back({step(), 0}), size += sizes[0];
  nodes.sequence(parts);
  SerialisedWriter whole;
  whole.number(static_cast<std::uint64_t>(size)).signed_number(0).signed_number(size).signed_number(0);
  whole.number(sizes.size() + 1);
  const SerialisedBytes all = nodes.sealed();
  for (std::size_t i = 4; i + 4 < all.size(); ++i) whole.raw(all[i]);
  return whole.sealed();
}

}  // namespace gapless::test
