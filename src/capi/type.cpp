#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capi/guard.hpp"

using gapless::capi::guard;
using gapless::capi::require;
namespace layout = gapless::layout;

namespace {

using NumberSpan = std::span<const std::int64_t>;

const layout::LayoutPtr& layout_of(gapless_type type) {
  require(type != nullptr, "the type is NULL");
  return type->layout;
}

NumberSpan list(std::int64_t count, const std::int64_t* values, const char* name) {
  if (count < 0)
    throw gapless::base::Error(gapless::base::Status::kInvalidArgument,
                               "the count must be at least 0, not " + std::to_string(count));
  if (count > 0 && values == nullptr)
    throw gapless::base::Error(gapless::base::Status::kInvalidArgument,
                               std::string("the list of ") + name + " is NULL");
  return {values, static_cast<std::size_t>(count)};
}

layout::Order order_of(gapless_order order) {
  require(order == GAPLESS_ORDER_C || order == GAPLESS_ORDER_FORTRAN, "the order is neither C nor Fortran");
  return order == GAPLESS_ORDER_C ? layout::Order::kC : layout::Order::kFortran;
}

layout::Distribution distribution_of(int distribution) {
  switch (distribution) {
    case GAPLESS_DISTRIBUTE_NONE:
      return layout::Distribution::kNone;
    case GAPLESS_DISTRIBUTE_BLOCK:
      return layout::Distribution::kBlock;
    case GAPLESS_DISTRIBUTE_CYCLIC:
      return layout::Distribution::kCyclic;
  }
  throw gapless::base::Error(gapless::base::Status::kInvalidArgument,
                             "no distribution is called " + std::to_string(distribution));
}

template <class Make>
gapless_status create(gapless_type* type, Make make) noexcept {
  return guard([&] {
    require(type != nullptr, "the place for the new type is NULL");
    auto made = std::make_unique<gapless_type_s>();
    made->layout = make();
    *type = made.release();
  });
}

}  // namespace

gapless_status gapless_type_named(const char* name, gapless_type* type) {
  return create(type, [&] {
    require(name != nullptr, "the name is NULL");
    const layout::Named* named = layout::find_named(name);
    if (named == nullptr)
      throw gapless::base::Error(gapless::base::Status::kInvalidArgument,
                                 std::string("no named type is called ") + name);
    return layout::named(*named);
  });
}

gapless_status gapless_type_contiguous(int64_t count, gapless_type old, gapless_type* type) {
  return create(type, [&] { return layout::contiguous(count, layout_of(old)); });
}

gapless_status gapless_type_vector(int64_t count, int64_t blocklength, int64_t stride, gapless_type old,
                                   gapless_type* type) {
  return create(type, [&] { return layout::vector(count, blocklength, stride, layout_of(old)); });
}

gapless_status gapless_type_hvector(int64_t count, int64_t blocklength, int64_t stride_bytes, gapless_type old,
                                    gapless_type* type) {
  return create(type, [&] { return layout::hvector(count, blocklength, stride_bytes, layout_of(old)); });
}

gapless_status gapless_type_indexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements,
                                    gapless_type old, gapless_type* type) {
  return create(type, [&] {
    return layout::indexed(list(count, blocklengths, "blocklengths"), list(count, displacements, "displacements"),
                           layout_of(old));
  });
}

gapless_status gapless_type_hindexed(int64_t count, const int64_t* blocklengths, const int64_t* displacements_bytes,
                                     gapless_type old, gapless_type* type) {
  return create(type, [&] {
    return layout::hindexed(list(count, blocklengths, "blocklengths"),
                            list(count, displacements_bytes, "displacements"), layout_of(old));
  });
}

gapless_status gapless_type_indexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                          gapless_type old, gapless_type* type) {
  return create(type, [&] {
    return layout::indexed_block(blocklength, list(count, displacements, "displacements"), layout_of(old));
  });
}

gapless_status gapless_type_hindexed_block(int64_t count, int64_t blocklength, const int64_t* displacements_bytes,
                                           gapless_type old, gapless_type* type) {
  return create(type, [&] {
    return layout::hindexed_block(blocklength, list(count, displacements_bytes, "displacements"), layout_of(old));
  });
}

gapless_status gapless_type_struct(int64_t count, const int64_t* blocklengths, const int64_t* displacements_bytes,
                                   const gapless_type* types, gapless_type* type) {
  return create(type, [&] {
    const NumberSpan lengths = list(count, blocklengths, "blocklengths");
    const NumberSpan displacements = list(count, displacements_bytes, "displacements");
    require(count == 0 || types != nullptr, "the list of types is NULL");
    std::vector<layout::LayoutPtr> layouts;
    for (std::int64_t i = 0; i < count; ++i) layouts.push_back(layout_of(types[i]));
    return layout::structure(lengths, displacements, layouts);
  });
}

