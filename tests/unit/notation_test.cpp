// The text notation: every constructor there and back, the shorthands, and errors that point at what they mean.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "notation/parse.hpp"
#include "notation/print.hpp"
#include "support/equal_trees.hpp"
#include "support/random_type.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using notation::parse;
using notation::print;

// The text of a type must be read as that very type, and printed as that very text. Constructors that others are still
// writing say "in work": then the test has nothing to test.
void expect_text(const std::string& text, const LayoutPtr& expected) {
  EXPECT_EQ(print(*expected), text);
  const LayoutPtr read = parse(text);
  EXPECT_TRUE(equal_trees(*read, *expected)) << text << "\n was read as " << print(*read);
}

// `text` in its canonical form.
std::string normal(const std::string& text) {
  return print(*parse(text));
}

std::string error_of(std::string_view text, base::Status status = base::Status::kInvalidArgument) {
  try {
    return "accepted: " + notation::abridged(*parse(text));
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks " << part;
}

const LayoutPtr kInt = type("int32");

TEST(Notation, EveryNamedType) {
  for (const layout::Named& named : layout::named_types()) expect_text(named.name, layout::named(named));
}

TEST(Notation, EveryConstructorOfMpi) {
  expect_text("contiguous(3, int32)", layout::contiguous(3, kInt));
  expect_text("vector(3, 2, -4, 2int)", layout::vector(3, 2, -4, type("2int")));
  expect_text("hvector(3, 2, 100, int32)", layout::hvector(3, 2, 100, kInt));
  expect_text("indexed([1, 0, 2], [5, -7, 0], int32)", layout::indexed(Numbers{1, 0, 2}, Numbers{5, -7, 0}, kInt));
  expect_text("indexed([], [], int32)", layout::indexed({}, {}, kInt));
  expect_text("hindexed([1, 2], [0, 9], int32)", layout::hindexed(Numbers{1, 2}, Numbers{0, 9}, kInt));
  expect_text("indexed_block(2, [0, 9], int32)", layout::indexed_block(2, Numbers{0, 9}, kInt));
  expect_text("hindexed_block(2, [0, 9], int32)", layout::hindexed_block(2, Numbers{0, 9}, kInt));
  expect_text("struct([(1, 0, int32), (2, 8, double_int)])", structure({1, 2}, {0, 8}, {kInt, type("double_int")}));
  expect_text("struct([])", structure({}, {}, {}));
  expect_text("subarray([4, 6], [2, 3], [1, 2], C, int32)",
              layout::subarray(Numbers{4, 6}, Numbers{2, 3}, Numbers{1, 2}, layout::Order::kC, kInt));
  expect_text("subarray([4, 6], [2, 3], [1, 2], Fortran, int32)",
              layout::subarray(Numbers{4, 6}, Numbers{2, 3}, Numbers{1, 2}, layout::Order::kFortran, kInt));
  expect_text("resized(-8, 24, int32)", layout::resized(-8, 24, kInt));
  expect_text("dup(int32)", layout::dup(kInt));
  expect_text(
      "contiguous(2, struct([(1, 0, vector(2, 1, 2, byte)), (3, 40, resized(0, 5, char))]))",
      layout::contiguous(
          2, structure({1, 3}, {0, 40}, {layout::vector(2, 1, 2, type("byte")), layout::resized(0, 5, type("char"))})));
}

template <class Check>
void unless_in_work(Check check) {
  try {
    check();
  } catch (const base::Error& error) {
    if (std::string(error.what()).find("in work") == std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
}

TEST(Notation, Darray) {
  unless_in_work([] {
    using enum layout::Distribution;
    const layout::Distribution distributions[] = {kBlock, kCyclic, kNone};
    const Numbers arguments = {layout::kDefaultDistribution, 2, layout::kDefaultDistribution};
    expect_text("darray(6, 4, [10, 12, 3], [block, cyclic(2), none], [2, 3, 1], Fortran, int32)",
                layout::darray(6, 4, Numbers{10, 12, 3}, distributions, arguments, Numbers{2, 3, 1},
                               layout::Order::kFortran, kInt));
  });
}

TEST(Notation, BoundedVector) {
  unless_in_work([] { expect_text("bounded_vector(17, 2, 5, int32)", layout::bounded_vector(17, 2, 5, kInt)); });
}

TEST(Notation, CircularVector) {
  unless_in_work(
      [] { expect_text("circular_vector(20, 7, 17, 2, 5, int32)", layout::circular_vector(20, 7, 17, 2, 5, kInt)); });
}

TEST(Notation, Bucket) {
  unless_in_work([] { expect_text("bucket(4, [1, 0, 4], int32)", layout::bucket(4, Numbers{1, 0, 4}, kInt)); });
}

TEST(Notation, WhiteSpaceIsFree) {
  EXPECT_EQ(normal(" \n vector\t(3 ,2,\r\n+4 , int32 ) "), "vector(3, 2, 4, int32)");
  EXPECT_EQ(normal("struct([(1,0,int8),( 1 , 4 , int32 )])"), "struct([(1, 0, int8), (1, 4, int32)])");
}

TEST(Notation, ShorthandForLists) {
  EXPECT_EQ(normal("indexed_block(1, [0..4], byte)"), "indexed_block(1, [0, 1, 2, 3, 4], byte)");
  EXPECT_EQ(normal("indexed_block(1, [0..9:4, 7], byte)"), "indexed_block(1, [0, 4, 8, 7], byte)");
  EXPECT_EQ(normal("indexed_block(1, [9 .. -3 : -6], byte)"), "indexed_block(1, [9, 3, -3], byte)");
  EXPECT_EQ(normal("indexed([2*3, 0*0], [4..6], byte)"), "indexed([2, 2, 2], [4, 5, 6], byte)");
  EXPECT_EQ(normal("indexed_block(1, [5..5], byte)"), "indexed_block(1, [5], byte)");
  // The distance of the ends needs all 64 bits.
  EXPECT_EQ(normal("hindexed_block(0, [-9223372036854775808..9223372036854775807:9223372036854775807], byte)"),
            "hindexed_block(0, [-9223372036854775808, -1, 9223372036854775806], byte)");
  EXPECT_EQ(normal("hindexed_block(0, [9223372036854775807..-9223372036854775808:-9223372036854775808], byte)"),
            "hindexed_block(0, [9223372036854775807, -1], byte)");
}

TEST(Notation, NamesOfMpi) {
  EXPECT_EQ(normal("vector(3, 2, 4, MPI_INT)"), "vector(3, 2, 4, int32)");
  EXPECT_EQ(normal("MPI_DOUBLE_INT"), "double_int");
  EXPECT_EQ(parse("MPI_LONG")->size, static_cast<std::int64_t>(sizeof(long)));
  EXPECT_EQ(parse("MPI_C_LONG_DOUBLE_COMPLEX")->size, static_cast<std::int64_t>(2 * sizeof(long double)));
}

TEST(Notation, ErrorsPointAtThePlace) {
  EXPECT_EQ(error_of("vector(3, 2, 4, in32)"),
            "unknown type 'in32' (line 1, column 17): did you mean 'int32'?\n"
            "    vector(3, 2, 4, in32)\n"
            "                    ^~~~");
  EXPECT_EQ(error_of("contiguous(2,\n  vectr(3, 2, 4, int32))"),
            "unknown type 'vectr' (line 2, column 3): did you mean 'vector'?\n"
            "      vectr(3, 2, 4, int32))\n"
            "      ^~~~~");
  EXPECT_EQ(error_of("vector(3, 2, int32)"),
            "expected the stride (an integer) of vector(count, blocklength, stride, type), found 'int32' (line 1, "
            "column 14)\n"
            "    vector(3, 2, int32)\n"
            "                 ^~~~~");
  EXPECT_EQ(error_of("contiguous(2, int32"),
            "expected ')', found the end (line 1, column 20) in contiguous(count, type)\n"
            "    contiguous(2, int32\n"
            "                       ^");
  EXPECT_EQ(error_of("dup(contiguous(-1, int32))"),
            "contiguous: the count must be at least 0, not -1 (line 1, column 5)\n"
            "    dup(contiguous(-1, int32))\n"
            "        ^~~~~~~~~~");
}

TEST(Notation, ErrorsSayWhatWasExpected) {
  expect_part(error_of(""), "expected a type, found the end (line 1, column 1)");
  expect_part(error_of("int32 int32"), "expected the end of the text, found 'int32' (line 1, column 7)");
  expect_part(error_of("int32)"), "expected the end of the text, found ')'");
  expect_part(error_of("vector"), "expected '(', found the end");
  expect_part(error_of("vector 3"), "expected '(', found '3'");
  expect_part(error_of("indexed_block(1, 0, int32)"), "expected the list of displacements, in brackets, found '0'");
  expect_part(error_of("indexed_block(1, [0 1], int32)"), "expected ',' or ']', found '1'");
  expect_part(error_of("indexed_block(1, [0,], int32)"), "expected an integer, found ']'");
  expect_part(error_of("indexed_block(1, [3..0], int32)"), "no range leads from 3 to 0 in steps of 1");
  expect_part(error_of("indexed_block(1, [0..3:0], int32)"), "in steps of 0");
  expect_part(error_of("indexed_block(1, [0*-1], int32)"), "less than 0 times");
  expect_part(error_of("contiguous(3x, int32)"), "found '3x'");
  expect_part(error_of("contiguous(- 3, int32)"), "expected the count");
  expect_part(error_of("subarray([4], [2], [1], fortran, int32)"), "did you mean 'Fortran'?");
  expect_part(error_of("darray(1, 0, [4], [blok], [1], C, int32)"), "did you mean 'block'?");
  expect_part(error_of("contiguous(3, int)"), "did you mean 'int32'?");
  expect_part(error_of("MPI_DUBLE"), "did you mean 'MPI_DOUBLE'?");
  EXPECT_EQ(error_of("quaternion").find("did you mean"), std::string::npos);
  expect_part(error_of("indexed([1, 2], [0], int32)"), "lists of unequal lengths");
}

TEST(Notation, NumbersBeyond64BitsAreRefused) {
  EXPECT_EQ(parse("resized(-9223372036854775808, 0, byte)")->lb, std::int64_t{-9223372036854775807} - 1);
  const auto overflow = base::Status::kOverflow;
  expect_part(error_of("contiguous(9223372036854775808, byte)", overflow), "(line 1, column 12)");
  expect_part(error_of("resized(-9223372036854775809, 0, byte)", overflow), "does not fit into 64 bits");
  expect_part(error_of("contiguous(" + std::string(5000, '9') + ", byte)", overflow), "does not fit into 64 bits");
  expect_part(error_of("contiguous(9223372036854775807, int32)", overflow), "contiguous: ");
}

TEST(Notation, ShortTextsCannotMakeEndlessLists) {
  EXPECT_EQ(parse("indexed_block(1, [0..999999], byte)")->count, 1'000'000);
  expect_part(error_of("indexed_block(1, [0..16777216], byte)"), "no more than 16777216 numbers");
  expect_part(error_of("indexed_block(1, [0*9223372036854775807], byte)"), "no more than 16777216 numbers");
  expect_part(error_of("hindexed_block(0, [-9223372036854775808..9223372036854775807], byte)"), "no more than");
  EXPECT_THROW(parse("dup(indexed([1*6], [0..4], byte))", 10), base::Error);
  EXPECT_NO_THROW(parse("dup(indexed([1*5], [0..4], byte))", 10));
}

std::string nested(const std::string& open, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += open;
  return text;
}

TEST(Notation, DepthHasTheLayoutsEnd) {
  EXPECT_EQ(parse(nested("dup(", 999) + "byte" + std::string(999, ')'))->depth, 1000);
  expect_part(error_of(nested("dup(", 1000) + "byte" + std::string(1000, ')')), "at most 1000 deep");
  expect_part(error_of(nested("dup(", 1'000'000)), "at most 1000 deep");
  expect_part(error_of(nested("struct([(1, 0, ", 1'000'000)), "at most 1000 deep");
}

// Long lines and strange bytes: the error stays short and its caret where it belongs.
TEST(Notation, ErrorsOfHostileTextsStayReadable) {
  for (const std::string& text : {std::string(100'000, '('), std::string(100'000, 'x'), std::string(3, '\0'),
                                  "contiguous(3, " + std::string(100'000, '\x80') + ")",
                                  nested("contiguous(1,", 500) + "!" + std::string(100'000, ' ')}) {
    const std::string error = error_of(text);
    EXPECT_LT(error.size(), 500u) << error;
    for (const char c : error) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  }
  const std::string error = error_of(nested("dup(", 100) + "?" + std::string(100, ')'));
  const std::size_t line = error.find('\n') + 1, caret = error.find('\n', line) + 1;
  EXPECT_EQ(error.find('?', line) - line, error.find('^', caret) - caret) << error;
}

// A character beyond ASCII is named, with its place in characters and what was probably meant.
TEST(Notation, CharactersBeyondAsciiAreNamed) {
  EXPECT_EQ(error_of("vector(3, 2, 4, d\u00f3uble)"),
            "'\u00f3' (U+00F3) is no character of the notation (line 1, column 18), which has only those of ASCII\n"
            "    vector(3, 2, 4, d\u00f3uble)\n"
            "                     ^");
  expect_part(error_of("vector(3, 2, \u22124, double)"),
              "'\u2212' (U+2212) is no character of the notation (line 1, "
              "column 14): write '-'");
  expect_part(error_of("vector(3,\u00a02, 4, double)"),
              "(U+00A0) is no character of the notation (line 1, column 10): "
              "write a space");
  expect_part(error_of("vector(3\uff0c2, 4, double)"), "write ','");
  expect_part(error_of("double\n \u202e"), "U+202E is no character of the notation (line 2, column 2)");
  expect_part(error_of("double\xff"), "the byte 0xFF is no character of the notation (line 1, column 7)");
  expect_part(error_of("double\xc3"), "the byte 0xC3");
  // What is shown stays UTF-8 where the line is cut.
  EXPECT_TRUE(error_of("\u00f3" + nested("\u2212", 100)).find('?') == std::string::npos);
}

TEST(Notation, NamesOfMpiProceduresAreTranslated) {
  expect_part(
      error_of("MPI_Type_vector(3, 2, 4, MPI_INT)"),
      "'MPI_Type_vector' is MPI's name (line 1, column 1): here it is vector(count, blocklength, stride, type)");
  expect_part(error_of("dup(MPI_Type_create_hvector(3, 2, 4, MPI_INT, &t))"),
              "'MPI_Type_create_hvector' is MPI's name (line 1, column 5): here it is hvector(");
  expect_part(error_of("MPI_Type_create_struct(2, [1, 1], [0, 8], [MPI_INT, MPI_INT])"), "here it is struct(");
  expect_part(error_of("MPI_Type_nothing(1)"), "unknown type 'MPI_Type_nothing'");
  expect_part(error_of("subarray([4], [2], [0], MPI_ORDER_FORTRAN, byte)"), "did you mean 'Fortran'?");
  expect_part(error_of("subarray([4], [2], [0], MPI_ORDER_C, byte)"), "did you mean 'C'?");
}

TEST(Notation, RandomTypesThereAndBack) {
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const LayoutPtr type = random_type(mixed(7, index));
    const std::string text = print(*type);
    const LayoutPtr back = parse(text);
    ASSERT_TRUE(equal_trees(*back, *type)) << text;
    ASSERT_EQ(print(*back), text);
  }
}

// Any cut or changed text is either a type or an error, never anything else.
TEST(Notation, DamagedTextsAreTypesOrErrors) {
  constexpr std::string_view kBytes = "()[],.:*+-0123456789abcdefint_MPI vector\n\"\x80";
  int accepted = 0, refused = 0;
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    Random random(mixed(8, index));
    std::string text = print(*random_type(random.next()));
    for (std::int64_t i = random.between(1, 3); i > 0 && !text.empty(); --i) {
      const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1));
      const std::int64_t roll = random.between(0, 9);
      if (roll < 2) {
        text.resize(at);
      } else if (roll < 5) {
        text.erase(at, 1);
      } else {
        text.insert(at, 1, random.pick(kBytes));
      }
    }
    try {
      const LayoutPtr type = parse(text, 100'000);
      ASSERT_TRUE(equal_trees(*parse(print(*type)), *type)) << text;
      ++accepted;
    } catch (const base::Error&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 10'000);
}

// A struct of two equal parts, 38 levels of it: 39 nodes, and a text of terabytes.
TEST(Notation, TextsThatOutgrowTheirTypeAreRefused) {
  LayoutPtr shared = type("byte");
  for (int depth = 0; depth < 38; ++depth) shared = structure({1, 1}, {0, 1}, {shared, shared});
  EXPECT_THROW(print(*shared, 1'000'000), base::Error);
  EXPECT_LT(notation::abridged(*shared).size(), 10'000u);
}

TEST(Notation, AbridgedListsSayHowMuchIsLeftOut) {
  EXPECT_EQ(notation::abridged(*parse("indexed_block(1, [0..14], byte)")),
            "indexed_block(1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... 3 more], byte)");
}

}  // namespace
}  // namespace gapless::test
