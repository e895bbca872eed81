#include "serialised.hpp"

#include <stdexcept>

#include "check.hpp"
#include "program.hpp"

namespace gapless::bench {
namespace {

// Bytes of the form, which was read again.
std::size_t serialised_bytes(gapless_type type) {
  std::size_t needed = 0;
  check(gapless_type_serialise(type, nullptr, 0, &needed));
  std::vector<char> bytes(needed);
  check(gapless_type_serialise(type, bytes.data(), bytes.size(), &needed));
  lab::EngineType read;
  check(gapless_type_deserialise(bytes.data(), bytes.size(), read.address()));
  int equal = 0;
  check(gapless_layout_equal(type, read.handle(), &equal));
  if (equal == 0) throw std::runtime_error("another layout was read than was serialised");
  return needed;
}

}  // namespace

std::vector<nlohmann::json> serialised(const Case& of, std::int64_t nominal_bytes, const Message& message) {
  std::vector<nlohmann::json> lines;
  for (const Description& description : message.descriptions) {
    const lab::EngineType type = description.type.engine();
    std::int64_t size = 0;
    check(gapless_type_size(type.handle(), &size));
    std::size_t text_bytes = 0;
    check(gapless_type_print(type.handle(), nullptr, 0, &text_bytes));
    lines.push_back({{"kind", "serialised"},
                     {"case", of.name},
                     {"group", of.group},
                     {"nominal_bytes", nominal_bytes},
                     {"description", description.name},
                     {"type", description.type.text()},
                     {"count", description.count},
                     {"type_bytes", size},
                     {"text_bytes", text_bytes - 1},  // without the NUL
                     {"serialised_bytes", serialised_bytes(type.handle())}});
  }
  return lines;
}

}  // namespace gapless::bench
