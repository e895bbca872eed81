#include "plan/stream.hpp"

#include <algorithm>
#include <utility>

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::NodePtr;

constexpr std::size_t kFewRuns = 64;
// Nodes are shared: what is opened must be counted, for it may be exponential in what there is.
constexpr std::size_t kFewOpened = 256;

// The first whole copies of the next item that are within `bytes`, of a run as many bytes. 0: none is.
std::int64_t copies_in(const Item& item, std::int64_t bytes) {
  if (item.kind == Kind::kSequence || item.kind == Kind::kBlocks)
    return item.first == 0 && item.node->bytes <= bytes ? item.count : 0;
  return std::min(item.count, bytes / item.unit());
}

// What opening an item makes.
std::size_t parts_of(const Item& item) {
  return item.kind == Kind::kSequence ? item.node->parts.size() : 1;
}

std::int64_t bytes_of(const Item& item, std::int64_t copies) {
  return item.kind == Kind::kSequence || item.kind == Kind::kBlocks ? item.node->bytes : copies * item.unit();
}

}  // namespace

Item item_of(const NodePtr& node, std::int64_t at) {
  switch (node->kind) {
    case Kind::kRun:
      return {Kind::kRun, at, node->bytes, 0, 0, nullptr, nullptr};
    case Kind::kLoop:
      return {Kind::kLoop, at, node->count, node->stride, 0, node->body, nullptr};
    case Kind::kTable:
      return {Kind::kTable, at, static_cast<std::int64_t>(node->offsets.size()), 0, 0, node->body, node};
    case Kind::kBlocks:
      return {Kind::kBlocks, at, static_cast<std::int64_t>(node->offsets.size()), 0, 0, nullptr, node};
    case Kind::kSequence:
      return {Kind::kSequence, at, 1, 0, 0, nullptr, node};
  }
  return {Kind::kRun, at, 0, 0, 0, nullptr, nullptr};
}

void open(Stream& stream) {
  Item item = std::move(stream.back());
  stream.pop_back();
  if (item.kind == Kind::kSequence) {
    for (auto part = item.node->parts.rbegin(); part != item.node->parts.rend(); ++part)
      stream.push_back(item_of(part->node, item.at + part->offset));
    return;
  }
  Item one = item;
  if (item.kind == Kind::kLoop) {
    one = item_of(item.body, item.at);
    item.at += item.stride;
  } else {
    const auto i = static_cast<std::size_t>(item.first++);
    const std::int64_t at = item.at + item.node->offsets[i];
    one = item.kind == Kind::kTable ? item_of(item.body, at)
                                    : Item{Kind::kRun, at, item.node->lengths[i], 0, 0, nullptr, nullptr};
  }
  if (--item.count > 0) stream.push_back(std::move(item));
  stream.push_back(std::move(one));
}

void take(Stream& stream, std::int64_t n) {
  Item& item = stream.back();
  item.count -= n;
  if (item.count == 0) {
    stream.pop_back();
    return;
  }
  if (item.kind == Kind::kRun)
    item.at += n;
  else if (item.kind == Kind::kLoop)
    item.at += n * item.stride;
  else
    item.first += n;
}

Item slice(const Item& item, std::int64_t n) {
  if (item.kind == Kind::kLoop && n == 1) return item_of(item.body, 0);
  Item part = item;
  part.at = 0;
  part.count = n;
  return part;
}

bool has_grown(const Message& message) {
  const normal::MessageForm& forms = message.plan.message();
  return message.count > 1 && forms.body != nullptr && message.count >= forms.min_count();
}

Stream stream_of(const Message& message, bool grown) {
  const normal::MessageForm& forms = message.plan.message();
  const std::int64_t count = message.count, extent = message.plan.extent();
  if (count == 1) return {item_of(forms.one.node, forms.one.offset)};
  if (!grown || !has_grown(message))
    return {{Kind::kLoop, forms.one.offset, count, extent, 0, forms.one.node, nullptr}};
  Stream stream;
  if (forms.after.node) stream.push_back(item_of(forms.after.node, forms.after.offset + count * extent));
  if (const std::int64_t copies = forms.each * count + forms.extra; copies > 0) {
    stream.push_back(item_of(forms.body, forms.body_offset));
    stream.back().count = copies;
  }
  if (forms.before.node) stream.push_back(item_of(forms.before.node, forms.before.offset));
  return stream;
}

bool split_off(Stream& stream, std::int64_t bytes, Stream* front) {
  Stream taken;
  for (std::size_t opened = 0; bytes > 0;) {
    const Item next = stream.back();
    const std::int64_t n = copies_in(next, bytes);
    if (n == 0) {
      if ((opened += parts_of(next)) > kFewOpened) return false;
      open(stream);
      continue;
    }
    if (front != nullptr) {
      taken.push_back(next);
      taken.back().count = n;
    }
    take(stream, n);
    bytes -= bytes_of(next, n);
  }
  if (front != nullptr) front->assign(taken.rbegin(), taken.rend());
  return true;
}

bool list_runs(Stream stream, std::vector<Run>& runs) {
  for (std::size_t opened = 0; !stream.empty();) {
    const Item next = stream.back();
    if (next.kind != Kind::kRun) {
      if ((opened += parts_of(next)) > kFewOpened) return false;
      open(stream);
      continue;
    }
    stream.pop_back();
    if (!runs.empty() && runs.back().at + runs.back().bytes == next.at)
      runs.back().bytes += next.count;
    else
      runs.push_back({next.at, next.count});
    if (runs.size() > kFewRuns) return false;
  }
  return true;
}

}  // namespace gapless::plan
