#include "property/serialised_check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/status.hpp"
#include "gapless/gapless.h"
#include "move/move.hpp"
#include "normal/compare.hpp"
#include "plan/plan.hpp"
#include "property/expand.hpp"
#include "property/type_check.hpp"
#include "support/oracle.hpp"

namespace gapless::test {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw Wrong(what);
}

// Both plans pack the same bytes of one memory, and unpack them to the same places.
void check_moves(const plan::Plan& plan, const plan::Plan& again, std::int64_t count) {
  const std::int64_t reach = (count - 1) * plan.extent();
  const std::int64_t low = plan.low() + std::min<std::int64_t>(reach, 0);
  const std::int64_t high = plan.high() + std::max<std::int64_t>(reach, 0);
  const auto span = static_cast<std::size_t>(high - low), size = static_cast<std::size_t>(count * plan.size());
  std::vector<std::uint8_t> memory(span), packed(size), packed_again(size), back(span), back_again(span);
  for (std::size_t i = 0; i < span; ++i) memory[i] = static_cast<std::uint8_t>((i * 2654435761u) >> 11);
  move::pack_all(plan, count, memory.data() - low, packed.data());
  move::pack_all(again, count, memory.data() - low, packed_again.data());
  require(packed == packed_again, "pack of what was read packs other bytes");
  // Not what was packed: bytes that land on one another would be equal, and their order unseen.
  for (std::size_t i = 0; i < size; ++i) packed[i] = static_cast<std::uint8_t>((i * 40503u) >> 3);
  move::unpack_all(plan, count, back.data() - low, packed.data());
  move::unpack_all(again, count, back_again.data() - low, packed.data());
  require(back == back_again, "unpack of what was read puts bytes elsewhere");
}

struct Handle {
  gapless_type type = nullptr;
  ~Handle() {
    if (type != nullptr) gapless_type_free(&type);
  }
};

}  // namespace

void check_reason(const std::string& reason) {
  if (!reason.starts_with("serialised form, byte ") || reason.size() < 30)
    throw Wrong("refused without a reason: '" + reason + "'");
}

RoundTrip check_round_trip(const layout::LayoutPtr& type) {
  const plan::PlanPtr plan = plan::compile(*type);
  RoundTrip trip{serial::serialise(plan->form(), type->lb, type->extent), false};
  const serial::Deserialised read = serial::deserialise(trip.bytes);
  const layout::Layout& again = *read.type;
  require(again.lb == type->lb && again.extent == type->extent, "other bounds were read");
  require(again.size == type->size, "another size was read");
  require(again.true_lb == type->true_lb && again.true_extent == type->true_extent, "other true bounds were read");
  const plan::PlanPtr plan_again = plan::compile(read.message, again.extent);
  require(fused(expand(plan->form())) == fused(expand(plan_again->form())), "another sequence of runs was read");
  require(normal::same_sequence({plan->form()}, {plan_again->form()}), "the layout that was read is not called equal");
  require(fused(Oracle(again).entries()) == fused(Oracle(*type).entries()), "the oracle finds another type map");
  if (plan->size() > 0)
    for (const std::int64_t count : {1, 3}) check_moves(*plan, *plan_again, count);
  trip.same_bytes = serial::serialise(plan_again->form(), again.lb, again.extent) == trip.bytes;
  return trip;
}

Reading::Result Reading::check(const SerialisedBytes& bytes) {
  try {
    use(serial::deserialise(bytes));
  } catch (const base::Error& error) {
    check_reason(error.what());
    return Result::kRefused;
  }
  if (valid_++ % kExplainEach == 0) explain(bytes);
  return Result::kValid;
}

void Reading::check_refused(const SerialisedBytes& bytes) {
  if (check(bytes) != Result::kRefused) throw Wrong("read instead of refused");
}

void Reading::use(const serial::Deserialised& read) {
  const layout::Layout& type = *read.type;
  plan::PlanPtr plan;
  try {
    plan = plan::compile(read.message, type.extent);
  } catch (const base::Error& error) {
    throw Wrong(std::string("what was read cannot be committed: ") + error.what());
  }
  require(plan->size() == type.size, "the plan has another size than the type");
  if (type.size == 0) return;
  require(plan->low() == type.true_lb && plan->high() - plan->low() == type.true_extent,
          "the plan touches more or less than the true extent");
  if (type.size > kMaxBytes || type.true_extent > kMaxBytes) return;
  for (const Edge edge : {Edge::kFront, Edge::kBack}) {
    std::byte* user = user_.place(type.true_extent, edge) - type.true_lb;
    std::byte* packed = packed_.place(type.size, edge);
    require(move::pack(*plan, 1, user, 0, packed, type.size) == type.size, "pack moved another number of bytes");
    require(move::unpack(*plan, 1, user, 0, packed, type.size) == type.size, "unpack moved another number of bytes");
  }
}

// As a user does it, who knows the C interface alone.
void Reading::explain(const SerialisedBytes& bytes) {
  Handle read;
  require(gapless_type_deserialise(bytes.data(), bytes.size(), &read.type) == GAPLESS_SUCCESS,
          "the C interface refuses what the engine reads");
  std::size_t needed = 0;
  require(gapless_type_explain(read.type, 1, nullptr, 0, &needed) == GAPLESS_SUCCESS && needed > 100,
          "what was read cannot be explained");
}

}  // namespace gapless::test
