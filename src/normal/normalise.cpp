#include "normal/normalise.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "normal/lists.hpp"
#include "normal/rules.hpp"

namespace gapless::normal {
namespace {

using layout::Combiner;
using layout::Layout;

// Lists of at most this many blocks become items at once; longer ones are processed as arrays first.
constexpr std::int64_t kShortList = 64;
// The most items that are collected before they are reduced.
constexpr std::size_t kMaxUnreduced = 8 * kMaxItems;

// One pass over a description. Descriptions share types (a tree of handles is really a graph), so each type is
// normalised once.
class Normaliser {
 public:
  explicit Normaliser(Trace* trace, std::int64_t max_work = kAnyWork) {
    context_.trace = trace;
    context_.work_left = max_work;
  }

  const Items& items_of(const Layout& type) {
    if (const auto known = known_.find(&type); known != known_.end()) return known->second;
    Items items;
    if (type.size > 0) items = kept_short(build(type));
    return known_.emplace(&type, std::move(items)).first->second;
  }

  Form form_of(const Items& items) { return gather(items, context_); }
  MessageForm message(const Layout& type) {
    const Items& one = items_of(type);
    MessageForm message;
    message.one = gather(one, context_);
    // A few elements must fit into 63 bits, which the constructors have not checked.
    constexpr std::int64_t kMax = std::int64_t{1} << 58;
    const auto huge = [](std::int64_t value) { return value > kMax || value < -kMax; };
    if (one.empty() || huge(type.extent) || huge(type.size) || huge(type.true_lb) || huge(type.true_extent))
      return message;
    FoldedItems folded;
    if (!fold_copies(type.extent, one, context_, folded)) return message;
    message.before = gather(folded.before, context_);
    message.body = make_loop_or_run(folded.core);
    message.body_offset = folded.core.offset;
    message.after = gather(folded.after, context_);
    message.each = folded.each;
    message.extra = folded.extra;
    return message;
  }
  Items repeated(std::int64_t count, std::int64_t stride, const Items& body) {
    return kept_short(repeat(count, stride, body, context_));
  }

 private:
  NodePtr make_loop_or_run(const Item& item) {
    const NodePtr& node = gather(*item.letter, context_);
    return item.count > 1 ? make_loop(item.count, item.stride, node) : node;
  }

  // Turns a list of items into a node if it is too long for the rules.
  Items kept_short(Items items) {
    if (items.size() <= kMaxItems) return items;
    const Form form = gather(items, context_);
    return {{form.offset, context_.alphabet.node(form.node)}};
  }

  Items build(const Layout& type) {
    if (type.expansion) return items_of(*type.expansion);
    const auto old = [&]() -> const Items& { return items_of(*type.children[0]); };
    const std::int64_t extent = type.children.empty() ? 0 : type.children[0]->extent;
    switch (type.combiner) {
      case Combiner::kNamed:
        return named(*type.named);
      case Combiner::kContiguous:
        return repeated(type.count, extent, old());
      case Combiner::kVector:
      case Combiner::kHvector: {
        // A stride that no second block uses was not checked, and must not be multiplied.
        const std::int64_t unit = type.combiner == Combiner::kVector && type.count > 1 ? extent : 1;
        return repeated(type.count, type.stride * unit, repeated(type.blocklength, extent, old()));
      }
      case Combiner::kIndexed:
      case Combiner::kIndexedBlock:
        return list(type, extent);
      case Combiner::kHindexed:
      case Combiner::kHindexedBlock:
        return list(type, 1);
      case Combiner::kStruct:
        return structure(type);
      case Combiner::kSubarray:
        return subarray(type);
      case Combiner::kResized:
      case Combiner::kDup:
        return old();
      case Combiner::kDarray:
      case Combiner::kBoundedVector:
      case Combiner::kCircularVector:
      case Combiner::kBucket:
        break;
    }
    return {};
  }

  Items reduced(Items items) {
    reduce(items, context_);
    return items;
  }

  Items named(const layout::Named& type) {
    Items items;
    for (int i = 0; i < type.run_count; ++i)
      items.push_back({type.runs[i].displacement, context_.alphabet.run(type.runs[i].bytes)});
    return items;
  }

