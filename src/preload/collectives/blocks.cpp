#include "preload/collectives/blocks.hpp"

#include <limits>
#include <new>

#include "move/move.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/staging/host_memory.hpp"
#include "preload/collectives/refusal.hpp"
#include "preload/stats/counters.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

namespace {

bool product(std::int64_t a, std::int64_t b, std::int64_t& result) noexcept {
  return !__builtin_mul_overflow(a, b, &result);
}

const char* moved(const char* address, std::int64_t bytes) noexcept {
  return reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}

// The library's own packing, in portions that an int can count. From MPI_BOTTOM element by element as long as the
// address is null, because MPICH 5.0.2 and Intel MPI refuse a null buffer for more than one element. On MPI_COMM_SELF,
// for the program may have freed the operation's communicator meanwhile.
template <class Move>
void by_portions(const Piece& piece, char* packed, Move&& move) noexcept {
  const MPI_Count size = piece.elements->size;
  const MPI_Count most = size < INT_MAX ? INT_MAX / size : 1;
  for (MPI_Count done = 0, count; done < piece.count; done += count) {
    auto* const address = const_cast<char*>(moved(piece.address, done * piece.elements->extent));
    count = address == nullptr ? 1 : piece.count - done < most ? piece.count - done : most;
    move(address, count, packed + done * size, count * size);
  }
}

void pack_piece(const Piece& piece, char* packed) noexcept {
  const Elements& elements = *piece.elements;
  if (elements.plan != nullptr) {
    move::pack(*elements.plan, piece.count, piece.address, 0, packed, piece.bytes());
    return;
  }
  by_portions(piece, packed, [&](char* address, MPI_Count count, char* to, MPI_Count bytes) {
    if (bytes > INT_MAX) {  // one element; a library without MPI_Pack_c never comes here (largest_message)
      MPI_Count position = 0;
      mpi::library.Pack_c(address, count, elements.type, to, bytes, &position, MPI_COMM_SELF);
      return;
    }
    int position = 0;
    mpi::library.Pack(address, static_cast<int>(count), elements.type, to, static_cast<int>(bytes), &position,
                      MPI_COMM_SELF);
  });
}

void unpack_piece(const Piece& piece, char* packed) noexcept {
  const Elements& elements = *piece.elements;
  if (elements.plan != nullptr) {
    move::unpack(*elements.plan, piece.count, const_cast<char*>(piece.address), 0, packed, piece.bytes());
    return;
  }
  by_portions(piece, packed, [&](char* address, MPI_Count count, char* from, MPI_Count bytes) {
    if (bytes > INT_MAX) {
      MPI_Count position = 0;
      mpi::library.Unpack_c(from, bytes, &position, address, count, elements.type, MPI_COMM_SELF);
      return;
    }
    int position = 0;
    mpi::library.Unpack(from, static_cast<int>(bytes), &position, address, static_cast<int>(count), elements.type,
                        MPI_COMM_SELF);
  });
}

}  // namespace

void Elements::leave_to_library(bool keep) noexcept {
  plan = nullptr;
  MPI_Datatype copy{};
  if (!keep || owns_type || mpi::library.Type_dup(type, &copy) != MPI_SUCCESS) return;
  type = copy;
  owns_type = true;
}

Elements::~Elements() {
  // The entry of a persistent request may be destroyed after MPI was finalised, which freed its types.
  if (owns_type && mpi::has_epoch()) mpi::library.Type_free(&type);
}

Blocks::~Blocks() {
  for (int k = 0; each_ != nullptr && k < n_; ++k) each_[k].~Elements();
}

Reason Blocks::read(Elements& elements, MPI_Datatype type) noexcept {
  if (type == MPI_DATATYPE_NULL) return Reason::kArguments;
  elements.type = type;
  elements.facts = mpi::find_type(type, true);
  if (elements.facts == nullptr && refuses_type(type)) return Reason::kUnregistered;
  elements.plan = elements.facts == nullptr ? nullptr : elements.facts->plan();
  if (elements.plan != nullptr) {
    elements.size = elements.plan->size();
    elements.extent = elements.plan->extent();
    return Reason::kNone;
  }
  MPI_Count lb = 0;
  if (mpi::library.Type_size_x(type, &elements.size) != MPI_SUCCESS || elements.size < 0 ||
      mpi::library.Type_get_extent_x(type, &lb, &elements.extent) != MPI_SUCCESS) {
    return Reason::kArguments;
  }
  elements.leave_to_library(outlasts_);
  return Reason::kNone;
}

