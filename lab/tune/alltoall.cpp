#include "tune/alltoall.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace gapless::lab::tune {

namespace {

constexpr int kSizes[] = {4, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 262144};  // [bytes]
constexpr int kBursts = 200, kMostCalls = 10, kWarmUp = 5;
// More addresses than a communicator remembers calls of (src/ext/alltoall/recent.hpp).
constexpr int kAddresses = 8;
constexpr std::size_t kOneIn = 10;  // bursts of which one is shorter

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

double low(std::vector<double> seconds) {
  const auto place = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / kOneIn);
  std::nth_element(seconds.begin(), place, seconds.end());
  return *place;
}

// The same on both ranks.
double ratio(const LayerSwitch& layer, int bytes, Shape shape) {
  Exchange exchange(bytes, shape);
  std::vector<double> seconds[2];  // the library's, the layer's own
  const int calls = std::clamp(8000 / (bytes + 200), 1, kMostCalls);
  for (int burst = -kWarmUp; burst < kBursts; ++burst) {
    for (const bool is_second : {false, true}) {
      const bool is_own = is_second != (burst % 2 != 0);
      layer.set_own_alltoall(is_own);
      exchange.run();
      const double begin = MPI_Wtime();
      for (int call = 0; call < calls; ++call) exchange.run();
      if (burst >= 0) seconds[is_own].push_back(MPI_Wtime() - begin);
    }
  }
  double mine = low(seconds[1]) / low(seconds[0]), worse = 0;
  layer.set_own_alltoall(false);
  MPI_Allreduce(&mine, &worse, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worse;
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
