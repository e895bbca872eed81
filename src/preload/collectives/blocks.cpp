#include "preload/collectives/blocks.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "mpi/abi/library.hpp"
#include "mpi/abi/signatures.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

namespace {

bool product(std::int64_t a, std::int64_t b, std::int64_t& result) noexcept {
  return !__builtin_mul_overflow(a, b, &result);
}

}  // namespace

Blocks::~Blocks() {
  std::destroy(each_.begin(), each_.end());
}

// The sum stays at its most where it overflows.
void Blocks::add_runs(const Piece& piece) noexcept {
  const plan::Plan* const plan = piece.elements->plan;
  std::int64_t runs;
  if (plan == nullptr || runs_ == INT64_MAX) return;
  if (!product(piece.count, plan->run_count(), runs) || __builtin_add_overflow(runs_, runs, &runs_)) runs_ = INT64_MAX;
}

// Adds a piece behind the others. Returns false if the sums overflow, or if there is no buffer.
bool Blocks::add(const char* address, MPI_Count count, Elements& elements, Direction direction) noexcept {
  pieces_[piece_count_] = {address, count, bytes_, &elements, direction, base_ == MPI_BOTTOM};
  const Piece& piece = pieces_[piece_count_++];
  std::int64_t bytes;
  if (!product(count, elements.size, bytes) || __builtin_add_overflow(bytes_, bytes, &bytes_)) return false;
  if (base_ == MPI_IN_PLACE) return false;
  if (bytes == 0 || !(direction.out || direction.in)) return true;
  if (elements.plan == nullptr) {
    contiguous_ = false;
    return true;
  }
  elements.plan->prepare(count);
  if (reinterpret_cast<std::intptr_t>(piece.first_byte()) < kLowestAddress) return false;
  contiguous_ = contiguous_ && elements.plan->is_run(count);
  add_runs(piece);
  return true;
}

Reason Blocks::describe(const View& given, int n, const Directions& directions) noexcept {
  if (given.count < 0) return Reason::kArguments;
  if (const Reason reason = elements_.read(given.type, outlasts_); reason != Reason::kNone) return reason;
  std::int64_t all, span;
  if (!product(given.count, n, all) || !product(given.count, elements_.size, block_bytes_) ||
      block_bytes_ > largest_message()) {
    return Reason::kLarge;
  }
  // Without data it does not matter how far they reach, for the other processes do not know it.
  if (block_bytes_ != 0 && !product(all, elements_.extent, span)) return Reason::kLarge;
  const bool each = directions.absent != 0;
  if (each && !reserve_tables(n, false)) return Reason::kStaging;
  base_ = static_cast<const char*>(given.buffer);
  contiguous_ = !policy.force && (block_bytes_ == 0 || elements_.plan == nullptr || elements_.plan->is_run(all));
  for (int from = 0, to; from < n; from = to) {
    const bool is_own = from == directions.own;
    to = each || is_own ? from + 1 : from < directions.own ? directions.own : n;
    if (is_own) own_ = piece_count_;
    const std::int64_t displacement = block_bytes_ == 0 ? 0 : from * given.count * elements_.extent;
    if (!add(moved(base_, displacement), (to - from) * given.count, elements_, directions.of(from))) {
      return Reason::kBuffer;
    }
  }
  return Reason::kNone;
}

template <class Count, class Displacement, class Types>
Reason Blocks::describe(const Views<Count, Displacement, Types>& given, int n, const Directions& directions) noexcept {
  constexpr bool kTyped = !std::is_same_v<Types, MPI_Datatype>;
  if (n > 0 && (given.counts == nullptr || given.displacements == nullptr)) return Reason::kArguments;
  for (int k = 0; k < n; ++k) {
    if (given.counts[k] < 0) return Reason::kArguments;
  }
  if constexpr (kTyped) {
    if (n > 0 && given.types == nullptr) return Reason::kArguments;
  } else if (const Reason reason = elements_.read(given.types, outlasts_); reason != Reason::kNone) {
    return reason;
  }
  if (!reserve_tables(n, kTyped)) return Reason::kStaging;
  own_ = directions.own;
  base_ = static_cast<const char*>(given.buffer);
  contiguous_ = !policy.force;
  bool reach = true;   // the displacements of bytes can say where they lie
  bool counts = true;  // the procedure that the program called can count the bytes
  for (int k = 0; k < n; ++k) {
    const Count count = given.counts[k];
    Elements* elements = &elements_;
    std::int64_t displacement = 0;
    if constexpr (kTyped) {
      elements = &each_[k];
      displacement = given.displacements[k];
      // The type of an empty block need not be valid.
      const Reason reason = count == 0 ? Reason::kNone : elements->read(given.types[k], outlasts_);
      if (reason != Reason::kNone) return reason;
    } else if (count != 0 && elements_.size != 0 && !product(given.displacements[k], elements_.extent, displacement)) {
      return Reason::kLarge;  // where an empty block lies does not matter, for the other processes do not know it
    }
    if (!add(moved(base_, displacement), count, *elements, directions.of(k))) return Reason::kBuffer;
    counts = counts && pieces_[k].bytes() <= std::numeric_limits<Count>::max();
    reach = reach && displacement <= std::numeric_limits<Displacement>::max() &&
            displacement >= std::numeric_limits<Displacement>::min();
  }
  contiguous_ = contiguous_ && reach;
  return counts && bytes_ <= std::numeric_limits<Displacement>::max() ? Reason::kNone : Reason::kLarge;
}