// Adds a piece to the sums. Returns false if they overflow, or if there is no buffer.
bool Blocks::add(Piece& piece, Elements& elements) noexcept {
  piece.elements = &elements;
  std::int64_t bytes, runs;
  if (!product(piece.count, elements.size, bytes) || __builtin_add_overflow(bytes_, bytes, &bytes_)) return false;
  if (base_ == MPI_IN_PLACE) return false;
  if (bytes == 0) return true;
  if (elements.plan != nullptr) {
    const char* const first = moved(piece.address, elements.plan->first_byte());
    if (reinterpret_cast<std::intptr_t>(first) < kLowestAddress) return false;
  }
  needs_library_ = needs_library_ || elements.plan == nullptr;
  if (elements.plan == nullptr || !product(piece.count, elements.plan->run_count(), runs) ||
      __builtin_add_overflow(runs_, runs, &runs_)) {
    runs_ = INT64_MAX;
  }
  contiguous_ = contiguous_ && elements.plan != nullptr && elements.plan->is_run(piece.count);
  return true;
}

namespace {

// Absolute addresses may name memory of both kinds.
bool is_host(const Piece& piece, const char* base) noexcept {
  return piece.bytes() == 0 || (mpi::is_host(moved(piece.address, piece.elements->plan->first_byte())) &&
                                (base != MPI_BOTTOM || !mpi::has_gpu_runtime()));
}

}  // namespace

// Leaves the packing of data in an accelerator's memory to the library; contiguous data are not touched at all.
void Blocks::leave_device_data_to_library() noexcept {
  if (contiguous_) return;
  for (int k = 0; k < piece_count_; ++k) {
    Elements& elements = each_ != nullptr ? each_[k] : elements_;
    if (elements.plan == nullptr || is_host(pieces_[k], base_)) continue;
    elements.leave_to_library(outlasts_);
    needs_library_ = true;
  }
}

void Blocks::stage() noexcept {
  contiguous_ = false;
  leave_device_data_to_library();
}

// Computes the bytes of one of n plain blocks, and the number of elements of all together.
Reason Blocks::measure(MPI_Count count, MPI_Datatype type, int n, std::int64_t& elements) noexcept {
  if (count < 0) return Reason::kArguments;
  if (const Reason reason = read(elements_, type); reason != Reason::kNone) return reason;
  std::int64_t span;
  if (!product(count, n, elements) || !product(count, elements_.size, block_bytes_) ||
      block_bytes_ > largest_message()) {
    return Reason::kLarge;
  }
  // Without data it does not matter how far they reach, for the other processes do not know it.
  return block_bytes_ == 0 || product(elements, elements_.extent, span) ? Reason::kNone : Reason::kLarge;
}

Reason Blocks::set_plain_in_pieces(const void* buffer, MPI_Count count, MPI_Datatype type, int n,
                                   Direction direction) noexcept {
  std::int64_t all;
  if (const Reason reason = measure(count, type, n, all); reason != Reason::kNone) return reason;
  if (!make_tables(n, false)) return Reason::kStaging;
  base_ = static_cast<const char*>(buffer);
  contiguous_ = !policy.force && elements_.plan != nullptr && elements_.plan->is_contiguous();
  for (int k = 0; k < n; ++k) {
    const std::int64_t displacement = block_bytes_ == 0 ? 0 : k * count * elements_.extent;
    pieces_[k] = {moved(base_, displacement), count, bytes_, nullptr, direction.out, direction.in};
    if (!add(pieces_[k], elements_)) return Reason::kBuffer;
  }
  leave_device_data_to_library();
  first_ = bytes_ == 0 || elements_.plan == nullptr ? base_ : moved(base_, elements_.plan->first_byte());
  return Reason::kNone;
}

Reason Blocks::set_plain(const void* buffer, MPI_Count count, MPI_Datatype type, int n, Direction direction, int own,
                         Direction own_direction) noexcept {
  std::int64_t all;
  if (const Reason reason = measure(count, type, n, all); reason != Reason::kNone) return reason;
  n_ = n;
  base_ = static_cast<const char*>(buffer);
  contiguous_ = !policy.force;
  Piece whole{base_, all, 0, nullptr, direction.out, direction.in};
  if (!add(whole, elements_)) return Reason::kBuffer;
  first_ = bytes_ == 0 || elements_.plan == nullptr ? base_ : moved(base_, elements_.plan->first_byte());
  if (own < 0) {
    few_[piece_count_++] = whole;
    leave_device_data_to_library();
    return Reason::kNone;
  }
  const auto part = [&](MPI_Count from, MPI_Count to, Direction its) {
    few_[piece_count_++] = {moved(base_, bytes_ == 0 ? 0 : from * elements_.extent),
                            to - from,
                            from * elements_.size,
                            &elements_,
                            its.out,
                            its.in};
  };
  part(0, own * count, direction);
  own_ = piece_count_;
  part(own * count, (own + 1) * count, own_direction);
  part((own + 1) * count, all, direction);
  leave_device_data_to_library();
  return Reason::kNone;
}

