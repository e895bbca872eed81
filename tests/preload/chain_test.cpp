// With other tools in the process: each sees each call once, with the program's arguments, and the data are right.
//
// chain_test [TOOL]...: the first words of what the tools are asked by, tool_ if none is named
#include <string>
#include <vector>

#include "support.hpp"

namespace {

int ask(const std::string& what) {
  const auto function = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, what.c_str()));
  CHECK(function != nullptr, "%s: the tool is not in this process", what.c_str());
  return function();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const test::Layer layer = test::layer();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int kRounds = 100;
  MPI_Datatype column;
  MPI_Type_vector(50, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> field(200), packed(50);
    for (int k = 0; k < 200; ++k) field[static_cast<std::size_t>(k)] = rank == 0 ? k + round : -1;
    if (rank == 0) {
      MPI_Send(field.data(), 1, column, 1, 0, MPI_COMM_WORLD);
      int position = 0;
      MPI_Pack(field.data(), 1, column, packed.data(), 200, &position, MPI_COMM_WORLD);
      for (int k = 0; k < 50; ++k) CHECK(packed[static_cast<std::size_t>(k)] == 4 * k + round, "packed element %d", k);
    } else {
      MPI_Recv(field.data(), 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int k = 0; k < 200; ++k)
        CHECK(field[static_cast<std::size_t>(k)] == (k % 4 == 0 ? k + round : -1), "element %d", k);
    }
  }
  const int mine = rank == 0 ? kRounds : 0, its = kRounds - mine;
  std::vector<std::string> tools(argv + 1, argv + argc);
  if (tools.empty()) tools = {"tool_"};
  for (const std::string& tool : tools) {
    CHECK(ask(tool + "sends") == mine, "%s: %d", tool.c_str(), ask(tool + "sends"));
    CHECK(ask(tool + "receives") == its, "%s: %d", tool.c_str(), ask(tool + "receives"));
    CHECK(ask(tool + "packs") == mine, "%s: %d", tool.c_str(), ask(tool + "packs"));
    CHECK(ask(tool + "commits") == 1, "%s: %d", tool.c_str(), ask(tool + "commits"));
    CHECK(ask(tool + "derived") == kRounds, "%s saw other arguments than the program's: %d", tool.c_str(),
          ask(tool + "derived"));
  }
  CHECK(layer.count("MPI_Send").calls == mine && layer.accelerated("MPI_Send") == mine, "%lld",
        layer.accelerated("MPI_Send"));
  CHECK(layer.count("MPI_Recv").calls == its && layer.accelerated("MPI_Recv") == its, "%lld",
        layer.accelerated("MPI_Recv"));
  CHECK(layer.count("MPI_Pack").calls == mine && layer.accelerated("MPI_Pack") == mine, "%lld",
        layer.accelerated("MPI_Pack"));
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
