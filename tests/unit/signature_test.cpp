// Type signatures against the literal sequence of basic types, written out from the constructors' arguments.
#include "layout/signature.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "base/status.hpp"
#include "notation/print.hpp"
#include "support/random_type.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using layout::Combiner;
using layout::Layout;
using layout::Signature;
using Word = std::vector<const char*>;  // names of the table of named types: equal pointers, equal types

constexpr std::uint64_t kSeed = 20260917;
constexpr std::uint64_t kTypes = 20'000;

const std::map<std::string, Word> kPairTypes = {
    {"float_int", {"float", "int32"}}, {"double_int", {"double", "int32"}},
    {"long_int", {"int64", "int32"}},  {"short_int", {"int16", "int32"}},
    {"2int", {"int32", "int32"}},      {"long_double_int", {"long_double", "int32"}},
};

const Word& letters_of(const layout::Named& named) {
  static std::map<const layout::Named*, Word> known;
  Word& letters = known[&named];
  if (letters.empty()) {
    const auto pair = kPairTypes.find(named.name);
    for (const char* letter : pair == kPairTypes.end() ? Word{named.name} : pair->second)
      letters.push_back(layout::find_named(letter)->name);
  }
  return letters;
}

void append(Word& word, const Layout& type, std::int64_t times);

void append_once(Word& word, const Layout& type) {
  if (type.combiner == Combiner::kNamed) {
    const Word& letters = letters_of(*type.named);
    word.insert(word.end(), letters.begin(), letters.end());
    return;
  }
  if (type.expansion) return append_once(word, *type.expansion);
  const auto blocks = static_cast<std::size_t>(type.count);
  std::int64_t copies = 1;
  switch (type.combiner) {
    case Combiner::kStruct:
      for (std::size_t i = 0; i < blocks; ++i) append(word, *type.children[i], type.blocklengths[i]);
      return;
    case Combiner::kContiguous:
      copies = type.count;
      break;
    case Combiner::kVector:
    case Combiner::kHvector:
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
      copies = type.count * type.blocklength;
      break;
    case Combiner::kIndexed:
    case Combiner::kHindexed:
      copies = 0;
      for (const std::int64_t length : type.blocklengths) copies += length;
      break;
    case Combiner::kSubarray:
      for (const std::int64_t subsize : type.subsizes) copies *= subsize;
      break;
    default:
      break;
  }
  append(word, *type.children[0], copies);
}

void append(Word& word, const Layout& type, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) append_once(word, type);
}

Word word_of(const Layout& type) {
  Word word;
  append_once(word, type);
  return word;
}

// One object per basic type: words are long, and there are many.
LayoutPtr shared_type(const char* name) {
  static std::map<const char*, LayoutPtr> known;
  LayoutPtr& one = known[name];
  if (!one) one = type(name);
  return one;
}

// Another description of the same word: split anywhere, halves made alike, displacements without a meaning.
LayoutPtr described(Random& random, const Word& word, std::size_t from, std::size_t to) {
  if (to - from == 1) return shared_type(word[from]);
  if (to - from <= 40 && random.chance(50)) {
    std::vector<LayoutPtr> types;
    for (std::size_t i = from; i < to; ++i) types.push_back(shared_type(word[i]));
    return structure(Numbers(types.size(), 1), Numbers(types.size(), 64), types);
  }
  const std::size_t half = (to - from) / 2;
  if ((to - from) % 2 == 0 && std::equal(word.begin() + static_cast<std::ptrdiff_t>(from),
                                         word.begin() + static_cast<std::ptrdiff_t>(from + half),
                                         word.begin() + static_cast<std::ptrdiff_t>(from + half)))
    return layout::hvector(2, 1, random.between(-50, 50), described(random, word, from, from + half));
  const auto middle =
      static_cast<std::size_t>(random.between(static_cast<std::int64_t>(from) + 1, static_cast<std::int64_t>(to) - 1));
  return structure({1, 1}, {random.between(-9, 9), 0},
                   {described(random, word, from, middle), described(random, word, middle, to)});
}

LayoutPtr described(Random& random, const Word& word) {
  return word.empty() ? layout::contiguous(0, type("int32")) : described(random, word, 0, word.size());
}

void expect_signature_type(const Layout& original, const Word& word) {
  const LayoutPtr dense = layout::signature_type(original);
  EXPECT_EQ(dense->size, original.size);
  EXPECT_EQ(dense->extent, original.size);
  EXPECT_EQ(dense->lb, 0);
  EXPECT_EQ(dense->true_lb, 0);
  EXPECT_EQ(dense->true_extent, original.size);
  EXPECT_EQ(Signature(*dense), Signature(original));
  EXPECT_EQ(word_of(*dense), word);
}

