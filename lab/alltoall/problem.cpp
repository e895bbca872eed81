#include "problem.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <climits>

namespace gapless::lab::alltoall {
namespace {

constexpr int kSentinel = -77;

// Odd factors: another rank, block or version differs in every element.
std::uint32_t first_value(int from, int to, std::uint32_t version) {
  return static_cast<std::uint32_t>(from) * 0x9e3779b1u + static_cast<std::uint32_t>(to) * 0x85ebca6bu +
         version * 0xc2b2ae35u;
}

// splitmix64's last step: the same numbers on all hosts.
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

}  // namespace

Problem::Problem(const GroupSpec& group, std::uint64_t seed, int rank, int ranks)
    : elements_(group.elements),
      random_(group.random),
      in_place_(group.in_place),
      seed_(seed),
      rank_(rank),
      ranks_(ranks) {
  lay_out(send_counts_, send_places_, send_, true);
  lay_out(receive_counts_, receive_places_, receive_, false);
}

// As harp-lab draws them: from nothing to 99 hundredths of the most.
std::int64_t Problem::count(int from, int to) const {
  if (!random_) return elements_;
  const std::uint64_t drawn =
      mixed(seed_ ^ mixed(static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(ranks_) +
                          static_cast<std::uint64_t>(to)));
  return elements_ * static_cast<std::int64_t>(drawn % 100) / 100;
}

void Problem::lay_out(std::vector<int>& counts, std::vector<int>& places, std::vector<int>& buffer, bool sends) const {
  std::int64_t end = 0;
  for (int other = 0; other < ranks_; ++other) {
    const std::int64_t one = sends ? count(rank_, other) : count(other, rank_);
    if (end > INT_MAX - one)
      throw base::Error(base::Status::kOverflow, "the blocks of a rank are more than 2^31 elements");
    counts.push_back(static_cast<int>(one));
    places.push_back(static_cast<int>(end));
    end += one;
  }
  buffer.assign(static_cast<std::size_t>(end) + 2 * kGuard, kSentinel);
}

void Problem::write() {
  ++version_;
  for (int other = 0; other < ranks_; ++other) {
    int* block = (in_place_ ? receive_ : send_).data() + kGuard + send_places_[static_cast<std::size_t>(other)];
    std::uint32_t value = first_value(rank_, other, version_);
    for (int e = 0; e < send_counts_[static_cast<std::size_t>(other)]; ++e) block[e] = static_cast<int>(value++);
  }
}

void Problem::spoil() {
  if (!in_place_) std::fill(receive_.begin(), receive_.end(), kSentinel);
}

std::optional<std::string> Problem::wrong() const {
  for (int other = 0; other < ranks_; ++other) {
    const int* block = receive_.data() + kGuard + receive_places_[static_cast<std::size_t>(other)];
    std::uint32_t value = first_value(other, rank_, version_);
    for (int e = 0; e < receive_counts_[static_cast<std::size_t>(other)]; ++e, ++value)
      if (block[e] != static_cast<int>(value))
        return "element " + std::to_string(e) + " of what rank " + std::to_string(other) + " sent is " +
               std::to_string(block[e]) + ", not " + std::to_string(static_cast<int>(value));
  }
  const auto is_kept = [](int element) { return element == kSentinel; };
  if (!std::all_of(receive_.begin(), receive_.begin() + kGuard, is_kept) ||
      !std::all_of(receive_.end() - kGuard, receive_.end(), is_kept))
    return "what stands beside the receive buffer was written";
  return std::nullopt;
}

}  // namespace gapless::lab::alltoall