Piece Blocks::block(int k) const noexcept {
  if (counts_ != nullptr && block_bytes_ == 0) return pieces_[k];
  Piece whole = pieces_[0];
  whole.count = elements_.size == 0 ? 0 : block_bytes_ / elements_.size;
  whole.address = moved(base_, k * whole.count * elements_.extent);
  return whole;
}

void Blocks::close_gaps() noexcept {
  bytes_ = runs_ = 0;
  for (int k = 0; k < piece_count_; ++k) {
    Piece& piece = pieces_[k];
    if (piece.is_paired) continue;
    piece.at = bytes_;
    bytes_ += piece.bytes();
    add_runs(piece);
  }
}

template <class Count, class Displacement, class Types>
Views<Count, Displacement, Types> Blocks::unpaired(const Views<Count, Displacement, Types>& given) const noexcept {
  const auto is_paired = [](const Piece& piece) { return piece.is_paired; };
  if (std::none_of(pieces_, pieces_ + piece_count_, is_paired)) return given;
  auto* const counts = static_cast<Count*>(counts_);
  for (int k = 0; k < piece_count_; ++k) counts[k] = pieces_[k].is_paired ? 0 : given.counts[k];
  return {given.buffer, counts, given.displacements, given.types};
}

// For each block, and one more lest there be none: a piece, a count and a displacement of any kind, and, if `typed`,
// elements and a type.
std::int64_t Blocks::table_bytes(int n, bool typed) noexcept {
  const std::size_t a_block =
      sizeof(Piece) + sizeof(MPI_Count) + sizeof(MPI_Aint) + (typed ? sizeof(Elements) + sizeof(MPI_Datatype) : 0);
  return (static_cast<std::int64_t>(n) + 1) * static_cast<std::int64_t>(a_block);
}

bool Blocks::reserve_tables(int n, bool typed) noexcept {
  if (!tables_.reserve(table_bytes(n, typed))) return false;
  auto* at = static_cast<char*>(tables_.data());
  const auto next = [&](std::size_t bytes) { return std::exchange(at, at + static_cast<std::size_t>(n) * bytes); };
  pieces_ = reinterpret_cast<Piece*>(next(sizeof(Piece)));
  counts_ = next(sizeof(MPI_Count));
  displacements_ = next(sizeof(MPI_Aint));
  if (!typed) return true;
  each_ = {reinterpret_cast<Elements*>(next(sizeof(Elements))), static_cast<std::size_t>(n)};
  std::uninitialized_default_construct(each_.begin(), each_.end());
  types_ = reinterpret_cast<MPI_Datatype*>(at);
  return true;
}

bool Blocks::needs_library() const noexcept {
  for (const Piece& piece : pieces()) {
    if (piece.bytes() > 0 && !piece.is_paired && piece.elements->plan == nullptr) return true;
  }
  return false;
}

void Blocks::leave_device_data_to_library() noexcept {
  for (const Piece& piece : pieces()) {
    if (!piece.is_on_host()) leave_to_library(piece);
  }
}

void* Blocks::first_byte() const noexcept {
  const plan::Plan* const plan = elements_.plan;  // of a w-side: none
  return const_cast<char*>(plan == nullptr || bytes_ == 0 ? base_ : moved(base_, plan->first_byte()));
}

View Blocks::as_bytes(const View&, void* staging) const noexcept {
  return {staging != nullptr ? staging : first_byte(), block_bytes_, MPI_BYTE};
}

template <class Count, class Displacement, class Types>
Views<Count, Displacement, Types> Blocks::as_bytes(const Views<Count, Displacement, Types>&,
                                                   void* staging) const noexcept {
  auto* const counts = static_cast<Count*>(counts_);
  auto* const displacements = static_cast<Displacement*>(displacements_);
  for (int k = 0; k < piece_count_; ++k) {
    const Piece& piece = pieces_[k];
    counts[k] = piece.is_paired ? 0 : static_cast<Count>(piece.header_bytes != 0 ? piece.header_bytes : piece.bytes());
    displacements[k] = static_cast<Displacement>(staging != nullptr ? piece.at : piece.address - base_);
    if (types_ != nullptr) types_[k] = MPI_PACKED;
  }
  void* const buffer = staging != nullptr ? staging : first_byte();
  if constexpr (std::is_same_v<Types, MPI_Datatype>) {
    return {buffer, counts, displacements, MPI_BYTE};
  } else {
    return {buffer, counts, displacements, types_};
  }
}

#define GAPLESS_VIEWS(Count, Displacement, Types)                                                              \
  template Reason Blocks::describe(const Views<Count, Displacement, Types>&, int, const Directions&) noexcept; \
  template Views<Count, Displacement, Types> Blocks::as_bytes(const Views<Count, Displacement, Types>&, void*) \
      const noexcept;                                                                                          \
  template Views<Count, Displacement, Types> Blocks::unpaired(const Views<Count, Displacement, Types>&) const noexcept;
GAPLESS_VIEWS(int, int, MPI_Datatype)
GAPLESS_VIEWS(MPI_Count, MPI_Aint, MPI_Datatype)
GAPLESS_VIEWS(int, int, const MPI_Datatype*)
GAPLESS_VIEWS(int, MPI_Aint, const MPI_Datatype*)
GAPLESS_VIEWS(MPI_Count, MPI_Aint, const MPI_Datatype*)
#undef GAPLESS_VIEWS

}  // namespace gapless::preload
