// Layouts on the board of a process: what is shown is read by others, and nothing else.
#include <string>

#include "wire/board.hpp"
#include "wire/node.hpp"

namespace gapless::wire::test {

namespace {

struct BoardTest : testing::Test {
  BoardTest() {
    file = made(2, 64 * kMega);
    attach(segment, dup(file), 0);
    attach(other, file, 1);
  }
  static std::vector<std::uint8_t> layout_of(std::size_t bytes, int first) {
    std::vector<std::uint8_t> layout(bytes);
    for (std::size_t k = 0; k < bytes; ++k) layout[k] = static_cast<std::uint8_t>(k + static_cast<std::size_t>(first));
    return layout;
  }
  std::vector<std::uint8_t> read(const Place& place) {
    const auto found = wire::Board::read(other, 0, place);
    return {found.begin(), found.end()};
  }

  int file = -1;
  Segment segment, other;
};

}  // namespace

TEST_F(BoardTest, OthersReadWhatIsShown) {
  Pool pool(segment);
  wire::Board board(segment, pool);
  std::vector<Place> places(40);
  for (std::size_t k = 0; k < places.size(); ++k) {
    ASSERT_TRUE(board.show(layout_of(1 + 100 * k, static_cast<int>(k)), places[k]));
    EXPECT_EQ(places[k].serial, k + 1);
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    EXPECT_EQ(read(places[k]), layout_of(1 + 100 * k, static_cast<int>(k)));
  }
}

TEST_F(BoardTest, APlaceIsUsedAgainUnderAnotherNumber) {
  Pool pool(segment);
  wire::Board board(segment, pool);
  Place first, second, third;
  ASSERT_TRUE(board.show(layout_of(100, 1), first));
  ASSERT_TRUE(board.show(layout_of(100, 2), second));
  board.remove(first);
  ASSERT_TRUE(board.show(layout_of(90, 3), third));
  EXPECT_EQ(third.chunk, first.chunk);
  EXPECT_EQ(third.unit, first.unit);
  EXPECT_EQ(third.serial, 3u);
  EXPECT_EQ(read(second), layout_of(100, 2));
  EXPECT_EQ(read(third), layout_of(90, 3));
}

TEST_F(BoardTest, HasRoomForSoManyAndNoLongerOnes) {
  Pool pool(segment);
  wire::Board board(segment, pool);
  Place place;
  EXPECT_FALSE(board.show({}, place));
  EXPECT_FALSE(board.show(layout_of(wire::Board::kMaxBytes + 1, 0), place));
  int shown = 0;
  while (board.show(layout_of(wire::Board::kMaxBytes, 0), place)) ++shown;
  EXPECT_EQ(shown, 8 * 6);  // 8 chunks of 96 KiB
  EXPECT_EQ(board.chunks(), 8u);
  board.remove(place);
  EXPECT_TRUE(board.show(layout_of(wire::Board::kMaxBytes, 0), place));
}

TEST_F(BoardTest, APlaceOutsideOfTheMemoryIsNone) {
  Pool pool(segment);
  wire::Board board(segment, pool);
  Place place;
  ASSERT_TRUE(board.show(layout_of(100, 0), place));
  Place wrong = place;
  wrong.chunk = 1u << 30;
  EXPECT_TRUE(read(wrong).empty());
  wrong = place;
  wrong.unit = UINT16_MAX;
  EXPECT_TRUE(read(wrong).empty());
  wrong = place;
  wrong.unit = static_cast<std::uint16_t>(kChunkBytes / 64 - 1);
  EXPECT_TRUE(read(wrong).empty());
}

TEST_F(BoardTest, IsFullWhereThePoolIs) {
  Pool pool(segment);
  Lease all;
  ASSERT_TRUE(pool.take(segment.max_chunks(), Pool::kNoPeer, all));
  wire::Board board(segment, pool);
  Place place;
  EXPECT_FALSE(board.show(layout_of(100, 0), place));
}

}  // namespace gapless::wire::test
