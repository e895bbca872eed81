// Compares two sequences given as graphs without expanding them: recompression (A. Jez, "Recompression: a
// simple and powerful technique for word equations", 2013/2016, and "Faster fully compressed pattern matching", 2015).
//
// Both sequences become rules of one grammar. Then, over and over, in both at once:
//   blocks: every maximal run a^k, k >= 2, becomes one new letter, the same for the same (a, k);
//   pairs:  letters are split at random into left and right ones; every "left right" becomes one new letter, the same
//           for the same pair. No two such pairs overlap.
// Replacing is injective as long as *every* occurrence is replaced, even one that straddles the border of a rule. So
// before blocks are replaced, each rule hands the blocks at its two ends to the rules that use it, and before pairs are
// replaced, a right letter at its front and a left letter at its end: then no occurrence straddles a border any more.
// Rules become empty and vanish; when only the two start rules are left, they are compared letter by letter.
//
// After the blocks, no two neighbours are equal, so a quarter of all neighbours becomes a pair, whatever the sequence:
// the expected number of rounds is logarithmic in the length of the sequences, at most 63 bits. A round adds at most
// four letters to each use of a rule and removes a constant share of all letters, so the grammar does not grow.
// Expected cost: O(g * log(length)) with g = description + sum of log(count) over its repetitions.
// The random split affects the time only, never the result.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "layout/sequence.hpp"

namespace gapless::layout {
namespace {

class Grammar {
  // A block of `count` equal letters, or one use of a rule.
  struct Symbol {
    bool is_rule;
    std::uint32_t id;
    std::int64_t count;
    bool operator==(const Symbol&) const = default;
  };
  using Rule = std::vector<Symbol>;  // uses rules with smaller numbers only

 public:
  std::uint32_t add(const SequencePtr& sequence) {
    const Symbol symbol = symbol_of(sequence);
    return symbol.is_rule && symbol.id + 1 == rules_.size() ? symbol.id : add_rule({symbol});
  }

  // True if two rules expand to the same letters. Leaves a grammar without any other rules.
  bool same(std::uint32_t a, std::uint32_t b) {
    is_start_.assign(rules_.size(), false);
    is_start_[a] = is_start_[b] = true;
    while (true) {
      compress_blocks();
      if (is_flat(a) && is_flat(b)) return rules_[a] == rules_[b];
      compress_pairs();
    }
  }

 private:
  std::uint32_t add_rule(Rule rule) {
    rules_.push_back(std::move(rule));
    return static_cast<std::uint32_t>(rules_.size() - 1);
  }

  Symbol symbol_of(const SequencePtr& sequence) {
    if (sequence->kind == Sequence::Kind::kBasic) return {false, number_of(*sequence->basic), 1};
    if (const auto found = known_.find(sequence.get()); found != known_.end()) return found->second;
    Symbol symbol{};
    if (sequence->kind == Sequence::Kind::kConcat) {
      Rule rule;
      for (const SequencePtr& part : sequence->parts) rule.push_back(symbol_of(part));
      symbol = {true, add_rule(std::move(rule)), 1};
    } else {
      symbol = power(symbol_of(sequence->parts[0]), sequence->count);
    }
    known_.emplace(sequence.get(), symbol);
    return symbol;
  }

  Symbol power(Symbol part, std::int64_t count) {
    if (!part.is_rule) return {false, part.id, part.count * count};
    Rule all;
    for (; count > 0; count >>= 1) {
      if (count & 1) all.push_back(part);
      if (count > 1) part = {true, add_rule({part, part}), 1};
    }
    return {true, add_rule(std::move(all)), 1};
  }

  bool is_flat(std::uint32_t rule) const {
    return std::none_of(rules_[rule].begin(), rules_[rule].end(), [](const Symbol& symbol) { return symbol.is_rule; });
  }

  static void append(Rule& rule, const Symbol& letters) {
    if (!rule.empty() && !rule.back().is_rule && rule.back().id == letters.id)
      rule.back().count += letters.count;
    else
      rule.push_back(letters);
  }

