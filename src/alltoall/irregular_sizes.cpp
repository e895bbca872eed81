#include "alltoall/irregular_sizes.hpp"

#include <algorithm>

#include "alltoall/irregular_rounds.hpp"
#include "base/checked.hpp"

namespace gapless::alltoall::irregular {

namespace {

// Nobody has a message of 2^63 bytes, and sums of what passes must not wrap.
void check_sum(std::span<const std::int64_t> sizes) {
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0) throw base::Error(base::Status::kInvalidArgument, "a block of " + std::to_string(size) + " bytes");
    sum = base::checked_add(sum, size, "bytes of a round");
  }
}

}  // namespace

Sizes::Sizes(int rank, std::span<const std::int64_t> own)
    : processes_(static_cast<int>(own.size())),
      rank_(rank),
      rounds_(round_count(processes_)),
      by_distance_(own.size()) {
  for (int j = 0; j < processes_; ++j)
    by_distance_[static_cast<std::size_t>(j)] = own[static_cast<std::size_t>(before(rank, j, processes_))];
  for (int k = 0; k < rounds_; ++k)
    firsts_[static_cast<std::size_t>(k) + 1] =
        firsts_[static_cast<std::size_t>(k)] + static_cast<std::size_t>(moved_count(processes_, k));
  sent_.resize(firsts_[static_cast<std::size_t>(rounds_)]);
  received_.resize(sent_.size());
}

std::span<const std::int64_t> Sizes::outgoing(int round) {
  auto size = sent_.begin() + static_cast<std::ptrdiff_t>(first(round));
  for_each_run(processes_, round, [&](int first, int last) {
    size = std::copy(by_distance_.begin() + first, by_distance_.begin() + last, size);
  });
  check_sum(sent(round));
  return sent(round);
}

void Sizes::arrived(int round, std::span<const std::int64_t> sizes) {
  check_sum(sizes);
  const std::span<std::int64_t> into = incoming(round);
  if (sizes.data() != into.data()) std::copy(sizes.begin(), sizes.end(), into.begin());
  auto size = into.begin();
  for_each_run(processes_, round, [&](int first, int last) {
    std::copy_n(size, last - first, by_distance_.begin() + first);
    size += last - first;
  });
}

std::int64_t Sizes::from(int source) const noexcept {
  return by_distance_[static_cast<std::size_t>(before(source, rank_, processes_))];
}

}  // namespace gapless::alltoall::irregular
