#include "plan/segments.hpp"

#include <algorithm>
#include <utility>

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::NodePtr;

constexpr std::size_t kFewRuns = 64;
// Nodes are shared: opened segments must be counted, because they may be exponential in the number of nodes.
constexpr std::size_t kFewOpened = 256;

// The number of whole copies at the front of a segment that lie within `bytes`; bytes, for a run.
std::int64_t copies_in(const Segment& segment, std::int64_t bytes) {
  if (segment.kind == Kind::kSequence || segment.kind == Kind::kBlocks)
    return segment.first == 0 && segment.node->bytes <= bytes ? segment.count : 0;
  return std::min(segment.count, bytes / segment.unit());
}

// The number of segments that opening one makes.
std::size_t parts_of(const Segment& segment) {
  return segment.kind == Kind::kSequence ? segment.node->parts.size() : 1;
}

std::int64_t bytes_of(const Segment& segment, std::int64_t copies) {
  return segment.kind == Kind::kSequence || segment.kind == Kind::kBlocks ? segment.node->bytes
                                                                          : copies * segment.unit();
}

}  // namespace

Segment segment_of(const NodePtr& node, std::int64_t at) {
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

void open(Segments& segments) {
  Segment segment = std::move(segments.back());
  segments.pop_back();
  if (segment.kind == Kind::kSequence) {
    for (auto part = segment.node->parts.rbegin(); part != segment.node->parts.rend(); ++part)
      segments.push_back(segment_of(part->node, segment.at + part->offset));
    return;
  }
  Segment one = segment;
  if (segment.kind == Kind::kLoop) {
    one = segment_of(segment.body, segment.at);
    segment.at += segment.stride;
  } else {
    const auto i = static_cast<std::size_t>(segment.first++);
    const std::int64_t at = segment.at + segment.node->offsets[i];
    one = segment.kind == Kind::kTable ? segment_of(segment.body, at)
                                       : Segment{Kind::kRun, at, segment.node->lengths[i], 0, 0, nullptr, nullptr};
  }
  if (--segment.count > 0) segments.push_back(std::move(segment));
  segments.push_back(std::move(one));
}

void take(Segments& segments, std::int64_t n) {
  Segment& segment = segments.back();
  segment.count -= n;
  if (segment.count == 0) {
    segments.pop_back();
    return;
  }
  if (segment.kind == Kind::kRun)
    segment.at += n;
  else if (segment.kind == Kind::kLoop)
    segment.at += n * segment.stride;
  else
    segment.first += n;
}

Segment slice(const Segment& segment, std::int64_t n) {
  if (segment.kind == Kind::kLoop && n == 1) return segment_of(segment.body, 0);
  Segment part = segment;
  part.at = 0;
  part.count = n;
  return part;
}

bool has_folded_form(const Message& message) {
  if (message.count <= 1) return false;
  const normal::MessageForm& forms = message.plan.message();
  return forms.body != nullptr && message.count >= forms.min_count();
}

Segments segments_of(const Message& message, bool folded) {
  const normal::Form& one = message.plan.form();
  const std::int64_t count = message.count, extent = message.plan.extent();
  if (count == 1) return {segment_of(one.node, one.offset)};
  if (!folded || !has_folded_form(message)) return {{Kind::kLoop, one.offset, count, extent, 0, one.node, nullptr}};
  const normal::MessageForm& forms = message.plan.message();
  Segments segments;
  if (forms.after.node) segments.push_back(segment_of(forms.after.node, forms.after.offset + count * extent));
  if (const std::int64_t copies = forms.each * count + forms.extra; copies > 0) {
    segments.push_back(segment_of(forms.body, forms.body_offset));
    segments.back().count = copies;
  }
  if (forms.before.node) segments.push_back(segment_of(forms.before.node, forms.before.offset));
  return segments;
}

bool split_off(Segments& segments, std::int64_t bytes, Segments* front) {
  Segments taken;
  for (std::size_t opened = 0; bytes > 0;) {
    const Segment next = segments.back();
    const std::int64_t n = copies_in(next, bytes);
    if (n == 0) {
      if ((opened += parts_of(next)) > kFewOpened) return false;
      open(segments);
      continue;
    }
    if (front != nullptr) {
      taken.push_back(next);
      taken.back().count = n;
    }
    take(segments, n);
    bytes -= bytes_of(next, n);
  }
  if (front != nullptr) front->assign(taken.rbegin(), taken.rend());
  return true;
}

bool list_runs(Segments segments, std::vector<ByteRun>& runs) {
  for (std::size_t opened = 0; !segments.empty();) {
    const Segment next = segments.back();
    if (next.kind != Kind::kRun) {
      if ((opened += parts_of(next)) > kFewOpened) return false;
      open(segments);
      continue;
    }
    segments.pop_back();
    if (!runs.empty() && runs.back().at + runs.back().bytes == next.at)
      runs.back().bytes += next.count;
    else
      runs.push_back({next.at, next.count});
    if (runs.size() > kFewRuns) return false;
  }
  return true;
}

}  // namespace gapless::plan