gapless_status gapless_type_subarray(int dimensions, const int64_t* sizes, const int64_t* subsizes,
                                     const int64_t* starts, gapless_order order, gapless_type old, gapless_type* type) {
  return create(type, [&] {
    return layout::subarray(list(dimensions, sizes, "sizes"), list(dimensions, subsizes, "subsizes"),
                            list(dimensions, starts, "starts"), order_of(order), layout_of(old));
  });
}

gapless_status gapless_type_darray(int64_t process_count, int64_t rank, int dimensions, const int64_t* sizes,
                                   const gapless_distribution* distributions, const int64_t* arguments,
                                   const int64_t* grid, gapless_order order, gapless_type old, gapless_type* type) {
  return create(type, [&] {
    const NumberSpan size_list = list(dimensions, sizes, "sizes");
    require(dimensions == 0 || distributions != nullptr, "the list of distributions is NULL");
    std::vector<layout::Distribution> kinds;
    for (int d = 0; d < dimensions; ++d) {
      int distribution;  // a C program may hand over any number, which may not be read as an enumerator
      std::memcpy(&distribution, distributions + d, sizeof distribution);
      kinds.push_back(distribution_of(distribution));
    }
    return layout::darray(process_count, rank, size_list, kinds, list(dimensions, arguments, "distribution arguments"),
                          list(dimensions, grid, "grid extents"), order_of(order), layout_of(old));
  });
}

gapless_status gapless_type_bounded_vector(int64_t bound, int64_t blocklength, int64_t stride, gapless_type old,
                                           gapless_type* type) {
  return create(type, [&] { return layout::bounded_vector(bound, blocklength, stride, layout_of(old)); });
}

gapless_status gapless_type_circular_vector(int64_t total, int64_t start, int64_t bound, int64_t blocklength,
                                            int64_t stride, gapless_type old, gapless_type* type) {
  return create(type,
                [&] { return layout::circular_vector(total, start, bound, blocklength, stride, layout_of(old)); });
}

gapless_status gapless_type_bucket(int64_t count, int64_t stride, const int64_t* counts, gapless_type old,
                                   gapless_type* type) {
  return create(type, [&] { return layout::bucket(stride, list(count, counts, "counts"), layout_of(old)); });
}

gapless_status gapless_type_resized(int64_t lower_bound, int64_t extent, gapless_type old, gapless_type* type) {
  return create(type, [&] { return layout::resized(lower_bound, extent, layout_of(old)); });
}

gapless_status gapless_type_dup(gapless_type old, gapless_type* type) {
  return create(type, [&] { return layout::dup(layout_of(old)); });
}

std::uint64_t gapless_type_s::id() noexcept {
  std::uint64_t known = id_.load(std::memory_order_relaxed);
  if (known != 0) return known;
  static std::atomic<std::uint64_t> last{0};
  const std::uint64_t own = last.fetch_add(1, std::memory_order_relaxed) + 1;
  // Of two threads that ask at once, the first one's number stays.
  return id_.compare_exchange_strong(known, own, std::memory_order_relaxed) ? own : known;
}

gapless_status gapless_type_id(gapless_type type, uint64_t* id) {
  return guard([&] {
    require(type != nullptr, "the type is NULL");
    require(id != nullptr, "the place for the number is NULL");
    *id = type->id();
  });
}

gapless_status gapless_type_free(gapless_type* type) {
  return guard([&] {
    require(type != nullptr && *type != nullptr, "the type is NULL");
    delete *type;
    *type = nullptr;
  });
}

gapless_status gapless_type_size(gapless_type type, int64_t* size) {
  return guard([&] {
    require(size != nullptr, "the place for the size is NULL");
    *size = layout_of(type)->size;
  });
}

gapless_status gapless_type_extent(gapless_type type, int64_t* lower_bound, int64_t* extent) {
  return guard([&] {
    require(lower_bound != nullptr && extent != nullptr, "a place for the bounds is NULL");
    const layout::Layout& of = *layout_of(type);
    *lower_bound = of.lb;
    *extent = of.extent;
  });
}

gapless_status gapless_type_true_extent(gapless_type type, int64_t* true_lower_bound, int64_t* true_extent) {
  return guard([&] {
    require(true_lower_bound != nullptr && true_extent != nullptr, "a place for the bounds is NULL");
    const layout::Layout& of = *layout_of(type);
    *true_lower_bound = of.true_lb;
    *true_extent = of.true_extent;
  });
}
