#include "ext/alltoall/blocks.hpp"

#include <algorithm>
#include <climits>
#include <memory>

#include "base/checked.hpp"
#include "base/status.hpp"
#include "copy/planned.hpp"
#include "ext/error.hpp"
#include "ext/memory.hpp"
#include "ext/packed_by_library.hpp"
#include "move/move.hpp"
#include "mpi/types/held_type.hpp"

namespace gapless::ext::regular {

namespace {

using base::checked_mul;

// What the library packs at a time: it may count in an int.
constexpr std::int64_t kPartBytes = 1 << 30;

}  // namespace

Blocks::Blocks(const void* buffer, MPI_Count count, MPI_Datatype type, mpi::DatatypePtr facts, int processes,
               MPI_Comm comm)
    : buffer_(static_cast<char*>(const_cast<void*>(buffer))),
      first_(buffer_),
      count_(count),
      type_(type),
      facts_(std::move(facts)),
      plan_(facts_->plan()),
      comm_(comm) {
  MPI_Aint low = 0, extent = 0;
  MPI_Count size = 0;
  if (plan_ != nullptr) {
    size = plan_->size();
    extent = plan_->extent();
  } else {
    size = -1;
    if (const int code = MPI_Type_size_x(type, &size); code != MPI_SUCCESS) throw Raised{code};
    if (const int code = MPI_Type_get_extent(type, &low, &extent); code != MPI_SUCCESS) throw Raised{code};
    // MPI_UNDEFINED, or a sum that has run over.
    if (size < 0) throw base::Error(base::Status::kOverflow, "the type has more bytes than the library can count");
  }
  bytes_ = checked_mul(size, count, "size * count");
  extent_ = checked_mul(extent, count, "extent * count");
  checked_mul(bytes_, 2 * std::int64_t{processes}, "bytes of all blocks");
  checked_mul(extent_, processes, "extent of all blocks");
  is_dense_ = is_run_ = false;
  if (plan_ == nullptr || bytes_ == 0) return;
  if (!is_host(buffer_, *plan_)) {
    plan_ = nullptr;
    return;
  }
  first_ = buffer_ + plan_->first_byte();
  is_dense_ = plan_->is_contiguous();
  is_run_ = plan_->is_run(count);
  // Several neighbours are moved at a time.
  plan_->prepare(std::max<std::int64_t>(2, count));
}

int Blocks::keep_type() {
  if (mpi::is_contiguous_builtin(type_)) return MPI_SUCCESS;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (const int code = mpi::hold_type(type_, made); code != MPI_SUCCESS) return code;
  type_ = made;
  kept_type_ = {new MPI_Datatype(made), [](MPI_Datatype* type) {
                  MPI_Type_free(type);
                  delete type;
                }};
  return MPI_SUCCESS;
}

// Elements are packed in parts: calls visit(element, its type, elements, packed, bytes) for each.
template <class Visit>
int Blocks::in_parts(std::int64_t first, std::int64_t blocks, Visit visit) const noexcept {
  const NotBottom begin(at(first), type_);
  if (begin.code() != MPI_SUCCESS) return begin.code();
  const std::int64_t elements = blocks * count_, size = bytes_ / count_, extent = extent_ / count_;
  const std::int64_t part = std::clamp<std::int64_t>(kPartBytes / std::max<std::int64_t>(1, size), 1, INT_MAX);
  for (std::int64_t k = 0; k < elements; k += part) {
    const std::int64_t now = std::min(part, elements - k);
    if (now * size > INT_MAX) return MPI_ERR_COUNT;
    const int code =
        visit(begin.buffer() + k * extent, begin.type(), static_cast<int>(now), k * size, static_cast<int>(now * size));
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Blocks::pack(std::int64_t first, std::int64_t blocks, char* packed) const noexcept {
  if (is_run(blocks)) {
    std::memcpy(packed, data(first), static_cast<std::size_t>(blocks * bytes_));
  } else if (plan_ != nullptr) {
    move::pack_all(*plan_, blocks * count_, at(first), packed);
  } else {
    return in_parts(first, blocks, [&](char* elements, MPI_Datatype type, int count, std::int64_t to, int bytes) {
      int position = 0;
      return MPI_Pack(elements, count, type, packed + to, bytes, &position, comm_);
    });
  }
  return MPI_SUCCESS;
}

int Blocks::unpack(std::int64_t first, std::int64_t blocks, const char* packed) const noexcept {
  if (is_run(blocks)) {
    std::memcpy(data(first), packed, static_cast<std::size_t>(blocks * bytes_));
  } else if (plan_ != nullptr) {
    move::unpack_all(*plan_, blocks * count_, at(first), packed);
  } else {
    return in_parts(first, blocks, [&](char* elements, MPI_Datatype type, int count, std::int64_t from, int bytes) {
      int position = 0;
      return MPI_Unpack(packed + from, bytes, &position, elements, count, type, comm_);
    });
  }
  return MPI_SUCCESS;
}

int copy(const Blocks& from, std::int64_t source, const Blocks& to, std::int64_t target, std::int64_t blocks) noexcept {
  if (to.is_run(blocks)) return from.pack(source, blocks, to.data(target));
  if (from.is_run(blocks)) return to.unpack(target, blocks, from.data(source));
  const std::int64_t bytes = blocks * from.bytes();
  return code_of([&]() -> int {
    if (from.is_for_engine() && to.is_for_engine()) {
      copy::planned(from.at(source), from.facts().shared_plan(), blocks * from.count(), to.at(target),
                    to.facts().shared_plan(), blocks * to.count(), 0, bytes);
      return MPI_SUCCESS;
    }
    const auto packed = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    const int code = from.pack(source, blocks, packed.get());
    return code != MPI_SUCCESS ? code : to.unpack(target, blocks, packed.get());
  });
}

}  // namespace gapless::ext::regular