  // In every rule, inserts what the rules it uses have handed over, before and after them; then the rule hands over its
  // own front and end if front(block) and back(block) are true.
  template <class Front, class Back>
  void hand_over(Front front, Back back) {
    std::vector<std::optional<Symbol>> fronts(rules_.size()), backs(rules_.size());
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      Rule rule;
      for (const Symbol& symbol : rules_[r]) {
        if (!symbol.is_rule) {
          append(rule, symbol);
          continue;
        }
        if (fronts[symbol.id]) append(rule, *fronts[symbol.id]);
        if (!rules_[symbol.id].empty()) rule.push_back(symbol);
        if (backs[symbol.id]) append(rule, *backs[symbol.id]);
      }
      if (!is_start_[r]) {
        if (!rule.empty() && !rule.front().is_rule && front(rule.front())) {
          fronts[r] = rule.front();
          rule.erase(rule.begin());
        }
        if (!rule.empty() && !rule.back().is_rule && back(rule.back())) {
          backs[r] = rule.back();
          rule.pop_back();
        }
      }
      rules_[r] = std::move(rule);
    }
  }

  struct PairHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& pair) const noexcept {
      return mixed(pair.first * 0x9e3779b97f4a7c15 + pair.second);
    }
  };
  using Fresh = std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, PairHash>;

  std::uint32_t fresh(Fresh& letters, std::uint64_t first, std::uint64_t second) {
    const auto [found, added] = letters.try_emplace({first, second}, next_letter_);
    next_letter_ += added;
    return found->second;
  }

  void compress_blocks() {
    const auto always = [](const Symbol&) { return true; };
    hand_over(always, always);
    Fresh letters;
    for (Rule& rule : rules_)
      for (Symbol& symbol : rule)
        if (symbol.count > 1) symbol = {false, fresh(letters, symbol.id, static_cast<std::uint64_t>(symbol.count)), 1};
  }

  // Call only after compress_blocks(): no two neighbours are equal, so every block is one letter and stays one.
  void compress_pairs() {
    ++round_;
    hand_over([this](const Symbol& symbol) { return !is_left(symbol.id); },
              [this](const Symbol& symbol) { return is_left(symbol.id); });
    Fresh letters;
    for (Rule& rule : rules_) {
      std::size_t to = 0;
      for (std::size_t from = 0; from < rule.size(); ++from, ++to) {
        rule[to] = rule[from];
        if (from + 1 == rule.size() || rule[from].is_rule || rule[from + 1].is_rule) continue;
        if (!is_left(rule[from].id) || is_left(rule[from + 1].id)) continue;
        rule[to].id = fresh(letters, rule[from].id, rule[from + 1].id);
        ++from;
      }
      rule.resize(to);
    }
  }

  static std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }
  bool is_left(std::uint32_t letter) const {
    return mixed((round_ << 32 | letter) * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019) & 1;
  }

  std::vector<Rule> rules_;
  std::vector<bool> is_start_;
  std::unordered_map<const Sequence*, Symbol> known_;
  std::uint32_t next_letter_ = named_count();
  std::uint64_t round_ = 0;
};

// The usual case, in one pass: the two have the same description. `false` means only that the descriptions differ.
// Objects that were compared count as one object afterwards (union-find), which is right if no comparison fails, and
// the first failure ends everything: so there are at most as many comparisons as objects.
class SameDescription {
 public:
  bool operator()(const Sequence* a, const Sequence* b) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (a->kind != b->kind || a->length != b->length || a->hash != b->hash || a->count != b->count ||
        a->basic != b->basic || a->parts.size() != b->parts.size())
      return false;
    same_as_[a] = b;
    for (std::size_t i = 0; i < a->parts.size(); ++i)
      if (!(*this)(a->parts[i].get(), b->parts[i].get())) return false;
    return true;
  }

 private:
  const Sequence* find(const Sequence* sequence) {
    auto at = same_as_.find(sequence);
    if (at == same_as_.end()) return sequence;
    for (auto next = same_as_.find(at->second); next != same_as_.end(); next = same_as_.find(at->second)) {
      at->second = next->second;
      at = next;
    }
    return at->second;
  }

  std::unordered_map<const Sequence*, const Sequence*> same_as_;
};

}  // namespace

bool same_sequence(const SequencePtr& a, const SequencePtr& b) {
  if (!a || !b) return a == b;
  if (a->length != b->length) return false;
  if (SameDescription()(a.get(), b.get())) return true;
  Grammar grammar;
  const std::uint32_t rule_a = grammar.add(a), rule_b = grammar.add(b);
  return grammar.same(rule_a, rule_b);
}

}  // namespace gapless::layout
