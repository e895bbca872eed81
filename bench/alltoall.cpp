// What each way to an all-to-all costs beside the MPI library's own: short bursts of calls, one way after the other, of
// each way the tenth percentile, which other load of the machine disturbs least; printed as ratios to MPI_Alltoall.
//
// Usage: mpiexec -n 2 alltoall [bursts=2000] [contiguous|strided|in-place|all] [bytes,...] [name,...]
//
// A name is that of an algorithm, with :types or :staged, and with + for its persistent form; with ^ no call has the
// arguments of a recent one; "init" is MPI_Alltoall_init, "v-init" MPI_Alltoallv_init. Under the layer its collectives
// are switched off, but for "layer", which is MPI_Alltoall, "layer^", "layer-init" and "layer-v-init", to be run with
// GAPLESS_ALLTOALL=own if all are to be ours; of "layer2" and so on none is. On more processes than processors the
// times mean nothing.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gapless/gapless_mpi.h"

namespace {

struct Side {
  std::vector<char> memory;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  bool is_in_place = false;
  const void* address() const { return is_in_place ? MPI_IN_PLACE : memory.data(); }
};

// `bytes` in a block: ints, or every second one.
Side make_side(int bytes, const std::string& shape, int processes) {
  Side side;
  const int ints = bytes / 4;
  if (shape == "strided") {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(ints, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 8 * static_cast<MPI_Aint>(ints), &side.type);
    MPI_Type_free(&vector);
    side.count = 1;
  } else {
    MPI_Type_dup(MPI_INT, &side.type);
    side.count = ints;
  }
  MPI_Type_commit(&side.type);
  side.memory.assign(static_cast<std::size_t>(bytes) * 2 * static_cast<std::size_t>(processes) + 64, 1);
  return side;
}

// One way to do it, and its times.
struct Way {
  std::string name, algorithm;
  bool is_fresh = false;
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
  MPI_Request native = MPI_REQUEST_NULL;
  std::size_t calls = 0;
  std::vector<double> times;
  const char* asked() const { return algorithm == "default" ? nullptr : algorithm.c_str(); }
};

bool is_layers(const std::string& name) {
  return name.starts_with("layer");
}

// 0: native; 2: as the layer has it without algorithms of our own.
void switch_layer(const std::string& name) {
  static auto* const function = reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_collectives"));
  if (function != nullptr) function(!is_layers(name) ? 0 : name.starts_with("layer2") ? 2 : 1);
}

MPI_Request make_v(Side& send, Side& receive) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> out(static_cast<std::size_t>(size), send.count), in(static_cast<std::size_t>(size), receive.count);
  std::vector<int> from, to;
  for (int k = 0; k < size; ++k) {
    from.push_back(k * send.count);
    to.push_back(k * receive.count);
  }
  MPI_Request made = MPI_REQUEST_NULL;
  MPI_Alltoallv_init(send.address(), out.data(), from.data(), send.type, receive.memory.data(), in.data(), to.data(),
                     receive.type, MPI_COMM_WORLD, MPI_INFO_NULL, &made);
  return made;
}

Way make_way(const std::string& name, Side& send, Side& receive) {
  Way way;
  way.name = way.algorithm = name;
  way.is_fresh = name.back() == '^';
  if (way.is_fresh || name.back() == '+') way.algorithm.pop_back();
  switch_layer(name);
  if (name.ends_with("v-init"))
    way.native = make_v(send, receive);
  else if (name.ends_with("init"))
    MPI_Alltoall_init(send.address(), send.count, send.type, receive.memory.data(), receive.count, receive.type,
                      MPI_COMM_WORLD, MPI_INFO_NULL, &way.native);
  else if (name.back() == '+')
    GAPLESS_Alltoall_init(send.address(), send.count, send.type, receive.memory.data(), receive.count, receive.type,
                          MPI_COMM_WORLD, way.asked(), &way.request);
  return way;
}

void run(Way& way, Side& send, Side& receive) {
  // Eight addresses in turn: more than a communicator remembers.
  char* const into = receive.memory.data() + (way.is_fresh ? 8 * (way.calls++ % 8) : 0);
  if (way.native != MPI_REQUEST_NULL) {
    MPI_Start(&way.native);
    MPI_Wait(&way.native, MPI_STATUS_IGNORE);
  } else if (way.request != GAPLESS_REQUEST_NULL) {
    GAPLESS_Start(way.request);
    GAPLESS_Wait(way.request);
  } else if (way.name == "MPI_Alltoall" || is_layers(way.name)) {
    MPI_Alltoall(send.address(), send.count, send.type, into, receive.count, receive.type, MPI_COMM_WORLD);
  } else if (GAPLESS_Alltoall(send.address(), send.count, send.type, into, receive.count, receive.type, MPI_COMM_WORLD,
                              way.asked()) != MPI_SUCCESS) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

double tenth(std::vector<double> values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::vector<std::string> split(const char* text) {
  std::vector<std::string> words;
  for (std::string rest(text); !rest.empty();) {
    const std::size_t end = rest.find(',');
    words.push_back(rest.substr(0, end));
    rest.erase(0, end == std::string::npos ? end : end + 1);
  }
  return words;
}

void measure(int bytes, const std::string& shape, int bursts, const std::vector<std::string>& names) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Side send = make_side(bytes, shape, size), receive = make_side(bytes, shape, size);
  send.is_in_place = shape == "in-place";
  std::vector<Way> ways(1);
  ways[0].name = "MPI_Alltoall";
  for (const std::string& name : names) ways.push_back(make_way(name, send, receive));
  const int calls = std::clamp(4000 / (bytes + 200), 1, 10);
  for (int burst = -5; burst < bursts; ++burst)
    for (Way& way : ways) {
      switch_layer(way.name);
      run(way, send, receive);
      const double begin = MPI_Wtime();
      for (int call = 0; call < calls; ++call) run(way, send, receive);
      if (burst >= 0) way.times.push_back((MPI_Wtime() - begin) / calls);
    }
  if (rank == 0) {
    std::printf("%7d B %-10s %8.2f us", bytes, shape.c_str(), 1e6 * tenth(ways[0].times));
    for (std::size_t k = 1; k < ways.size(); ++k) std::printf(" %6.2f", tenth(ways[k].times) / tenth(ways[0].times));
    std::printf("\n");
    std::fflush(stdout);
  }
  for (Way& way : ways) {
    if (way.request != GAPLESS_REQUEST_NULL) GAPLESS_Request_free(&way.request);
    if (way.native != MPI_REQUEST_NULL) MPI_Request_free(&way.native);
  }
  MPI_Type_free(&send.type);
  MPI_Type_free(&receive.type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bursts = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::string shape = argc > 2 ? argv[2] : "all";
  const std::vector<std::string> sizes = split(argc > 3 ? argv[3] : "4,64,512,4000,16000,40000,80000");
  const std::vector<std::string> names =
      split(argc > 4 ? argv[4] : "init,basic:types^,zero-copy:types^,least-slots^,least-slots,least-slots+,default");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("to MPI_Alltoall:");
    for (const std::string& name : names) std::printf(" %s", name.c_str());
    std::printf("\n");
  }
  for (const char* one : {"contiguous", "strided", "in-place"})
    if (shape == "all" || shape == one)
      for (const std::string& bytes : sizes) measure(std::atoi(bytes.c_str()), one, bursts, names);
  MPI_Finalize();
  return 0;
}