// Reserves n pieces, n counts and displacements of any kind, and, if `typed`, n types.
bool Blocks::make_tables(int n, bool typed) noexcept {
  const auto many = static_cast<std::int64_t>(n);
  const std::int64_t a_block = sizeof(Piece) + sizeof(MPI_Count) + sizeof(MPI_Aint) +
                               (typed ? static_cast<std::int64_t>(sizeof(Elements) + sizeof(MPI_Datatype)) : 0);
  if (!tables_.reserve(many * a_block + 64)) return false;
  pieces_ = static_cast<Piece*>(tables_.data());
  auto* at = reinterpret_cast<char*>(pieces_ + n);
  if (typed) {
    each_ = reinterpret_cast<Elements*>(at);
    at = reinterpret_cast<char*>(each_ + n);
    types_ = reinterpret_cast<MPI_Datatype*>(at);
    at = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(types_ + n) + 7) / 8 * 8);
  }
  counts_ = at;
  displacements_ = at + many * static_cast<std::int64_t>(sizeof(MPI_Count));
  for (int k = 0; k < n; ++k) {
    new (pieces_ + k) Piece{};
    if (typed) new (each_ + k) Elements;
  }
  n_ = piece_count_ = n;
  return true;
}

// True if the procedure that the program called can count the bytes. If the displacements of contiguous blocks do not
// fit, the blocks are packed.
template <class Count, class Displacement>
bool Blocks::fits() noexcept {
  if (bytes_ > std::numeric_limits<Displacement>::max()) return false;
  for (int k = 0; k < n_; ++k) {
    const Piece& piece = pieces_[k];
    if (piece.bytes() > std::numeric_limits<Count>::max()) return false;
    const std::int64_t displacement = piece.address - base_;
    if (displacement > std::numeric_limits<Displacement>::max() ||
        displacement < std::numeric_limits<Displacement>::min())
      contiguous_ = false;
  }
  return true;
}

template <class Count>
Reason Blocks::set_v(const void* buffer, int n, const Count* counts, const mpi::DisplacementOf<Count>* displacements,
                     MPI_Datatype type, Direction direction, int own, Direction own_direction) noexcept {
  if (n > 0 && (counts == nullptr || displacements == nullptr)) return Reason::kArguments;
  for (int k = 0; k < n; ++k) {
    if (counts[k] < 0) return Reason::kArguments;
  }
  if (const Reason reason = read(elements_, type); reason != Reason::kNone) return reason;
  if (!make_tables(n, false)) return Reason::kStaging;
  own_ = own;
  base_ = static_cast<const char*>(buffer);
  contiguous_ = !policy.force;
  for (int k = 0; k < n; ++k) {
    // Where an empty block lies does not matter, for the other processes do not know it.
    std::int64_t displacement = 0;
    if (counts[k] != 0 && elements_.size != 0 && !product(displacements[k], elements_.extent, displacement))
      return Reason::kLarge;
    const Direction its = k == own ? own_direction : direction;
    pieces_[k] = {moved(base_, displacement), counts[k], bytes_, nullptr, its.out, its.in};
    if (!add(pieces_[k], elements_)) return Reason::kBuffer;
  }
  first_ = bytes_ == 0 || elements_.plan == nullptr ? base_ : moved(base_, elements_.plan->first_byte());
  if (!fits<Count, mpi::DisplacementOf<Count>>()) return Reason::kLarge;
  leave_device_data_to_library();
  return Reason::kNone;
}

template <class Count, class Displacement>
Reason Blocks::set_w(const void* buffer, int n, const Count* counts, const Displacement* displacements,
                     const MPI_Datatype* types, Direction direction) noexcept {
  if (n > 0 && (counts == nullptr || displacements == nullptr || types == nullptr)) return Reason::kArguments;
  for (int k = 0; k < n; ++k) {
    if (counts[k] < 0) return Reason::kArguments;
  }
  if (!make_tables(n, true)) return Reason::kStaging;
  base_ = static_cast<const char*>(buffer);
  contiguous_ = !policy.force;
  for (int k = 0; k < n; ++k) {
    // The type of an empty block need not be valid.
    if (counts[k] != 0) {
      if (const Reason reason = read(each_[k], types[k]); reason != Reason::kNone) return reason;
    }
    types_[k] = MPI_PACKED;
    pieces_[k] = {moved(base_, displacements[k]), counts[k], bytes_, nullptr, direction.out, direction.in};
    if (!add(pieces_[k], each_[k])) return Reason::kBuffer;
  }
  first_ = base_;
  if (!fits<Count, Displacement>()) return Reason::kLarge;
  leave_device_data_to_library();
  return Reason::kNone;
}

bool Blocks::are_worth(const Policy& of, Operation operation) const noexcept {
  const std::int64_t mean_run_bytes = runs_ > 0 ? bytes_ / runs_ : 0;
  return of.verdict(operation, Distance::kAny, Shape::kVector, bytes_, mean_run_bytes) != Verdict::kNative;
}

