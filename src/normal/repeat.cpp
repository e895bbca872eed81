#include <algorithm>
#include <utility>

#include "normal/rules.hpp"

namespace gapless::normal {
namespace {

// A nest of loops around one run, which no other copy of itself can touch: then `count` copies are one more loop.
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

// Five copies show how the ends of copies meet, with more to spare on either side than any seam reaches.
constexpr std::int64_t kSample = 5;

// Turns the sample into all copies: some loop in it covers a whole body with some of its own copies, and grows.
//
// Proof. Let b be the bytes of the body and w(i) the displacement of byte i of the sample: w(i + b) = w(i) + s. Suppose
// a loop in it, from byte c on, has a letter of u bytes and a stride t with k u = b and k t = s, and at least k copies.
// Write k more copies: bytes before c + b stay where they are, byte i of the new sequence is byte i - b of the old one,
// moved by s, for i >= c. The two agree on [c, c + b), since the loop's copies k apart lie s apart; and the new sequence
// again moves by s every b bytes and begins with the same body. Only one sequence of its length does: the body written
// once more. A run is a loop of bytes, with u = t = 1.
bool grow(Items& sample, std::int64_t more, std::int64_t bytes, std::int64_t stride, Alphabet& alphabet) {
  for (std::size_t i = 0; i < sample.size(); ++i) {
    Item& item = sample[i];
    const bool run = item.is_run();
    const std::int64_t unit = run ? 1 : item.letter->bytes, step = run ? 1 : item.stride;
    const std::int64_t count = run ? item.letter->bytes : item.count;
    const std::int64_t copies = bytes / unit;
    std::int64_t reach;
    if (bytes % unit != 0 || count < copies || __builtin_mul_overflow(copies, step, &reach) || reach != stride)
      continue;
    if (item.count == 1 && !run) continue;
    if (run)
      item.letter = alphabet.run(item.letter->bytes + more * bytes);
    else
      item.count += more * copies;
    for (std::size_t j = i + 1; j < sample.size(); ++j) sample[j].offset += more * stride;
    return true;
  }
  return false;
}

}  // namespace

Items repeat(std::int64_t count, std::int64_t stride, const Items& body, Context& context) {
  if (count == 0 || body.empty()) return {};
  if (count == 1) return body;
  Alphabet& alphabet = context.alphabet;
  if (body.size() == 1 && count >= 3) {
    const Item& item = body[0];
    if (item.is_run() && stride == item.letter->bytes)
      return {{item.offset, alphabet.run(count * item.letter->bytes)}};
    std::int64_t whole;
    if (item.count > 1 && !__builtin_mul_overflow(item.count, item.stride, &whole) && whole == stride)
      return {{item.offset, item.letter, count * item.count, item.stride}};
    if (item.count == 1 || stays_apart(stride, item)) return {{item.offset, alphabet.word(body), count, stride}};
  }
  if (body.size() <= kMostItems) {
    const std::int64_t sampled = std::min(count, kSample);
    Items sample;
    for (std::int64_t i = 0; i < sampled; ++i) append(sample, body, i * stride);
    reduce(sample, context);
    if (count == sampled) return sample;
    if (grow(sample, count - sampled, bytes_of(body), stride, alphabet)) {
      hit("roll_up", context.trace);
      return sample;
    }
  }
  const Form whole = gather(body, context);
  const Letter* letter = alphabet.node(whole.node);
  if (count == 2) return {{whole.offset, letter}, {whole.offset + stride, letter}};
  return {{whole.offset, letter, count, stride}};
}

}  // namespace gapless::normal
