// The sequence of a message's runs: exported, and compared.
#include "capi/guard.hpp"
#include "move/iov.hpp"
#include "normal/compare.hpp"

using gapless::capi::guard;
using gapless::capi::require;

static_assert(sizeof(gapless_iov) == sizeof(gapless::move::Piece), "one is handed out as the other");

gapless_status gapless_iov_export(const void* buffer, int64_t count, gapless_type type, int64_t position,
                                  gapless_iov* iov, int64_t limit, int64_t* entries, int64_t* bytes) {
  return guard([&] {
    require(type != nullptr, "the type is NULL");
    require(count >= 0, "the count is negative");
    require(position >= 0, "the position is negative");
    require(limit >= 0, "the limit is negative");
    require(iov != nullptr || limit == 0, "the list of runs is NULL");
    require(entries != nullptr && bytes != nullptr, "a place for a result is NULL");
    const auto exported = gapless::move::iov(type->committed(), count, buffer, position,
                                             reinterpret_cast<gapless::move::Piece*>(iov), limit);
    *entries = exported.pieces;
    *bytes = exported.bytes;
  });
}

gapless_status gapless_message_equal(int64_t count_a, gapless_type a, int64_t count_b, gapless_type b, int* equal) {
  return guard([&] {
    require(a != nullptr && b != nullptr, "a type is NULL");
    require(count_a >= 0 && count_b >= 0, "a count is negative");
    require(equal != nullptr, "the place for the result is NULL");
    const auto &one = a->committed(), &other = b->committed();
    *equal =
        gapless::normal::same_sequence({one.form(), count_a, one.extent()}, {other.form(), count_b, other.extent()});
  });
}

gapless_status gapless_layout_equal(gapless_type a, gapless_type b, int* equal) {
  return guard([&] {
    require(a != nullptr && b != nullptr, "a type is NULL");
    require(equal != nullptr, "the place for the result is NULL");
    const bool bounds = a->layout->lb == b->layout->lb && a->layout->extent == b->layout->extent;
    *equal = bounds && gapless::normal::same_sequence({a->committed().form()}, {b->committed().form()});
  });
}
