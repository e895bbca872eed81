// Items -> nodes.
#include <algorithm>
#include <iterator>
#include <utility>

#include "normal/parts.hpp"
#include "normal/rules.hpp"

namespace gapless::normal {
namespace {

constexpr PartRule kPartRules[] = {
    {"irregular_list", rules::irregular_list},
    {"equal_parts", rules::equal_parts},
    {"two_copies", rules::two_copies},
};

}  // namespace

Part sequence(std::vector<Part> parts, Alphabet& alphabet) {
  if (parts.size() == 1) return parts[0];
  const std::int64_t origin = parts[0].offset;
  Node node;
  node.kind = Kind::kSequence;
  for (Part& part : parts) part.offset -= origin;
  node.parts = std::move(parts);
  return {origin, alphabet.unique(finish(std::move(node)))};
}

Part one_part(std::vector<Part> parts, Alphabet& alphabet, Trace* trace) {
  for (std::size_t i = 0; parts.size() > 1 && i < std::size(kPartRules);) {
    if (kPartRules[i].apply(parts, alphabet)) {
      hit(kPartRules[i].name, trace);
      i = 0;
    } else {
      ++i;
    }
  }
  return sequence(std::move(parts), alphabet);
}

const NodePtr& gather(const Letter& letter, Context& context) {
  if (!letter.gathered)
    letter.gathered =
        letter.is_run() ? context.alphabet.unique(make_run(letter.bytes)) : gather(letter.items, context).node;
  return letter.gathered;
}

Form gather(const Items& items, Context& context) {
  if (items.empty()) return {};
  spend(context, items.size(), 1 + rules::longest_pair(items.size()));
  std::vector<Part> parts;
  parts.reserve(items.size());
  for (const Item& item : items) {
    NodePtr node = gather(*item.letter, context);
    if (item.count > 1) node = context.alphabet.unique(make_loop(item.count, item.stride, std::move(node)));
    // irregular_list may copy a short node: its runs take memory, which costs more than looking at items.
    constexpr std::size_t kWorkPerRun = 8;
    spend(context, static_cast<std::size_t>(std::min(node->runs, static_cast<std::int64_t>(kMaxItems))), kWorkPerRun);
    parts.push_back({item.offset, std::move(node)});
  }
  const Part whole = one_part(std::move(parts), context.alphabet, context.trace);
  return {whole.offset, whole.node};
}

}  // namespace gapless::normal
