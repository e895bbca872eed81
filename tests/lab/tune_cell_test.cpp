// The messages of lab/tune: their types take what their cells write, and nests are made of points.
#include "lab/tune/cell.hpp"

#include <algorithm>

#include "gtest/gtest.h"

namespace gapless::lab::tune {
namespace {

class TuneCell : public testing::Test {
 protected:
  static void SetUpTestSuite() { MPI_Init(nullptr, nullptr); }
  static void TearDownTestSuite() { MPI_Finalize(); }
};

// The one type that a vector, a hvector or a contiguous type repeats, and its blocks' length.
struct Repeated {
  int combiner, block_length;
  MPI_Datatype of;
};

Repeated repeated_by(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  std::vector<int> numbers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> strides(static_cast<std::size_t>(addresses));
  MPI_Datatype of = MPI_DATATYPE_NULL;
  if (types != 1) return {combiner, 0, of};
  MPI_Type_get_contents(type, integers, addresses, types, numbers.data(), strides.data(), &of);
  return {combiner, combiner == MPI_COMBINER_CONTIGUOUS ? numbers[0] : numbers[1], of};
}

TEST_F(TuneCell, TypesTakeWhatIsWritten) {
  for (const Shape shape : {Shape::kVector, Shape::kNest, Shape::kList, Shape::kElements}) {
    for (const Size& size : {Size{shape, 48, 24}, Size{shape, 4800, 12}, Size{shape, 12288, 768}}) {
      Cell cell(size);
      cell.write_out(9);
      Bytes packed(static_cast<std::size_t>(size.bytes), 0);
      int position = 0;
      MPI_Pack(cell.typed_out(), cell.count(), cell.type(), packed.data(), cell.bytes(), &position, MPI_COMM_SELF);
      EXPECT_EQ(position, size.bytes);
      EXPECT_EQ(std::count(packed.begin(), packed.end(), 9), size.bytes) << kShapeNames[static_cast<int>(shape)];
    }
  }
}

TEST_F(TuneCell, ANestHasBlocksOfSeveralContiguousTypes) {
  const Cell cell({Shape::kNest, 12288, 768});
  const Repeated rows = repeated_by(cell.type());
  ASSERT_EQ(rows.combiner, MPI_COMBINER_HVECTOR);
  const Repeated blocks = repeated_by(rows.of);
  ASSERT_EQ(blocks.combiner, MPI_COMBINER_VECTOR);
  const Repeated points = repeated_by(blocks.of);
  ASSERT_EQ(points.combiner, MPI_COMBINER_CONTIGUOUS);
  EXPECT_EQ(points.of, MPI_INT);
  EXPECT_GT(points.block_length, 1);
  EXPECT_EQ(blocks.block_length * points.block_length * 4, 768);
  EXPECT_GT(blocks.block_length, 1);
}

}  // namespace
}  // namespace gapless::lab::tune
