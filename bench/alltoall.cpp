// What each way to an all-to-all costs, beside the MPI library's own: short bursts of calls, one way after the other,
// and of each way the tenth percentile, which other load of the machine disturbs least; printed as ratios to
// MPI_Alltoall. Usage: mpiexec -n 2 alltoall [bursts=2000] [contiguous|strided|all] [bytes,...] [name,...] A name is
// that of an algorithm, with :types or :staged, and with + for its persistent form; "init": MPI_Alltoall_init. On more
// processes than processors the times mean nothing: count instructions then.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gapless/gapless_mpi.h"

namespace {

struct Side {
  std::vector<char> memory;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
};

// `bytes` in a block: ints, or every second one.
Side make_side(int bytes, bool is_strided, int processes) {
  Side side;
  const int ints = bytes / 4;
  if (is_strided) {
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
  side.memory.assign(static_cast<std::size_t>(bytes) * 2 * static_cast<std::size_t>(processes), 1);
  return side;
}

// One way to do it, and its times.
struct Way {
  std::string name;
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
  MPI_Request native = MPI_REQUEST_NULL;
  std::vector<double> times;
};

void run(Way& way, Side& send, Side& receive) {
  if (way.native != MPI_REQUEST_NULL) {
    MPI_Start(&way.native);
    MPI_Wait(&way.native, MPI_STATUS_IGNORE);
  } else if (way.request != GAPLESS_REQUEST_NULL) {
    GAPLESS_Start(way.request);
    GAPLESS_Wait(way.request);
  } else if (way.name == "MPI_Alltoall") {
    MPI_Alltoall(send.memory.data(), send.count, send.type, receive.memory.data(), receive.count, receive.type,
                 MPI_COMM_WORLD);
  } else {
    const char* const name = way.name == "default" ? nullptr : way.name.c_str();
    if (GAPLESS_Alltoall(send.memory.data(), send.count, send.type, receive.memory.data(), receive.count, receive.type,
                         MPI_COMM_WORLD, name) != MPI_SUCCESS)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

double tenth(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10), values.end());
  return values[values.size() / 10];
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

void measure(int bytes, bool is_strided, int rounds, const std::vector<std::string>& names) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Side send = make_side(bytes, is_strided, size), receive = make_side(bytes, is_strided, size);
  std::vector<Way> ways(1);
  ways[0].name = "MPI_Alltoall";
  for (const std::string& name : names) {
    Way way;
    way.name = name;
    if (name == "init") {
#if MPI_VERSION >= 4 || defined(OPEN_MPI)
      MPI_Alltoall_init(send.memory.data(), send.count, send.type, receive.memory.data(), receive.count, receive.type,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &way.native);
#endif
    } else if (name.back() == '+') {
      const std::string algorithm = name.substr(0, name.size() - 1);
      GAPLESS_Alltoall_init(send.memory.data(), send.count, send.type, receive.memory.data(), receive.count,
                            receive.type, MPI_COMM_WORLD, algorithm == "default" ? nullptr : algorithm.c_str(),
                            &way.request);
    }
    ways.push_back(std::move(way));
  }
  const int calls = std::clamp(4000 / (bytes + 200), 1, 10);
  for (int round = -5; round < rounds; ++round)
    for (Way& way : ways) {
      run(way, send, receive);
      const double begin = MPI_Wtime();
      for (int call = 0; call < calls; ++call) run(way, send, receive);
      if (round >= 0) way.times.push_back((MPI_Wtime() - begin) / calls);
    }
  if (rank == 0) {
    std::printf("%7d B %-10s %8.2f us", bytes, is_strided ? "strided" : "contiguous", 1e6 * tenth(ways[0].times));
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
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::string shape = argc > 2 ? argv[2] : "all";
  const std::vector<std::string> sizes = split(argc > 3 ? argv[3] : "4,64,512,4000,40000,80000");
  const std::vector<std::string> names =
      split(argc > 4 ? argv[4]
                     : "init,basic,basic:types,least-slots,least-slots:types,least-slots:staged,least-slots+,default");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("to MPI_Alltoall:");
    for (const std::string& name : names) std::printf(" %s", name.c_str());
    std::printf("\n");
  }
  for (const bool is_strided : {false, true})
    if (shape == "all" || is_strided == (shape == "strided"))
      for (const std::string& bytes : sizes) measure(std::atoi(bytes.c_str()), is_strided, rounds, names);
  MPI_Finalize();
  return 0;
}
