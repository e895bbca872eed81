#include "ext/constructors.hpp"

#include <algorithm>
#include <climits>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "ext/error.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::ext {

namespace {

bool is_small(std::int64_t number) noexcept {
  return number >= INT_MIN && number <= INT_MAX;
}
bool is_small(Numbers numbers) noexcept {
  return is_small(static_cast<std::int64_t>(numbers.size())) &&
         std::all_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return is_small(number); });
}

template <class To>
std::vector<To> as(Numbers numbers) {
  std::vector<To> list(numbers.size() + 1);  // never without an address
  std::transform(numbers.begin(), numbers.end(), list.begin(), [](std::int64_t n) { return static_cast<To>(n); });
  return list;
}

// A type that a constructor of the library makes. A library may say MPI_SUCCESS after an error that the program's
// handler has come back from.
template <class Constructor, class... Arguments>
OwnedType made_by(Constructor* constructor, Arguments... arguments) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code = constructor(arguments..., &made);
  if (code != MPI_SUCCESS || made == MPI_DATATYPE_NULL) throw Raised{code != MPI_SUCCESS ? code : MPI_ERR_OTHER};
  return OwnedType(made);
}

// The same by MPI_X_c, if the library has it.
template <class... Arguments>
std::optional<OwnedType> made_by_large(const char* name, Arguments... arguments) {
  const auto constructor = find_visible<int(Arguments..., MPI_Datatype*)>(name);
  if (constructor == nullptr) return std::nullopt;
  return made_by(constructor, arguments...);
}

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Count lb = 0, extent = 0;
  if (const int code = mpi::library.Type_get_extent_x(type, &lb, &extent); code != MPI_SUCCESS) throw Raised{code};
  return extent;
}

std::vector<std::int64_t> in_bytes(Numbers displacements, MPI_Datatype old) {
  const std::int64_t extent = extent_of(old);
  std::vector<std::int64_t> bytes;
  bytes.reserve(displacements.size());
  for (const std::int64_t one : displacements) bytes.push_back(base::checked_mul(one, extent, "displacement * extent"));
  return bytes;
}

// What repeats more often than an int can say, as repetitions of this many, and the rest.
constexpr std::int64_t kChunk = std::int64_t{1} << 30;

OwnedType with_rest(const OwnedType& chunks, const OwnedType& rest, std::int64_t at) {
  const std::int64_t lengths[] = {1, 1}, displacements[] = {0, at};
  const MPI_Datatype types[] = {chunks.get(), rest.get()};
  return make_struct(lengths, displacements, types);
}

[[noreturn]] void refuse_list() {
  throw base::Error(base::Status::kOverflow, "the library has no constructor for a list as long as this");
}

}  // namespace

OwnedType::~OwnedType() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

OwnedType make_contiguous(std::int64_t count, MPI_Datatype old) {
  if (is_small(count)) return made_by(&MPI_Type_contiguous, static_cast<int>(count), old);
  if (auto made = made_by_large<MPI_Count>("MPI_Type_contiguous_c", count, old)) return std::move(*made);
  const OwnedType chunk = make_contiguous(kChunk, old);
  OwnedType chunks = make_contiguous(count / kChunk, chunk.get());
  if (count % kChunk == 0) return chunks;
  const std::int64_t at = base::checked_mul(count - count % kChunk, extent_of(old), "count * extent");
  return with_rest(chunks, make_contiguous(count % kChunk, old), at);
}

OwnedType make_vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, MPI_Datatype old) {
  if (is_small(count) && is_small(blocklength) && is_small(stride))
    return made_by(&MPI_Type_vector, static_cast<int>(count), static_cast<int>(blocklength), static_cast<int>(stride),
                   old);
  const std::int64_t bytes = count > 1 ? base::checked_mul(stride, extent_of(old), "stride * extent") : 0;
  return make_hvector(count, blocklength, bytes, old);
}

OwnedType make_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, MPI_Datatype old) {
  if (is_small(count) && is_small(blocklength))
    return made_by(&MPI_Type_create_hvector, static_cast<int>(count), static_cast<int>(blocklength),
                   static_cast<MPI_Aint>(stride), old);
  if (auto made =
          made_by_large<MPI_Count, MPI_Count, MPI_Count>("MPI_Type_create_hvector_c", count, blocklength, stride, old))
    return std::move(*made);
  if (!is_small(blocklength)) return make_hvector(count, 1, stride, make_contiguous(blocklength, old).get());
  const OwnedType chunk = make_hvector(kChunk, blocklength, stride, old);
  const std::int64_t bytes = base::checked_mul(kChunk, stride, "count * stride");
  OwnedType chunks = make_hvector(count / kChunk, 1, bytes, chunk.get());
  if (count % kChunk == 0) return chunks;
  const std::int64_t at = base::checked_mul(count / kChunk, bytes, "count * stride");
  return with_rest(chunks, make_hvector(count % kChunk, blocklength, stride, old), at);
}