  // Collects copies of blocks. A list that grows long is reduced from time to time; once that does not help, the list
  // is irregular, and each block is appended as one node.
  class Collector {
   public:
    explicit Collector(Context& context) : context_(context) {}
    void place(const Items& block, std::int64_t displacement) {
      if (!irregular_ && items_.size() > kMaxUnreduced) {
        reduce(items_, context_);
        irregular_ = items_.size() > kMaxUnreduced / 2;
      }
      if (irregular_ && block.size() > 1) {
        const Form form = gather(block, context_);
        items_.push_back({form.offset + displacement, context_.alphabet.node(form.node)});
      } else {
        append(items_, block, displacement);
      }
    }
    Items reduced() {
      reduce(items_, context_);
      return std::move(items_);
    }

   private:
    Context& context_;
    Items items_;
    bool irregular_ = false;
  };

  // Copies of a type as a block of a list, its first run at 0. Only after a shift by `origin` plus the block's
  // displacement are all offsets sure to fit into 64 bits: those are the ones that the constructors have checked.
  struct Block {
    std::int64_t origin = 0;
    Items items;
  };
  Block block_of(std::int64_t length, const Layout& old) {
    Block block{0, items_of(old)};
    if (block.items.empty()) return block;
    block.origin = move_to_origin(block.items);
    block.items = repeated(length, old.extent, block.items);
    return block;
  }

  Items structure(const Layout& type) {
    Collector collector(context_);
    for (std::size_t i = 0; i < type.children.size(); ++i) {
      if (const Block block = block_of(type.blocklengths[i], *type.children[i]); !block.items.empty())
        collector.place(block.items, type.displacements[i] + block.origin);
    }
    return collector.reduced();
  }

  // `unit`: [bytes] of a displacement of 1.
  Items list(const Layout& type, std::int64_t unit) {
    const std::int64_t extent = type.children[0]->extent;
    const Items& old = items_of(*type.children[0]);
    const base::Numbers& lengths = type.blocklengths;
    const bool equal = lengths.with_raw([&](const auto* raw) {
      return std::all_of(raw, raw + lengths.size(), [&](auto length) { return length == *raw; });
    });
    const std::int64_t blocklength = lengths.empty() ? type.blocklength : lengths[0];
    if (type.count > kShortList && old.size() == 1 && old[0].is_run() &&
        (old[0].letter->bytes == extent || (equal && blocklength == 1)))
      return reduced(run_list(type, unit, old[0], equal ? blocklength : -1, context_));
    if (type.count > kShortList && equal) {
      const Block block = block_of(blocklength, *type.children[0]);
      return reduced(word_list(type.displacements.scaled(unit, block.origin).to_vector(), block.items, context_));
    }
    Collector collector(context_);
    std::unordered_map<std::int64_t, Block> blocks;
    for (std::int64_t i = 0; i < type.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t length = equal ? blocklength : lengths[at];
      if (length == 0) continue;
      auto known = blocks.find(length);
      if (known == blocks.end()) known = blocks.emplace(length, block_of(length, *type.children[0])).first;
      collector.place(known->second.items, type.displacements[at] * unit + known->second.origin);
    }
    return collector.reduced();
  }

  Items subarray(const Layout& type) {
    Items items = items_of(*type.children[0]);
    std::int64_t step = type.children[0]->extent, start = 0;
    const std::size_t dimensions = type.sizes.size();
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = type.order == layout::Order::kC ? dimensions - 1 - i : i;
      items = repeated(type.subsizes[d], step, items);
      start += type.starts[d] * step;
      step *= type.sizes[d];
    }
    shift(items, start);
    return items;
  }

  Context context_;
  std::unordered_map<const Layout*, Items> known_;
};

}  // namespace

Form normalise(const Layout& type, Trace* trace) {
  Normaliser normaliser(trace);
  return normaliser.form_of(normaliser.items_of(type));
}

MessageForm normalise_message(const Layout& type, std::int64_t max_work) {
  return Normaliser(nullptr, max_work).message(type);
}

}  // namespace gapless::normal