TEST(Signature, RandomTypesAgainstTheLiteralSequence) {
  Word previous;
  LayoutPtr previous_type = layout::contiguous(0, type("byte"));
  std::uint64_t equal_neighbours = 0, long_words = 0;
  for (std::uint64_t i = 0; i < kTypes && !HasFailure(); ++i) {
    const LayoutPtr random = random_type(mixed(kSeed, i));
    SCOPED_TRACE("type " + std::to_string(i) + ": " + notation::print(*random));
    const Word word = word_of(*random);
    const Signature signature(*random);
    ASSERT_EQ(signature.basic_count(), static_cast<std::int64_t>(word.size()));
    ASSERT_EQ(signature.size(), random->size);
    long_words += word.size() > 1000;

    const Signature other(*previous_type);
    ASSERT_EQ(signature == other, word == previous);
    ASSERT_EQ(signature.hash() == other.hash(), word == previous);
    equal_neighbours += word == previous;

    Random dice(mixed(kSeed + 1, i));
    const LayoutPtr again = described(dice, word);
    ASSERT_EQ(signature.hash(), Signature(*again).hash());
    ASSERT_TRUE(layout::same_sequence(signature.sequence(), Signature(*again).sequence())) << notation::print(*again);

    if (!word.empty()) {  // one basic type is another one: the same length, and no hash that helps
      Word changed = word;
      const char*& letter = changed[static_cast<std::size_t>(
          dice.chance(30) ? static_cast<std::int64_t>(word.size()) - 1
                          : dice.between(0, static_cast<std::int64_t>(word.size()) - 1))];
      letter = layout::find_named(letter == layout::find_named("float")->name ? "int32" : "float")->name;
      const LayoutPtr unlike = described(dice, changed);
      ASSERT_FALSE(layout::same_sequence(signature.sequence(), Signature(*unlike).sequence()));
      ASSERT_NE(signature.hash(), Signature(*unlike).hash());

      const auto front = static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(word.size())));
      const Word part(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(front));
      ASSERT_TRUE(Signature(*described(dice, part)).is_prefix_of(signature));
      ASSERT_EQ(Signature(*unlike).is_prefix_of(Signature(*random, 2)), false);
    }
    expect_signature_type(*random, word);
    previous = word;
    previous_type = random;
  }
  EXPECT_GT(long_words, kTypes / 100);
  EXPECT_GT(equal_neighbours, 0U);
}

TEST(Signature, BasicTypesAreTheirNames) {
  for (const char* one : {"byte", "char", "int8", "uint8", "packed"})
    for (const char* two : {"byte", "char", "int8", "uint8", "packed"})
      EXPECT_EQ(Signature(*type(one)) == Signature(*type(two)), std::string(one) == two);
  const LayoutPtr apart = structure({1, 1}, {100, 0}, {type("double"), type("int32")});
  EXPECT_EQ(Signature(*type("double_int"), 3), Signature(*layout::dup(apart), 3));
  EXPECT_EQ(Signature(*type("2int"), 3), Signature(*type("int32"), 6));
  EXPECT_FALSE(Signature(*type("double_int")) == Signature(*type("float_int")));
}

TEST(Signature, EmptyMessages) {
  const Signature nothing(*layout::contiguous(0, type("double")));
  EXPECT_EQ(nothing, Signature(*type("int32"), 0));
  EXPECT_EQ(nothing.basic_count(), 0);
  EXPECT_TRUE(nothing.is_prefix_of(Signature(*type("int32"))));
  EXPECT_FALSE(Signature(*type("int32")).is_prefix_of(nothing));
  EXPECT_EQ(layout::signature_type(*layout::contiguous(0, type("double")))->extent, 0);
}

TEST(Signature, CountsAndOverflow) {
  EXPECT_THROW(Signature(*type("double"), INT64_MAX / 4), base::Error);
  EXPECT_THROW(Signature(*type("double"), -1), base::Error);
  EXPECT_EQ(Signature(*type("byte"), INT64_MAX).basic_count(), INT64_MAX);
}

