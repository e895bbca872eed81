#include "notation/parse.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "notation/cursor.hpp"
#include "notation/grammar.hpp"
#include "notation/names.hpp"

namespace gapless::notation {
namespace {

using layout::Combiner;
using layout::Layout;
using layout::LayoutPtr;
using List = std::vector<std::int64_t>;

constexpr int kMaxDepth = 1000;  // the limit of layout::deeper(): the parser recurses before that is called

// The arguments between the parentheses, in order. On the heap, so that a thousand levels fit onto any stack.
struct ParsedArguments {
  List numbers;
  std::vector<List> lists;  // a struct's: blocklengths, displacements
  layout::Order order = layout::Order::kC;
  std::vector<layout::Distribution> distributions;  // their arguments are a list
  std::vector<LayoutPtr> types;
};

LayoutPtr build(Combiner combiner, ParsedArguments& a) {
  const List& n = a.numbers;
  const auto& l = a.lists;
  if (combiner == Combiner::kStruct) return layout::structure(l[0], l[1], a.types);
  LayoutPtr old = std::move(a.types[0]);
  switch (combiner) {
    case Combiner::kNamed:
    case Combiner::kStruct:
      break;
    case Combiner::kContiguous:
      return layout::contiguous(n[0], old);
    case Combiner::kVector:
      return layout::vector(n[0], n[1], n[2], old);
    case Combiner::kHvector:
      return layout::hvector(n[0], n[1], n[2], old);
    case Combiner::kIndexed:
      return layout::indexed(l[0], l[1], old);
    case Combiner::kHindexed:
      return layout::hindexed(l[0], l[1], old);
    case Combiner::kIndexedBlock:
      return layout::indexed_block(n[0], l[0], old);
    case Combiner::kHindexedBlock:
      return layout::hindexed_block(n[0], l[0], old);
    case Combiner::kSubarray:
      return layout::subarray(l[0], l[1], l[2], a.order, old);
    case Combiner::kResized:
      return layout::resized(n[0], n[1], old);
    case Combiner::kDup:
      return layout::dup(old);
    case Combiner::kDarray:
      return layout::darray(n[0], n[1], l[0], a.distributions, l[1], l[2], a.order, old);
    case Combiner::kBoundedVector:
      return layout::bounded_vector(n[0], n[1], n[2], old);
    case Combiner::kCircularVector:
      return layout::circular_vector(n[0], n[1], n[2], n[3], n[4], old);
    case Combiner::kBucket:
      return layout::bucket(n[0], l[0], old);
  }
  return nullptr;
}

std::string did_you_mean(std::string_view word) {
  return word.empty() ? "" : ": did you mean '" + std::string(word) + "'?";
}

class Parser {
 public:
  Parser(std::string_view text, std::int64_t max_numbers)
      : cursor_(text), max_numbers_(max_numbers), numbers_left_(max_numbers) {}

  LayoutPtr whole() {
    cursor_.require_ascii();
    LayoutPtr type = this->type(1);
    if (!cursor_.at_end()) cursor_.fail_expected("the end of the text");
    return type;
  }

 private:
  LayoutPtr type(int depth) {
    const std::size_t from = cursor_.at();
    const std::string_view word = cursor_.word();
    if (word.empty()) cursor_.fail_expected("a type");
    if (depth > kMaxDepth)
      cursor_.fail("types nest at most " + std::to_string(kMaxDepth) + " deep", from, from + word.size());
    if (const layout::Named* named = find_type(word)) return layout::named(*named);
    const auto combiner = find_constructor(word);
    if (!combiner) {
      if (const auto mpi = find_mpi_constructor(word))
        cursor_.fail("'" + std::string(word) + "' is MPI's name", from, from + word.size(),
                     ": here it is " + usage(*mpi) + ", lists in brackets, without their lengths and the new type");
      unknown("type", word, from, closest_type(word));
    }
    return constructor(*combiner, from, from + word.size(), depth);
  }

  LayoutPtr constructor(Combiner combiner, std::size_t from, std::size_t to, int depth) {
    const auto arguments = std::make_unique<ParsedArguments>();
    expect("(", combiner);
    bool first = true;
    for (const Argument& argument : notation::arguments(combiner)) {
      if (!first) expect(",", combiner);
      first = false;
      std::visit([&](auto field) { read(field, argument.name, combiner, depth, *arguments); }, argument.field);
    }
    expect(")", combiner);
    try {
      return build(combiner, *arguments);
    } catch (const base::Error& error) {
      cursor_.fail(std::string(layout::combiner_name(combiner)) + ": " + error.what(), from, to, "", error.status());
    }
  }