bool Blocks::reserve() noexcept {
  return left_ || is_joined() || contiguous_ || bytes_ == 0 || staging_.reserve(bytes_);
}

void Blocks::join(Blocks& many) noexcept {
  Piece& other = many.pieces_[many.own_];
  if (piece_count_ != 1 || pieces_[0].bytes() != other.bytes()) {
    other.comes_in = pieces_[0].goes_out;
    return;
  }
  joined_ = &many;
  // Both ends are accessed here, though neither may be staged.
  const bool are_on_host = elements_.plan != nullptr && is_host(pieces_[0], base_) &&
                           (other.elements->plan == nullptr || is_host(other, many.base_));
  if (!are_on_host) elements_.leave_to_library(outlasts_);
}

void Blocks::move_own_block() noexcept {
  if (pieces_[0].bytes() == 0) return;
  if (pieces_[0].goes_out) return send_own_block();
  receive_own_block();
}

void Blocks::receive_own_block() noexcept {
  const Piece& from = joined_->pieces_[joined_->own_];
  const char* const packed = joined_->is_staged() ? static_cast<const char*>(joined_->staging_.data()) + from.at
                                                  : moved(from.address, from.elements->plan->first_byte());
  unpack_piece(pieces_[0], const_cast<char*>(packed));
}

void Blocks::send_own_block() noexcept {
  const Piece &out = pieces_[0], &in = joined_->pieces_[joined_->own_];
  if (!joined_->is_staged()) {
    return pack_piece(out, const_cast<char*>(moved(in.address, in.elements->plan->first_byte())));
  }
  char* const packed = static_cast<char*>(joined_->staging_.data()) + in.at;
  const plan::Plan *const from = out.elements->plan, *const to = in.elements->plan;
  if (from == nullptr || to == nullptr) {
    pack_piece(out, packed);
    return unpack_piece(in, packed);
  }
  // In portions that stay in the second cache.
  constexpr std::int64_t kPortion = 256 * 1024;
  for (std::int64_t at = 0; at < out.bytes(); at += kPortion) {
    move::pack(*from, out.count, out.address, at, packed + at, kPortion);
    const std::int64_t bytes = out.bytes() - at < kPortion ? out.bytes() - at : kPortion;
    move::unpack(*to, in.count, const_cast<char*>(in.address), at, packed + at, bytes);
  }
}

void Blocks::pack(Procedure procedure) noexcept {
  if (is_joined()) return timed(procedure, true, [&] { move_own_block(); });
  if (!is_staged()) return;
  timed(procedure, true, [&] {
    for (int k = 0; k < piece_count_; ++k) {
      const Piece& piece = pieces_[k];
      if (piece.goes_out && piece.bytes() > 0) pack_piece(piece, static_cast<char*>(staging_.data()) + piece.at);
    }
  });
}

void Blocks::unpack(Procedure procedure) noexcept {
  if (!is_staged()) return;
  timed(procedure, false, [&] {
    for (int k = 0; k < piece_count_; ++k) {
      const Piece& piece = pieces_[k];
      if (piece.comes_in && piece.bytes() > 0) unpack_piece(piece, static_cast<char*>(staging_.data()) + piece.at);
    }
  });
}

void* Blocks::buffer() const noexcept {
  return is_staged() ? staging_.data() : const_cast<char*>(first_);
}

template <class Count, class Displacement>
void Blocks::tabulate() noexcept {
  auto* const counts = static_cast<Count*>(counts_);
  auto* const displacements = static_cast<Displacement*>(displacements_);
  for (int k = 0; k < n_; ++k) {
    counts[k] = static_cast<Count>(pieces_[k].bytes());
    displacements[k] = static_cast<Displacement>(is_staged() ? pieces_[k].at : pieces_[k].address - base_);
  }
}

template Reason Blocks::set_v(const void*, int, const int*, const int*, MPI_Datatype, Direction, int,
                              Direction) noexcept;
template Reason Blocks::set_v(const void*, int, const MPI_Count*, const MPI_Aint*, MPI_Datatype, Direction, int,
                              Direction) noexcept;
template Reason Blocks::set_w(const void*, int, const int*, const int*, const MPI_Datatype*, Direction) noexcept;
template Reason Blocks::set_w(const void*, int, const int*, const MPI_Aint*, const MPI_Datatype*, Direction) noexcept;
template Reason Blocks::set_w(const void*, int, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*,
                              Direction) noexcept;
template void Blocks::tabulate<int, int>() noexcept;
template void Blocks::tabulate<int, MPI_Aint>() noexcept;
template void Blocks::tabulate<MPI_Count, MPI_Aint>() noexcept;

}  // namespace gapless::preload