OwnedType make_indexed(Numbers blocklengths, Numbers displacements, MPI_Datatype old) {
  if (!is_small(blocklengths) || !is_small(displacements))
    return make_hindexed(blocklengths, in_bytes(displacements, old), old);
  const std::vector<int> lengths = as<int>(blocklengths), places = as<int>(displacements);
  return made_by(&MPI_Type_indexed, static_cast<int>(blocklengths.size()), lengths.data(), places.data(), old);
}

OwnedType make_hindexed(Numbers blocklengths, Numbers displacements, MPI_Datatype old) {
  if (is_small(blocklengths)) {
    const std::vector<int> lengths = as<int>(blocklengths);
    const std::vector<MPI_Aint> places = as<MPI_Aint>(displacements);
    return made_by(&MPI_Type_create_hindexed, static_cast<int>(blocklengths.size()), lengths.data(), places.data(),
                   old);
  }
  const std::vector<MPI_Count> lengths = as<MPI_Count>(blocklengths), places = as<MPI_Count>(displacements);
  if (auto made = made_by_large<MPI_Count, const MPI_Count*, const MPI_Count*>(
          "MPI_Type_create_hindexed_c", static_cast<MPI_Count>(blocklengths.size()), lengths.data(), places.data(),
          old))
    return std::move(*made);
  return make_struct(blocklengths, displacements, std::vector<MPI_Datatype>(blocklengths.size(), old));
}

OwnedType make_indexed_block(std::int64_t blocklength, Numbers displacements, MPI_Datatype old) {
  if (!is_small(blocklength) || !is_small(displacements))
    return make_hindexed_block(blocklength, in_bytes(displacements, old), old);
  const std::vector<int> places = as<int>(displacements);
  return made_by(&MPI_Type_create_indexed_block, static_cast<int>(displacements.size()), static_cast<int>(blocklength),
                 places.data(), old);
}

OwnedType make_hindexed_block(std::int64_t blocklength, Numbers displacements, MPI_Datatype old) {
  const auto count = static_cast<std::int64_t>(displacements.size());
  if (is_small(count) && is_small(blocklength)) {
    const std::vector<MPI_Aint> places = as<MPI_Aint>(displacements);
    return made_by(&MPI_Type_create_hindexed_block, static_cast<int>(count), static_cast<int>(blocklength),
                   places.data(), old);
  }
  const std::vector<MPI_Count> places = as<MPI_Count>(displacements);
  if (auto made = made_by_large<MPI_Count, MPI_Count, const MPI_Count*>("MPI_Type_create_hindexed_block_c", count,
                                                                        blocklength, places.data(), old))
    return std::move(*made);
  if (!is_small(count)) refuse_list();
  return make_hindexed_block(1, displacements, make_contiguous(blocklength, old).get());
}

OwnedType make_struct(Numbers blocklengths, Numbers displacements, std::span<const MPI_Datatype> types) {
  const std::vector<MPI_Aint> places = as<MPI_Aint>(displacements);
  if (is_small(blocklengths)) {
    const std::vector<int> lengths = as<int>(blocklengths);
    return made_by(&MPI_Type_create_struct, static_cast<int>(types.size()), lengths.data(), places.data(),
                   types.data());
  }
  if (!is_small(static_cast<std::int64_t>(types.size()))) refuse_list();
  std::vector<OwnedType> blocks;
  std::vector<MPI_Datatype> members;
  blocks.reserve(types.size());
  members.reserve(types.size());
  for (std::size_t k = 0; k < types.size(); ++k) {
    blocks.push_back(make_contiguous(blocklengths[k], types[k]));
    members.push_back(blocks.back().get());
  }
  const std::vector<int> ones(types.size(), 1);
  return made_by(&MPI_Type_create_struct, static_cast<int>(types.size()), ones.data(), places.data(), members.data());
}

OwnedType make_resized(std::int64_t lb, std::int64_t extent, MPI_Datatype old) {
  return made_by(&MPI_Type_create_resized, old, static_cast<MPI_Aint>(lb), static_cast<MPI_Aint>(extent));
}

OwnedType make_dup(MPI_Datatype old) {
  return made_by(&MPI_Type_dup, old);
}

}  // namespace gapless::ext
