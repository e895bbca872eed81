#include "layout/signature.hpp"

#include <memory>

#include "capi/guard.hpp"

using gapless::capi::guard;
using gapless::capi::require;
using gapless::layout::Signature;

namespace {

Signature signature_of(gapless_type type, int64_t count) {
  require(type != nullptr, "the type is NULL");
  require(count >= 0, "the count is negative");
  return Signature(*type->layout, count);
}

}  // namespace

gapless_status gapless_signature_hash(gapless_type type, int64_t count, uint64_t* hash) {
  return guard([&] {
    require(hash != nullptr, "the place for the hash is NULL");
    *hash = signature_of(type, count).hash();
  });
}

gapless_status gapless_signature_equal(gapless_type type_a, int64_t count_a, gapless_type type_b, int64_t count_b,
                                       int* equal) {
  return guard([&] {
    require(equal != nullptr, "the place for the answer is NULL");
    *equal = signature_of(type_a, count_a) == signature_of(type_b, count_b) ? 1 : 0;
  });
}

gapless_status gapless_type_signature(gapless_type type, gapless_type* signature_type) {
  return guard([&] {
    require(type != nullptr, "the type is NULL");
    require(signature_type != nullptr, "the place for the new type is NULL");
    auto made = std::make_unique<gapless_type_s>();
    made->layout = gapless::layout::signature_type(*type->layout);
    *signature_type = made.release();
  });
}
