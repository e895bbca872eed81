#include "agreement.hpp"

#include <mpi.h>

#include <algorithm>

namespace gapless::lab {

std::vector<std::string> gather_texts(const std::string& text) {
  constexpr std::size_t kRoom = 512;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> own(kRoom, '\0');
  std::vector<char> all(kRoom * static_cast<std::size_t>(ranks), '\0');
  std::copy_n(text.begin(), std::min(text.size(), kRoom - 1), own.begin());
  MPI_Allgather(own.data(), kRoom, MPI_CHAR, all.data(), kRoom, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += kRoom) texts.emplace_back(all.data() + at);
  return texts;
}

void agree_or_throw(const std::optional<std::string>& failure, const std::string& where) {
  const std::vector<std::string> failures = gather_texts(failure.value_or(""));
  for (std::size_t rank = 0; rank < failures.size(); ++rank)
    if (!failures[rank].empty())
      throw VerificationError(where + ": rank " + std::to_string(rank) + ": " + failures[rank]);
}

}  // namespace gapless::lab
