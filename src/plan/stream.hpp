// What one side of a copy has still to give: its form's nodes, taken apart as far as they have to be.
#pragma once

#include <cstdint>
#include <vector>

#include "normal/form.hpp"
#include "plan/plan.hpp"

namespace gapless::plan {

// What is left of a node: of a run some bytes, of a loop or a list some copies.
struct Item {
  normal::Kind kind;
  std::int64_t at;         // [bytes] of its origin
  std::int64_t count = 1;  // bytes of a run; copies; entries of a list from `first` on
  std::int64_t stride = 0;
  std::int64_t first = 0;
  normal::NodePtr body;  // loop, table
  normal::NodePtr node;  // table, blocks, sequence

  std::int64_t unit() const { return kind == normal::Kind::kRun ? 1 : body->bytes; }
};

// The next item last.
using Stream = std::vector<Item>;

Item item_of(const normal::NodePtr& node, std::int64_t at);
// n copies of a loop, or n bytes of a run, at the origin.
Item slice(const Item& item, std::int64_t n);

// Whether the elements have a form together that is another than one of them, repeated (normal::MessageForm).
bool has_grown(const Message& message);
// All of a message that is not empty; `grown`: by that form, where it has one.
Stream stream_of(const Message& message, bool grown);

// Takes one copy, entry or part list apart.
void open(Stream& stream);
// Drops the first n bytes of a run, or n copies or entries.
void take(Stream& stream, std::int64_t n);
// Moves the first `bytes` of a stream to `front`, or drops them where that is null. False: that takes more than a few
// nodes apart; the stream is then of no use.
bool split_off(Stream& stream, std::int64_t bytes, Stream* front);

// The runs of a stream, those that touch joined; false if there are more than a few.
struct Run {
  std::int64_t at, bytes;
  bool operator==(const Run&) const = default;
};
bool list_runs(Stream stream, std::vector<Run>& runs);

}  // namespace gapless::plan
