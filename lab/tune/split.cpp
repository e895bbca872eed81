#include "tune/split.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "tune/in_turns.hpp"

namespace gapless::lab::tune {

namespace {

// [bytes] Half octaves.
constexpr int kSizes[] = {1024,  1536,  2048,  3072,   4096,   6144,   8192,   12288,  16384,  24576,  32768,
                          49152, 65536, 98304, 131072, 196608, 262144, 393216, 524288, 786432, 1048576};
constexpr int kTail = 16, kGap = 64;  // [bytes] as the layer has them
constexpr int kMostMessages = 10, kTag = 9;
constexpr Bursts kBursts{.warm_up = 3, .count = 40, .one_in = 4};

class Message {
 public:
  explicit Message(int bytes) : bytes_(bytes), out_(static_cast<std::size_t>(bytes + kGap)), in_(out_.size()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    const int lengths[] = {bytes - kTail, kTail};
    const MPI_Aint displacements[] = {0, bytes - kTail + kGap};
    MPI_Type_create_hindexed(2, lengths, displacements, MPI_PACKED, &pieces_);
    MPI_Type_commit(&pieces_);
  }
  ~Message() { MPI_Type_free(&pieces_); }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  void to_and_fro(bool is_split) {
    for (const int sender : {0, 1}) {
      if (rank_ == sender) {
        write();
        MPI_Send(out_.data(), is_split ? 1 : bytes_, type(is_split), 1 - rank_, kTag, MPI_COMM_WORLD);
      } else {
        MPI_Recv(in_.data(), bytes_, MPI_PACKED, 1 - rank_, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
  }
  void both_ways(bool is_split) {
    MPI_Request requests[2];
    MPI_Irecv(in_.data(), bytes_, MPI_PACKED, 1 - rank_, kTag, MPI_COMM_WORLD, &requests[0]);
    write();
    MPI_Isend(out_.data(), is_split ? 1 : bytes_, type(is_split), 1 - rank_, kTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }

 private:
  MPI_Datatype type(bool is_split) const { return is_split ? pieces_ : MPI_PACKED; }
  // As packing does.
  void write() { std::memset(out_.data(), ++round_, out_.size()); }

  int rank_ = 0;
  const int bytes_;
  std::vector<char> out_, in_;
  MPI_Datatype pieces_ = MPI_DATATYPE_NULL;
  unsigned char round_ = 0;
};

double ratio(int bytes) {
  Message message(bytes);
  const int messages = std::clamp(100000 / bytes, 1, kMostMessages);
  const auto meet = [](bool) { MPI_Barrier(MPI_COMM_WORLD); };
  const double to_and_fro = ratio_in_turns(kBursts, meet, [&](bool is_split) {
    for (int k = 0; k < messages; ++k) message.to_and_fro(is_split);
  });
  const double both_ways = ratio_in_turns(kBursts, meet, [&](bool is_split) {
    for (int k = 0; k < messages; ++k) message.both_ways(is_split);
  });
  return std::max(to_and_fro, both_ways);
}

}  // namespace

nlohmann::json measure_split(double gain) {
  std::map<int, double> ratios;
  int before = 0;
  for (const int bytes : kSizes) {
    ratios[bytes] = ratio(bytes);
    if (before != 0 && ratios[before] > gain && ratios[bytes] <= gain) {
      for (int loses = before, gains = bytes; gains - loses > 1;) {
        const int middle = loses + (gains - loses) / 2;
        ratios[middle] = ratio(middle);
        (ratios[middle] <= gain ? gains : loses) = middle;
      }
    }
    before = bytes;
  }
  nlohmann::json pairs = nlohmann::json::array();
  for (const auto& [bytes, of] : ratios) pairs.push_back({bytes, of});
  return pairs;
}

}  // namespace gapless::lab::tune
