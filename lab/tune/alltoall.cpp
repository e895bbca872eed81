#include "tune/alltoall.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "tune/in_turns.hpp"

namespace gapless::lab::tune {

namespace {

constexpr int kSizes[] = {4, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 262144};  // [bytes]
constexpr int kMostCalls = 10;
constexpr Bursts kBursts{.warm_up = 5, .count = 200, .one_in = 10};
// More addresses than a communicator remembers calls of (src/ext/alltoall/recent.hpp).
constexpr int kAddresses = 8;

enum class Shape { kContiguous, kStrided, kInPlace };

// Two blocks of so many bytes: every int of them, or every second one.
class Exchange {
 public:
  Exchange(int bytes, Shape shape) : is_in_place_(shape == Shape::kInPlace) {
    const int ints = bytes / 4, stride = shape == Shape::kStrided ? 2 : 1;
    MPI_Datatype vector;
    MPI_Type_vector(ints, 1, stride, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(4) * ints * stride, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&vector);
    out_.assign(static_cast<std::size_t>(2 * bytes * stride), 1);
    in_.assign(out_.size() + 8 * kAddresses, 0);
  }
  ~Exchange() { MPI_Type_free(&type_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  void run() {
    char* const into = in_.data() + 8 * (calls_++ % kAddresses);
    MPI_Alltoall(is_in_place_ ? MPI_IN_PLACE : out_.data(), 1, type_, into, 1, type_, MPI_COMM_WORLD);
  }

 private:
  const bool is_in_place_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<char> out_, in_;
  int calls_ = 0;
};

// The same on both ranks.
double ratio(const LayerSwitch& layer, int bytes, Shape shape) {
  Exchange exchange(bytes, shape);
  const int calls = std::clamp(8000 / (bytes + 200), 1, kMostCalls);
  const auto ready = [&](bool is_own) {
    layer.set_own_alltoall(is_own);
    exchange.run();
  };
  const double found = ratio_in_turns(kBursts, ready, [&](bool) {
    for (int call = 0; call < calls; ++call) exchange.run();
  });
  layer.set_own_alltoall(false);
  return found;
}

}  // namespace

nlohmann::json measure_alltoall(const LayerSwitch& layer) {
  nlohmann::json calls = nlohmann::json::array(), in_place = nlohmann::json::array();
  for (const int bytes : kSizes) {
    calls.push_back({bytes, std::max(ratio(layer, bytes, Shape::kContiguous), ratio(layer, bytes, Shape::kStrided))});
    in_place.push_back({bytes, ratio(layer, bytes, Shape::kInPlace)});
  }
  return {{"calls", calls}, {"in-place", in_place}};
}

}  // namespace gapless::lab::tune
