#include <algorithm>
#include <utility>

#include "normal/rules.hpp"

namespace gapless::normal {
namespace {

// True for a nest of loops around one run that no other copy of itself touches: then `count` copies are one more loop.
// At each level the distance from the last element of a copy to the first one of the next must differ from that
// level's stride, or the loop there would go on across the seam; and no runs may adjoin.
bool stays_apart(std::int64_t stride, const Item& item) {
  const Item at_origin{0, item.letter, item.count, item.stride};
  if (at_origin.end() == stride) return false;
  std::int64_t seam = stride;  // from the last element of a copy to the first of the next, level by level
  const Item* level = &item;
  while (true) {
    if (level->count == 1) return level->letter->is_run();
    seam -= (level->count - 1) * level->stride;
    if (seam == level->stride) return false;
    if (level->letter->items.size() > 1 || level->letter->node) return false;
    if (level->letter->items.empty()) return true;
    level = &level->letter->items[0];
  }
}

// Five copies show how the ends of copies meet, with more copies on either side than any seam reaches.
constexpr std::int64_t kSample = 5;

// Finds the item of a sample that grows with the number of copies: a loop some copies of which make up a whole body.
//
// Proof. Let b be the bytes of the body and w(i) the displacement of byte i of the sample: w(i + b) = w(i) + s. Suppose
// a loop in it, from byte c on, has a letter of u bytes and a stride t with k u = b and k t = s, and at least k copies.
// Write k more copies: bytes before c + b stay where they are, byte i of the new sequence is byte i - b of the old one,
// moved by s, for i >= c. The two agree on [c, c + b), since the loop's copies k apart lie s apart; and the new
// sequence again moves by s every b bytes and begins with the same body. Only one sequence of its length does: the body
// written once more. Read backwards, it shows that k copies can be removed if there are k. A run is a loop of bytes,
// with u = t = 1.
bool find_core(const Items& sample, std::int64_t bytes, std::int64_t stride, std::size_t& core, std::int64_t& each) {
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Item& item = sample[i];
    const bool run = item.is_run();
    if (item.count == 1 && !run) continue;
    const std::int64_t unit = run ? 1 : item.letter->bytes, step = run ? 1 : item.stride;
    const std::int64_t count = run ? item.letter->bytes : item.count;
    each = bytes / unit;
    std::int64_t reach;
    if (bytes % unit != 0 || count < each || __builtin_mul_overflow(each, step, &reach) || reach != stride) continue;
    core = i;
    return true;
  }
  return false;
}

Items reduced_copies(std::int64_t count, std::int64_t stride, const Items& body, Context& context) {
  Items copies;
  for (std::int64_t i = 0; i < count; ++i) append(copies, body, i * stride);
  reduce(copies, context);
  return copies;
}

// kSample copies of the word that the body is, the first at 0. Cached: members of a struct are often alike.
const Sample& sample_of(std::int64_t stride, const Items& body, Context& context) {
  const Letter* word = context.alphabet.word(body);
  const auto [place, is_new] = context.samples.try_emplace({word, stride});
  if (is_new) {
    Sample sample;
    sample.items = reduced_copies(kSample, stride, Alphabet::items_of(*word), context);
    sample.grows = find_core(sample.items, word->bytes, stride, sample.core, sample.each);
    place->second = std::move(sample);
  }
  return place->second;
}

// Copies of a body of one item, if they are a loop or one run.
struct Lone {
  bool found = false, dense = false;
  Item loop{};            // of one copy
  std::int64_t each = 1;  // its copies in one body
};

Lone find_lone(std::int64_t stride, const Items& body, Alphabet& alphabet) {
  if (body.size() != 1) return {};
  const Item& item = body[0];
  if (item.is_run() && stride == item.letter->bytes) return {true, true, item, stride};
  std::int64_t whole;
  if (item.count > 1 && !__builtin_mul_overflow(item.count, item.stride, &whole) && whole == stride)
    return {true, false, item, item.count};
  if (item.count == 1 || stays_apart(stride, item))
    return {true, false, {item.offset, alphabet.word(body), 1, stride}, 1};
  return {};
}

}  // namespace

Items repeat(std::int64_t count, std::int64_t stride, const Items& body, Context& context) {
  if (count == 0 || body.empty()) return {};
  if (count == 1) return body;
  Alphabet& alphabet = context.alphabet;
  if (Lone lone = find_lone(stride, body, alphabet); lone.found && (count >= 3 || lone.dense || lone.each > 1)) {
    if (lone.dense)
      lone.loop.letter = alphabet.run(count * lone.each);
    else
      lone.loop.count = count * lone.each;
    return {lone.loop};
  }
  if (body.size() <= kMaxItems && count <= kSample) return reduced_copies(count, stride, body, context);
  if (body.size() <= kMaxItems) {
    const Sample& sample = sample_of(stride, body, context);
    if (sample.grows) {
      const std::int64_t more = count - kSample;
      Items items = sample.items;
      shift(items, body.front().offset);
      Item& core = items[sample.core];
      if (core.is_run())
        core.letter = alphabet.run(core.letter->bytes + more * sample.each);
      else
        core.count += more * sample.each;
      for (std::size_t i = sample.core + 1; i < items.size(); ++i) items[i].offset += more * stride;
      hit("roll_up", context.trace);
      return items;
    }
  }
  const Form whole = gather(body, context);
  const Letter* letter = alphabet.node(whole.node);
  if (count == 2) return {{whole.offset, letter}, {whole.offset + stride, letter}};
  return {{whole.offset, letter, count, stride}};
}

bool fold_copies(std::int64_t stride, const Items& body, Context& context, FoldedItems& folded) {
  if (const Lone lone = find_lone(stride, body, context.alphabet); lone.found) {
    folded.core = lone.loop;
    folded.each = lone.each;
    if (!lone.dense) folded.core.count = kSample * lone.each;
    return true;
  }
  if (body.size() > kMaxItems) return false;
  const Sample& sample = sample_of(stride, body, context);
  if (!sample.grows) return false;
  Items items = sample.items;
  shift(items, body.front().offset);
  const auto at = items.begin() + static_cast<std::ptrdiff_t>(sample.core);
  folded.before.assign(items.begin(), at);
  folded.core = *at;
  folded.each = sample.each;
  folded.after.assign(at + 1, items.end());
  for (Item& item : folded.after) item.offset -= kSample * stride;
  const std::int64_t count = folded.core.is_run() ? folded.core.letter->bytes : folded.core.count;
  folded.extra = count - kSample * folded.each;
  return true;
}

}  // namespace gapless::normal
