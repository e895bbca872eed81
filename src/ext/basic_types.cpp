#include "ext/basic_types.hpp"

#include <mutex>
#include <unordered_map>

#include "base/immortal.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/named.hpp"

namespace gapless::ext {

namespace {

using layout::LayoutPtr;

// Predefined handles mean the same as long as MPI lives, which begins once.
struct Known {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, LayoutPtr> layouts;
  std::unordered_map<const layout::Named*, MPI_Datatype> of_named;
  std::unordered_map<const layout::Layout*, MPI_Datatype> of_layout;
};
Known& known() {
  return base::immortal<Known>();
}

// A type made of two of another one, or the first type of a pair; else MPI_DATATYPE_NULL.
MPI_Datatype half_of(MPI_Datatype type) noexcept {
  if (type == MPI_2INT) return MPI_INT;
  if (type == MPI_2INTEGER) return MPI_INTEGER;
  if (type == MPI_2REAL) return MPI_REAL;
  if (type == MPI_2DOUBLE_PRECISION) return MPI_DOUBLE_PRECISION;
  return MPI_DATATYPE_NULL;
}
MPI_Datatype value_of(MPI_Datatype pair) noexcept {
  if (pair == MPI_FLOAT_INT) return MPI_FLOAT;
  if (pair == MPI_DOUBLE_INT) return MPI_DOUBLE;
  if (pair == MPI_LONG_INT) return MPI_LONG;
  if (pair == MPI_SHORT_INT) return MPI_SHORT;
  if (pair == MPI_LONG_DOUBLE_INT) return MPI_LONG_DOUBLE;
  return MPI_DATATYPE_NULL;
}

LayoutPtr basic(MPI_Datatype type, std::int64_t size) {
  const std::int64_t alignment = mpi::named_layout(type, size, size)->alignment;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  LayoutPtr& one = all.layouts[mpi::key_of(type)];
  if (one == nullptr) {
    const layout::Named& named = layout::new_named("basic", size, alignment);
    all.of_named.emplace(&named, type);
    one = layout::named(named);
  }
  return one;
}

// What was made of basic types, kept so that it is known again for what it is.
LayoutPtr keep(MPI_Datatype type, LayoutPtr made) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  const auto [kept, is_new] = all.layouts.try_emplace(mpi::key_of(type), std::move(made));
  if (is_new) all.of_layout.emplace(kept->second.get(), type);
  return kept->second;
}

LayoutPtr exact_layout(MPI_Datatype type, std::int64_t size, std::int64_t extent) {
  LayoutPtr plain = mpi::named_layout(type, size, extent);
  if (plain == nullptr || size == 0) return plain;
  if (const MPI_Datatype half = half_of(type); type != MPI_DATATYPE_NULL && half != MPI_DATATYPE_NULL) {
    return keep(type, layout::contiguous(2, basic(half, size / 2)));
  }
  if (!mpi::is_pair(type)) return basic(type, size);
  const auto index_bytes = static_cast<std::int64_t>(sizeof(int)), value_bytes = size - index_bytes;
  const layout::Named& pair = *plain->named;
  const LayoutPtr parts[] = {basic(value_of(type), value_bytes), basic(MPI_INT, index_bytes)};
  const std::int64_t lengths[] = {1, 1};
  const std::int64_t displacements[] = {0, pair.run_count == 2 ? pair.runs[1].displacement : value_bytes};
  // Its bounds are not given, as those of a resized type would be: they are those of the C struct.
  LayoutPtr made = layout::structure(lengths, displacements, parts);
  if (made->extent != extent) made = layout::resized(0, extent, std::move(made));
  return keep(type, std::move(made));
}

}  // namespace

LayoutPtr decode_exactly(MPI_Datatype type) {
  return mpi::decode(type, exact_layout);
}

MPI_Datatype predefined_of(const layout::Layout& leaf) noexcept {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.of_layout.find(&leaf); found != all.of_layout.end()) return found->second;
  if (leaf.named == nullptr) return MPI_DATATYPE_NULL;
  const auto found = all.of_named.find(leaf.named);
  // Without data (layout/signature.cpp, mpi/types/named.cpp) any basic type will do.
  return found != all.of_named.end() ? found->second : MPI_BYTE;
}

}  // namespace gapless::ext
