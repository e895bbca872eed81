#include "mpi/types/decode.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/status.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/types/construct.hpp"
#include "mpi/types/contents.hpp"
#include "mpi/types/named.hpp"

namespace gapless::mpi {

namespace {

using layout::LayoutPtr;

// A program's types are a few constructors deep; the limit only keeps a pathological one from exhausting the stack.
constexpr int kMaxDepth = 200;
// Where the library hands out a new handle each time, a component that is used twice is walked twice, and what is below
// it four times: such a tower is left to the library.
constexpr int kMaxTypes = 1 << 20;

// The library decides: where it computes another bound (epsilon rules, markers), the layout is resized to it. nullptr
// if the data differ.
LayoutPtr match_bounds(LayoutPtr type, const ReportedBounds& reported) {
  if (type == nullptr || type->size != reported.size) return nullptr;
  // Nor may the data lie elsewhere than MPI says: Open MPI takes vector(3, 1, -1, byte) for three bytes from 0 on. A
  // program under it has come to terms with that, alone or with its peers, so such a type stays native. Inside is
  // enough: MPICH counts the padding of some pair types as data, and the elements before the first one of some darrays.
  if (type->size > 0 && (type->true_lb < reported.true_lb ||
                         type->true_lb + type->true_extent > reported.true_lb + reported.true_extent)) {
    return nullptr;
  }
  if (type->lb == reported.lb && type->extent == reported.extent) return type;
  return layout::resized(reported.lb, reported.extent, std::move(type));
}

// What became of a type: kept in the cache; not kept, with a layout of its own; or, with neither, not decoded.
struct DecodedType {
  CachedTypePtr cached = nullptr;
  LayoutPtr own = nullptr;
  bool is_type = false;        // the library knows it
  bool is_predefined = false;  // and never frees it
  const LayoutPtr& layout() const noexcept { return cached != nullptr ? cached->layout : own; }
};

bool is_predefined_combiner(int combiner) noexcept {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  if (combiner == MPI_COMBINER_VALUE_INDEX) return true;  // an unnamed one (MPI 4.1, 6.9.4)
#endif
  return is_named(combiner);
}

// One walk through a type, down to its named types and up again.
class Decoder {
 public:
  explicit Decoder(TypeCache* cache, NamedLayout* of_named = named_layout) : cache_(cache), of_named_(of_named) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    // Only now: while a handle is held it cannot be given to another type, so seen_ stays true.
    for (MPI_Datatype type : owned_) library.Type_free(&type);
  }
  DecodedType visit(MPI_Datatype type, int depth);

 private:
  DecodedType named(MPI_Datatype type);
  DecodedType built(MPI_Datatype type, Construction& made, int depth);
  TypeCache* const cache_;
  NamedLayout* const of_named_;
  std::vector<MPI_Datatype> owned_;
  std::unordered_map<std::uint64_t, DecodedType> seen_;
  int visited_ = 0;
};

// False if the library raised an error; also if it says MPI_SUCCESS because the program's error handler returned, for
// then it writes nothing.
bool ask_bounds(MPI_Datatype type, ReportedBounds& reported) {
  reported.size = -1;
  return get_bounds(type, reported) && reported.size >= 0;
}

DecodedType Decoder::named(MPI_Datatype type) {
  // A predefined type keeps its handle as long as the epoch lasts: that is as good as a comparison.
  if (cache_ != nullptr) {
    if (auto found = cache_->find_named(key_of(type)); found != nullptr) return {.cached = found, .is_type = true};
  }
  ReportedBounds reported;
  if (!ask_bounds(type, reported)) return {};
  LayoutPtr made = match_bounds(of_named_(type, reported.size, reported.extent), reported);
  if (made == nullptr) return {.is_type = true};
  return {cache_ == nullptr ? nullptr : cache_->keep_named(key_of(type), made), made, true};
}

DecodedType Decoder::built(MPI_Datatype type, Construction& made, int depth) {
  const auto& types = made.contents.datatypes;
  const bool is_simple = std::ranges::all_of(types, is_contiguous_builtin);
  if (!is_simple) {
    // Before anything else can throw: these references are ours to give back.
    owned_.reserve(owned_.size() + types.size());
    for (MPI_Datatype part : types) {
      if (must_free(part)) owned_.push_back(part);
    }
  }
  // Of the components only what is compared; their layouts where nothing is found.
  if (is_simple && cache_ != nullptr) {
    std::ranges::transform(types, made.contents.parts.begin(), builtin_part);
    made.seal();
    if (auto found = cache_->find(made); found != nullptr) return {.cached = std::move(found), .is_type = true};
  }
  ReportedBounds reported;
  std::vector<LayoutPtr> children;
  children.reserve(types.size());
  bool keeps = cache_ != nullptr;
  std::int64_t component_bytes = 0;
  DecodedType part;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const bool again = k > 0 && types[k] == types[k - 1];
    if (!again) part = visit(types[k], depth + 1);
    if (part.layout() == nullptr) return {.is_type = ask_bounds(type, reported)};
    children.push_back(part.layout());
    keeps = keeps && part.cached != nullptr;
    if (!keeps) continue;
    made.contents.parts[k] = is_contiguous_builtin(types[k]) ? builtin_part(types[k]) : part.cached->serial;
    if (!again) component_bytes += part.cached->bytes;
  }
  if (keeps && !is_simple) {
    made.seal();
    if (auto found = cache_->find(made); found != nullptr) return {.cached = std::move(found), .is_type = true};
  }
  if (!ask_bounds(type, reported)) return {};  // or one of more bytes than the library can count
  LayoutPtr layout = match_bounds(construct(made.contents, children), reported);
  if (layout == nullptr) return {.is_type = true};
  return {keeps ? cache_->keep(made, layout, component_bytes) : nullptr, layout, true};
}

DecodedType Decoder::visit(MPI_Datatype type, int depth) {
  if (depth > kMaxDepth || ++visited_ > kMaxTypes) return {};
  if (cache_ != nullptr && (is_contiguous_builtin(type) || is_pair(type))) {
    if (auto found = cache_->find_named(key_of(type)); found != nullptr) return {std::move(found), nullptr, true, true};
  }
  if (const auto found = seen_.find(key_of(type)); found != seen_.end()) return found->second;
  Construction made;
  if (!get_contents(type, made.contents)) return {};
  const int combiner = made.contents.combiner;
  DecodedType part = is_named(combiner) ? named(type) : built(type, made, depth);
  part.is_predefined = is_predefined_combiner(combiner);
  if (depth > 1 && part.layout() != nullptr) seen_.emplace(key_of(type), part);
  return part;
}

// A type that is the library's alone.
DatatypePtr undecoded() {
  return std::make_shared<const Datatype>(nullptr, nullptr);
}

}  // namespace

LayoutPtr decode(MPI_Datatype type, NamedLayout* of_named) {
  return Decoder(nullptr, of_named).visit(type, 1).layout();
}

Description describe(MPI_Datatype type, TypeCache& cache) noexcept {
  try {
    const DecodedType part = Decoder(&cache).visit(type, 1);
    if (!part.is_type) return {};
    if (part.layout() == nullptr) return {undecoded(), part.is_predefined};
    return {part.cached != nullptr ? cache.datatype(*part.cached) : compiled(part.own), part.is_predefined};
  } catch (const base::Error&) {  // beyond 63 bits: only a type that the library has answered for gets this far
    return {undecoded(), false};
  } catch (...) {  // no memory
    return {};
  }
}

}  // namespace gapless::mpi
