// MPI_Pack and MPI_Unpack between buffers that share memory: undefined in MPI, so the library's own result stays what
// the program sees. Buffers that only touch one another, or lie in one another's gaps, are accelerated as ever.
#include <vector>

#include "support.hpp"

namespace {

constexpr int kSize = 64, kHull = 7 * 16 + 8, kAt = 200;  // [bytes]
using Bytes = std::vector<unsigned char>;

struct Seen {
  Bytes memory;
  int code, position;
  bool operator==(const Seen&) const = default;
};

test::Layer layer;

Bytes numbered() {
  Bytes bytes(600);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
  return bytes;
}

Seen pack(MPI_Datatype type, int packed_at, int position, bool on) {
  Seen seen{numbered(), MPI_SUCCESS, position};
  layer.set(on);
  seen.code = MPI_Pack(seen.memory.data() + kAt, 1, type, seen.memory.data() + packed_at, position + kSize,
                       &seen.position, MPI_COMM_WORLD);
  layer.set(true);
  return seen;
}

Seen unpack(MPI_Datatype type, int packed_at, int position, bool on) {
  Seen seen{numbered(), MPI_SUCCESS, position};
  layer.set(on);
  seen.code = MPI_Unpack(seen.memory.data() + packed_at, position + kSize, &seen.position, seen.memory.data() + kAt, 1,
                         type, MPI_COMM_WORLD);
  layer.set(true);
  return seen;
}

// Two allocations' worth of data with absolute addresses, and the packed bytes between them.
void between() {
  struct {
    double before[32], packed[16], behind[32];
  } memory;
  const int lengths[] = {1, 1};
  MPI_Aint places[2];
  MPI_Get_address(memory.before, &places[0]);
  MPI_Get_address(memory.behind, &places[1]);
  MPI_Datatype every_other, type;
  MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &every_other);
  const MPI_Datatype types[] = {every_other, every_other};
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  for (int k = 0; k < 32; ++k) memory.before[k] = k, memory.behind[k] = 100 + k;
  const long long packs = layer.accelerated("MPI_Pack"), unpacks = layer.accelerated("MPI_Unpack");
  int position = 0;
  MPI_Pack(MPI_BOTTOM, 1, type, memory.packed, sizeof memory.packed, &position, MPI_COMM_WORLD);
  for (int k = 0; k < 16; ++k) {
    const double expected = k < 8 ? 2 * k : 100 + 2 * (k - 8);
    CHECK(memory.packed[k] == expected, "%g at %d", memory.packed[k], k);
  }
  for (double& value : memory.packed) value = -value;
  position = 0;
  MPI_Unpack(memory.packed, sizeof memory.packed, &position, MPI_BOTTOM, 1, type, MPI_COMM_WORLD);
  for (int k = 0; k < 16; ++k) {
    const double sign = k % 2 == 0 ? -1 : 1;
    CHECK(memory.before[k] == sign * k && memory.behind[k] == sign * (100 + k), "at %d", k);
  }
  CHECK(layer.accelerated("MPI_Pack") == packs + 1, "packing between the data was declined");
  CHECK(layer.accelerated("MPI_Unpack") == unpacks + 1, "unpacking between the data was declined");
  MPI_Type_free(&type);
  MPI_Type_free(&every_other);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  layer = test::layer();
  MPI_Datatype type;
  MPI_Type_vector(8, 2, 4, MPI_INT, &type);  // kSize bytes within kHull
  MPI_Type_commit(&type);
  long long apart = 0, shared = 0;
  for (const int position : {0, 24}) {
    for (int packed_at = kAt - kSize - position - 4; packed_at <= kAt + kHull + 4; packed_at += 4) {
      const int from = packed_at + position;
      const bool overlaps = from < kAt + kHull && kAt < from + kSize;
      const long long packs = layer.accelerated("MPI_Pack"), unpacks = layer.accelerated("MPI_Unpack");
      const Seen packed = pack(type, packed_at, position, true), unpacked = unpack(type, packed_at, position, true);
      const int expected = overlaps ? 0 : 1;
      CHECK(layer.accelerated("MPI_Pack") - packs == expected, "packing to %d", from - kAt);
      CHECK(layer.accelerated("MPI_Unpack") - unpacks == expected, "unpacking from %d", from - kAt);
      CHECK(packed == pack(type, packed_at, position, false), "packing to %d", from - kAt);
      CHECK(unpacked == unpack(type, packed_at, position, false), "unpacking from %d", from - kAt);
      ++(overlaps ? shared : apart);
    }
  }
  CHECK(apart > 4 && shared > 40, "%lld apart, %lld shared", apart, shared);
  MPI_Type_free(&type);
  between();
  MPI_Finalize();
  return 0;
}
