// Any bytes: refused with a reason, or a type that is used. As they are, and then with a fitting beginning and
// checksum, without which hardly an input would be looked into.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "fuzz/judge.hpp"
#include "gapless/gapless.h"
#include "plan/plan.hpp"
#include "property/expand.hpp"
#include "serial/serial.hpp"
#include "support/serialised_bytes.hpp"

namespace gapless::test::fuzz {
namespace {

constexpr std::int64_t kMaxRuns = 20'000;  // written out
constexpr std::size_t kHeader = 4, kChecksum = 4;

void check_reason(const std::string& reason) {
  if (!reason.starts_with("serialised form, byte ") || reason.size() < 30)
    finding("refused without a reason", reason.c_str());
}

// As a user does it, who knows the C interface alone.
void explain(const SerialisedBytes& bytes) {
  gapless_type type = nullptr;
  if (gapless_type_deserialise(bytes.data(), bytes.size(), &type) != GAPLESS_SUCCESS)
    finding("the C interface refuses what the engine reads", gapless_last_error());
  std::size_t needed = 0;
  if (gapless_type_explain(type, 1, nullptr, 0, &needed) != GAPLESS_SUCCESS)
    finding("what was read cannot be explained", gapless_last_error());
  gapless_type_free(&type);
}

// What was read is written and read again: the same layout.
void there_and_back(const serial::Deserialised& read) {
  const layout::Layout& type = *read.type;
  SerialisedBytes bytes;
  serial::Deserialised again;
  try {
    bytes = serial::serialise(read.message.one, type.lb, type.extent);
    again = serial::deserialise(bytes);
  } catch (const base::Error& error) {
    // A form may be deeper than what it was read from, or refused for the work it takes, of which it is granted less.
    const std::string reason = error.what();
    if (reason.find("levels") == std::string::npos && reason.find("too much work") == std::string::npos)
      finding("what was read cannot be sent on", error.what());
    return;
  }
  if (again.type->lb != type.lb || again.type->extent != type.extent || again.type->size != type.size ||
      again.type->true_lb != type.true_lb || again.type->true_extent != type.true_extent)
    finding("other bounds were read", "");
  const bool short_enough = read.message.one.node && read.message.one.node->runs <= kMaxRuns;
  if (short_enough && fused(expand(read.message.one)) != fused(expand(again.message.one)))
    finding("another sequence was read", "");
}

void one(const SerialisedBytes& bytes) {
  serial::Deserialised read;
  try {
    read = serial::deserialise(bytes);
  } catch (const base::Error& error) {
    check_reason(error.what());
    return;
  }
  if (!read.type) finding("nothing was read", "");
  (void)plan::compile(read.message, read.type->extent);
  there_and_back(read);
  if (!read.message.one.node || read.message.one.node->runs <= kMaxRuns) explain(bytes);
  judge(read.type);
}

}  // namespace
}  // namespace gapless::test::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gapless::test;
  SerialisedBytes bytes(data, data + size);
  fuzz::one(bytes);
  if (size < fuzz::kHeader + fuzz::kChecksum) return 0;
  const SerialisedBytes header = SerialisedWriter().sealed();
  std::copy_n(header.begin(), fuzz::kHeader, bytes.begin());
  reseal(bytes);
  fuzz::one(bytes);
  return 0;
}