class Huge : public ::testing::Test {
 protected:
  // Written out, any of these would take minutes at least.
  ~Huge() override { EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(20)); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

TEST_F(Huge, RegularMessages) {
  const auto pair = [](std::int64_t gap) { return structure({1, 1}, {0, 8 + gap}, {type("int32"), type("double")}); };
  const Signature flat(*layout::contiguous(1'000'000'000'000, pair(0)));
  EXPECT_EQ(flat, Signature(*layout::vector(1'000'000, 1'000'000, 1'000'001, pair(8))));
  EXPECT_EQ(flat, Signature(*pair(1), 1'000'000'000'000));
  // int32, then (double, int32) again and again, then double.
  const LayoutPtr shifted = structure({1, 1}, {0, 8}, {type("double"), type("int32")});
  EXPECT_EQ(flat, Signature(*structure({1, 999'999'999'999, 1}, {0, 8, 0}, {type("int32"), shifted, type("double")})));
  EXPECT_FALSE(flat ==
               Signature(*structure({1, 999'999'999'999, 1}, {0, 8, 0}, {type("int32"), shifted, type("int64")})));
  const Signature all_but_one(*structure({999'999'999'999, 1}, {0, 8}, {pair(0), type("int32")}));
  EXPECT_TRUE(all_but_one.is_prefix_of(flat));
  EXPECT_FALSE(flat.is_prefix_of(all_but_one));
}

// Periods without a common measure, equal up to their very end.
TEST_F(Huge, UnlikePeriods) {
  const LayoutPtr five = structure({2, 3}, {0, 8}, {type("int32"), type("double")});
  const LayoutPtr seven_fives = layout::contiguous(7, five), eleven_fives = layout::contiguous(11, layout::dup(five));
  const std::int64_t n = 1'000'000'007;
  const auto a = Signature(*seven_fives, 11 * n).sequence(), b = Signature(*eleven_fives, 7 * n).sequence();
  EXPECT_TRUE(layout::same_sequence(a, b));
  const LayoutPtr spoilt = structure({7 * n - 1, 10, 2, 2, 1}, {0, 0, 0, 0, 0},
                                     {eleven_fives, layout::dup(five), type("int32"), type("double"), type("int64")});
  EXPECT_EQ(Signature(*spoilt).basic_count(), a->length);
  EXPECT_FALSE(layout::same_sequence(a, Signature(*spoilt).sequence()));
}

// Each shared part doubles the length.
TEST_F(Huge, SharedParts) {
  LayoutPtr a = type("int32");
  for (int depth = 0; depth < 40; ++depth) a = structure({1, 1, 1}, {0, 0, 0}, {a, type("double"), a});
  // a is (int32, double)^(2^40 - 1), int32.
  const LayoutPtr unit = structure({1, 1}, {0, 8}, {type("int32"), type("double")});
  const std::int64_t count = (std::int64_t{1} << 40) - 1;
  EXPECT_EQ(Signature(*a).basic_count(), 2 * count + 1);
  EXPECT_EQ(Signature(*a), Signature(*structure({count, 1}, {0, 0}, {unit, type("int32")})));
  EXPECT_FALSE(layout::same_sequence(Signature(*a).sequence(),
                                     Signature(*structure({count, 1}, {0, 0}, {unit, type("float")})).sequence()));
  const LayoutPtr dense = layout::signature_type(*a);
  EXPECT_EQ(dense->extent, a->size);
  EXPECT_EQ(Signature(*dense), Signature(*a));
}

// Fibonacci words: F(n) = F(n-1) F(n-2), against F(n) = F(n-2) F(n-3) F(n-2): no period anywhere.
TEST_F(Huge, Fibonacci) {
  std::vector<LayoutPtr> one{type("double"), type("int32")}, two = one;
  one.push_back(structure({1, 1}, {0, 0}, {one[1], one[0]}));
  two.push_back(one[2]);
  for (std::size_t n = 3; n < 70; ++n) {
    one.push_back(structure({1, 1}, {0, 0}, {one[n - 1], one[n - 2]}));
    two.push_back(structure({1, 1, 1}, {0, 0, 0}, {two[n - 2], two[n - 3], two[n - 2]}));
    ASSERT_TRUE(Signature(*one[n]) == Signature(*two[n])) << n;
  }
  const LayoutPtr swapped = structure({1, 1}, {0, 0}, {one[68], one[69]});
  EXPECT_FALSE(layout::same_sequence(Signature(*structure({1, 1}, {0, 0}, {one[69], one[68]})).sequence(),
                                     Signature(*swapped).sequence()));
}

TEST_F(Huge, ListsOfAMillionBlocks) {
  Numbers lengths, displacements;
  std::vector<LayoutPtr> types;
  Random random(kSeed);
  for (int i = 0; i < 1'000'000; ++i) {
    lengths.push_back(random.between(0, 4));
    displacements.push_back(i * 40);
    types.push_back(random.chance(50) ? type("int32") : type("double"));
  }
  const LayoutPtr list = layout::hindexed(lengths, displacements, type("double"));
  EXPECT_EQ(Signature(*list), Signature(*type("double"), list->size / 8));
  const LayoutPtr mixture = structure(lengths, displacements, types);
  const std::int64_t half = 500'000;
  const LayoutPtr front =
      structure(Numbers(lengths.begin(), lengths.begin() + half),
                Numbers(displacements.begin(), displacements.begin() + half), {types.begin(), types.begin() + half});
  const LayoutPtr back =
      structure(Numbers(lengths.begin() + half, lengths.end()),
                Numbers(displacements.begin() + half, displacements.end()), {types.begin() + half, types.end()});
  EXPECT_EQ(Signature(*mixture, 1000), Signature(*structure({1, 1}, {0, 0}, {front, back}), 1000));
  EXPECT_EQ(layout::signature_type(*mixture)->extent, mixture->size);
}

TEST(Signature, WholeBasicsAndTheOnlyOne) {
  int mixed = 0, uniform = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const LayoutPtr of = random_type(kSeed + seed);
    if (of->size == 0) continue;
    const Word word = word_of(*of);
    Random random(seed);
    for (int draw = 0; draw < 20; ++draw) {
      const std::int64_t bytes = random.between(0, of->size - 1);
      std::int64_t whole = 0;
      for (const char* letter : word) {
        const std::int64_t more = layout::find_named(letter)->size;
        if (whole + more > bytes) break;
        whole += more;
      }
      ASSERT_EQ(layout::whole_basics(*of, bytes), whole) << notation::print(*of) << ", " << bytes << " bytes";
    }
    const bool is_one = std::all_of(word.begin(), word.end(), [&](const char* letter) { return letter == word[0]; });
    const layout::Named* const only = layout::only_basic(*of);
    // 2int is two of one, which is not looked for.
    if (only != nullptr) {
      ASSERT_TRUE(is_one && only->name == word[0]) << notation::print(*of);
    } else if (is_one) {
      ASSERT_STREQ(word[0], "int32") << notation::print(*of);
    }
    ++(only != nullptr ? uniform : mixed);
  }
  EXPECT_GT(mixed, 100);
  EXPECT_GT(uniform, 100);
}

TEST(Signature, NestsOfTheGreatestDepth) {
  LayoutPtr deep = type("int32");
  while (deep->depth < 1000) deep = structure({1, 1}, {0, 8}, {deep, type("double")});
  EXPECT_EQ(Signature(*deep).basic_count(), 1000);
  EXPECT_EQ(Signature(*deep), Signature(*structure({1, 999}, {0, 8}, {type("int32"), type("double")})));
  EXPECT_EQ(layout::signature_type(*layout::resized(0, 7, deep->children[0]))->extent, deep->size - 8);
}

// Types that a caller tells apart although they have one length; compared letter by letter, too, where the descriptions
// differ.
TEST(Signature, NamedTypesOfTheCaller) {
  const layout::Named &first = layout::new_named("first", 4, 4), &second = layout::new_named("second", 4, 4);
  EXPECT_NE(layout::number_of(first), layout::number_of(second));
  EXPECT_LT(layout::number_of(first), layout::named_count());
  EXPECT_EQ(layout::find_named("first"), nullptr);
  const auto row = [](const layout::Named& a, const layout::Named& b) {
    return structure({2, 2, 2}, {0, 8, 16}, {layout::named(a), layout::named(b), layout::named(a)});
  };
  const auto single = [](const layout::Named& a, const layout::Named& b) {
    return structure({1, 1, 2, 1, 1}, {0, 4, 8, 16, 20},
                     {layout::named(a), layout::named(a), layout::named(b), layout::named(a), layout::named(a)});
  };
  EXPECT_EQ(Signature(*row(first, second)), Signature(*single(first, second)));
  EXPECT_FALSE(Signature(*row(first, second)) == Signature(*single(second, first)));
  EXPECT_FALSE(Signature(*row(first, first)) == Signature(*row(first, second)));
  EXPECT_FALSE(Signature(*layout::named(first)) == Signature(*type("int32")));
  EXPECT_EQ(layout::only_basic(*row(first, first)), &first);
  EXPECT_EQ(Signature(*layout::signature_type(*row(first, second))), Signature(*row(first, second)));
}

}  // namespace
}  // namespace gapless::test
