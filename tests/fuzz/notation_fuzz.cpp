// Any text: an error or a type. A type must print, read back as an equal tree, and survive the judge.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "fuzz/judge.hpp"
#include "notation/parse.hpp"
#include "notation/print.hpp"
#include "support/equal_trees.hpp"

namespace gapless::test::fuzz {
namespace {

constexpr std::int64_t kMaxNumbers = 4096;
constexpr std::size_t kMaxText = std::size_t{1} << 20;

void one(std::string_view text) {
  layout::LayoutPtr type;
  try {
    type = notation::parse(text, kMaxNumbers);
  } catch (const base::Error& error) {
    if (error.what()[0] == '\0') finding("an error without a text", "");
    return;
  }
  if (!type) finding("parse returned nothing", "");
  std::string printed;
  try {
    printed = notation::print(*type, kMaxText);
  } catch (const base::Error&) {
    return;  // too long: shorthand
  }
  try {
    const layout::LayoutPtr again = notation::parse(printed);
    if (!equal_trees(*type, *again)) finding("read back as another tree", printed.c_str());
    if (notation::print(*again, kMaxText) != printed) finding("printed differently when read back", printed.c_str());
  } catch (const base::Error& error) {
    finding("a printed type cannot be read", (printed + ": " + error.what()).c_str());
  }
  (void)notation::abridged(*type);
  judge(type);
}

}  // namespace
}  // namespace gapless::test::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gapless::test::fuzz::one({reinterpret_cast<const char*>(data), size});
  return 0;
}