  void read(std::int64_t Layout::*, const char* name, Combiner combiner, int, ParsedArguments& into) {
    into.numbers.push_back(cursor_.integer(what(name, combiner)));
  }
  void read(base::Numbers Layout::*, const char* name, Combiner, int, ParsedArguments& into) { list(name, into); }
  void read(List Layout::*, const char* name, Combiner, int, ParsedArguments& into) { list(name, into); }
  void read(layout::Order Layout::*, const char*, Combiner, int, ParsedArguments& into) {
    const std::size_t from = cursor_.at();
    const std::string_view word = cursor_.word();
    if (word.empty()) cursor_.fail_expected("the order, C or Fortran");
    if (word != "C" && word != "Fortran")
      unknown("order", word, from,
              word == "F" || word == "f" || word == "MPI_ORDER_FORTRAN" ? "Fortran"
              : word == "MPI_ORDER_C"                                   ? "C"
                                                                        : closest(word, kOrders));
    into.order = word == "C" ? layout::Order::kC : layout::Order::kFortran;
  }
  void read(Distributions, const char*, Combiner, int, ParsedArguments& into) {
    List& list = into.lists.emplace_back();
    sequence("a distribution (block, cyclic or none)", [&] {
      spend(1, cursor_.at());
      const std::size_t from = cursor_.at();
      const std::string_view word = cursor_.word();
      if (word.empty()) cursor_.fail_expected("a distribution (block, cyclic or none)");
      std::size_t which = 0;
      while (which < kDistributions.size() && kDistributions[which] != word) ++which;
      if (which == kDistributions.size()) unknown("distribution", word, from, closest(word, kDistributions));
      into.distributions.push_back(static_cast<layout::Distribution>(which));
      list.push_back(layout::kDefaultDistribution);
      if (!cursor_.take("(")) return;
      list.back() = cursor_.integer("the argument of the distribution (an integer)");
      if (!cursor_.take(")")) cursor_.fail_expected("')'");
    });
  }
  void read(StructMembers, const char*, Combiner combiner, int depth, ParsedArguments& into) {
    into.lists.resize(2);
    sequence("a member (blocklength, displacement_bytes, type)", [&] {
      spend(1, cursor_.at());
      expect("(", combiner);
      into.lists[0].push_back(cursor_.integer(what("blocklength", combiner)));
      expect(",", combiner);
      into.lists[1].push_back(cursor_.integer(what("displacement_bytes", combiner)));
      expect(",", combiner);
      into.types.push_back(type(depth + 1));
      expect(")", combiner);
    });
  }
  void read(OldType, const char*, Combiner, int depth, ParsedArguments& into) { into.types.push_back(type(depth + 1)); }

  void list(const char* name, ParsedArguments& into) {
    List& list = into.lists.emplace_back();
    sequence(std::string("the list of ") + name + ", in brackets", [&] { item(list); });
  }

  // integer | integer..integer[:step] | integer*repetitions
  void item(List& list) {
    const std::size_t from = cursor_.at();
    const std::int64_t first = cursor_.integer("an integer");
    if (cursor_.take("..")) {
      const std::int64_t last = cursor_.integer("the end of the range (an integer)");
      const std::int64_t step = cursor_.take(":") ? cursor_.integer("the step (an integer)") : 1;
      if (step == 0 || (step > 0 ? last < first : last > first))
        cursor_.fail("no range leads from " + std::to_string(first) + " to " + std::to_string(last) + " in steps of " +
                         std::to_string(step),
                     from, cursor_.at());
      // The distance may need all 64 bits: unsigned arithmetic, in which a negative step is its complement.
      const auto begin = static_cast<std::uint64_t>(first), stride = static_cast<std::uint64_t>(step);
      const std::uint64_t apart =
          step > 0 ? static_cast<std::uint64_t>(last) - begin : begin - static_cast<std::uint64_t>(last);
      const std::uint64_t steps = apart / (step > 0 ? stride : 0 - stride);
      spend(steps, from);
      spend(1, from);
      for (std::uint64_t i = 0; i <= steps; ++i) list.push_back(static_cast<std::int64_t>(begin + i * stride));
      return;
    }
    std::int64_t repetitions = 1;
    if (cursor_.take("*")) repetitions = cursor_.integer("the number of repetitions (an integer)");
    if (repetitions < 0) cursor_.fail("a number cannot be repeated less than 0 times", from, cursor_.at());
    spend(static_cast<std::uint64_t>(repetitions), from);
    list.insert(list.end(), static_cast<std::size_t>(repetitions), first);
  }

  // '[' element, element, ... ']'
  template <class Element>
  void sequence(const std::string& what, Element element) {
    if (!cursor_.take("[")) cursor_.fail_expected(what);
    if (cursor_.take("]")) return;
    do element();
    while (cursor_.take(","));
    if (!cursor_.take("]")) cursor_.fail_expected("',' or ']'");
  }

  void spend(std::uint64_t numbers, std::size_t from) {
    if (numbers > static_cast<std::uint64_t>(numbers_left_))
      cursor_.fail("the lists of one text may hold no more than " + std::to_string(max_numbers_) + " numbers together",
                   from, cursor_.at());
    numbers_left_ -= static_cast<std::int64_t>(numbers);
  }

  void expect(const char* token, Combiner combiner) {
    if (!cursor_.take(token)) cursor_.fail_expected("'" + std::string(token) + "'", " in " + usage(combiner));
  }
  static std::string what(const char* name, Combiner combiner) {
    return std::string("the ") + name + " (an integer) of " + usage(combiner);
  }
  [[noreturn]] void unknown(const char* kind, std::string_view word, std::size_t from, std::string_view meant) {
    constexpr std::size_t kShown = 40;
    const std::string shown(word.substr(0, kShown));
    cursor_.fail("unknown " + std::string(kind) + " '" + shown + (word.size() > kShown ? "..." : "") + "'", from,
                 from + word.size(), did_you_mean(meant));
  }

  static constexpr std::array<std::string_view, 2> kOrders = {"C", "Fortran"};
  static constexpr std::array<std::string_view, 3> kDistributions = {"none", "block", "cyclic"};  // by number
  Cursor cursor_;
  std::int64_t max_numbers_, numbers_left_;
};

}  // namespace

LayoutPtr parse(std::string_view text, std::int64_t max_numbers) {
  return Parser(text, max_numbers).whole();
}

}  // namespace gapless::notation
