#include "plan/plan.hpp"

#include <cstdlib>
#include <ostream>
#include <sstream>
#include <unordered_set>

#include "plan/step.hpp"

namespace gapless::plan {
namespace {

// A number of copies: a constant, or one that grows with the message's count.
struct Copies {
  std::int64_t number;  // 0: as many as the text says
  std::string text;
};

Copies copies_of(std::int64_t number) {
  return {number, std::to_string(number)};
}

// each * n + extra
Copies folded_copies(std::int64_t each, std::int64_t extra) {
  std::string text = each == 1 ? "n" : std::to_string(each) + "n";
  if (extra == 0) return {0, text};
  text += (extra > 0 ? " + " : " - ") + std::to_string(std::abs(extra));
  return {0, "(" + text + ")"};
}

// True if copies are made by the pattern; a number that depends on the count is taken to be large enough.
bool by_pattern(const Step& step, const Copies& copies, std::int64_t stride) {
  return repeats_pattern(step, copies.number == 0 ? step.pattern_min_count : copies.number, stride);
}

std::string counted(std::size_t number, const char* one, const char* many) {
  return std::to_string(number) + ' ' + (number == 1 ? one : many);
}

std::string pattern_text(const RunPattern& pattern) {
  const kernel::Pattern& kernel = pattern.kernel();
  const std::size_t longs = kernel.longs.size(), passes = kernel.pack.size();
  std::string text = kernel::chosen().pattern.name + (" of " + counted(kernel.runs.size(), "run", "runs"));
  if (passes != 0) text += ", " + counted(passes, "pass", "passes");
  if (longs != 0) text += ", " + std::to_string(longs) + " long";
  return text;
}

// Writes what move/ does with a step, one line per step: the same conditions in the same order as in move/whole.hpp.
class PlanPrinter {
 public:
  explicit PlanPrinter(std::ostream& out) : out_(out) {}

  void step(const Step& of, int indent) {
    switch (of.op) {
      case Op::kNest:
        nest(of, copies_of(of.outer_count), of.disjoint, indent);
        return;
      case Op::kTable:
        line(indent) << of.listed->name << ": " << of.offsets.size() << " blocks of " << of.block
                     << " bytes at listed offsets" << ahead(of) << '\n';
        return;
      case Op::kBlocks:
        line(indent) << of.runs->name << ": " << of.offsets.size() << " runs of listed lengths at listed offsets"
                     << ahead(of) << '\n';
        return;
      case Op::kLoop:
        loop(*of.steps[0], copies_of(of.count), of.stride, indent);
        step(*of.steps[0], indent + 2);
        return;
      case Op::kIndexed:
        line(indent) << "at each of " << of.offsets.size() << " listed offsets\n";
        break;
      case Op::kSequence:
        line(indent) << "in sequence\n";
        break;
    }
    for (const auto& inner : of.steps) step(*inner, indent + 2);
  }

  void folded(const FoldedSteps& of) {
    const Copies copies = folded_copies(of.each, of.extra);
    const Step& body = *of.body;
    line(0) << "n elements";
    if (of.min_count > 1) out_ << ", from " << of.min_count << " on";
    out_ << '\n';
    if (of.before) step(*of.before, 2);
    if (body.op == Op::kNest && body.outer_count == 1) {
      line(2) << body.nest->name << ": " << copies.text << blocks(body) << '\n';
    } else if (body.op == Op::kNest) {
      const std::int64_t row = (body.inner_count - 1) * std::abs(body.inner_stride) + body.block;
      nest(body, copies, body.disjoint && std::abs(body.outer_stride) >= row, 2);
    } else {
      loop(*body.steps[0], copies, body.stride, 2);
      step(*body.steps[0], 4);
    }
    if (of.after) step(*of.after, 2);
  }

  // Writes the head of copies of `body`; the caller writes its steps.
  void loop(const Step& body, const Copies& copies, std::int64_t stride, int indent) {
    line(indent) << "repeat " << copies.text << " times, stride " << stride;
    if (body.outer_count == 1 && by_pattern(body, copies, stride)) {
      out_ << ", " << pattern_text(*body.pattern);
      if (!body.disjoint || std::abs(stride) < body.high - body.low) out_ << " (unpacked step by step)";
    }
    out_ << '\n';
  }

 private:
  std::ostream& line(int indent) { return out_ << std::string(static_cast<std::size_t>(indent), ' '); }

  static const char* ahead(const Step& list) { return list.far ? ", fetched ahead" : ""; }

  static std::string blocks(const Step& row) {
    return " blocks of " + std::to_string(row.block) + " bytes, stride " + std::to_string(row.inner_stride);
  }

  // `apart`: no byte of these rows is written twice.
  void nest(const Step& of, const Copies& rows, bool apart, int indent) {
    if (rows.number == 1 && of.inner_count == 1) {
      line(indent) << "memcpy (far: " << of.nest->name << "): " << of.block << (of.block == 1 ? " byte\n" : " bytes\n");
      return;
    }
    if (rows.number == 1) {
      line(indent) << of.nest->name << ": " << of.inner_count << blocks(of) << '\n';
      return;
    }
    std::string kernel = of.nest->name;
    if (by_pattern(of, rows, of.outer_stride))
      kernel = pattern_text(*of.pattern) + (apart ? "" : " (unpacked by " + kernel + ")");
    line(indent) << (of.transpose ? with_transposition(of, rows.number, kernel) : kernel) << ": " << rows.text
                 << (rows.number == 0 ? " rows of " : " x ") << of.inner_count << " blocks of " << of.block
                 << " bytes, strides " << of.outer_stride << ", " << of.inner_stride << '\n';
  }

  // Up to this many rows lie in each other's gaps (move/whole.hpp); each message decides anew.
  static std::string with_transposition(const Step& nest, std::int64_t rows, const std::string& otherwise) {
    const std::int64_t most = std::abs(nest.inner_stride) / nest.block;
    const std::string name = nest.transpose->name, limit = "up to " + std::to_string(most) + " rows interleave";
    return rows <= most ? name + " (" + limit + "; else " + otherwise + ")"
                        : otherwise + " (" + limit + ": " + name + ")";
  }

  std::ostream& out_;
};

// The kernels of a step's own calls, for one element: for all its rows, and for parts of them.
void collect(const Step& step, std::unordered_set<const Step*>& seen, std::vector<const char*>& names) {
  if (!seen.insert(&step).second) return;
  const char* const pattern = kernel::chosen().pattern.name;
  if (step.op == Op::kNest) {
    if (step.nest) names.push_back(step.nest->name);
    if (step.transpose) names.push_back(step.transpose->name);
    if (step.outer_count > 1 && repeats_pattern(step, step.outer_count, step.outer_stride)) names.push_back(pattern);
  }
  if (step.op == Op::kTable) names.push_back(step.listed->name);
  if (step.op == Op::kBlocks) names.push_back(step.runs->name);
  if (step.op == Op::kLoop && step.steps[0]->outer_count == 1 &&
      repeats_pattern(*step.steps[0], step.count, step.stride))
    names.push_back(pattern);
  for (const auto& inner : step.steps) collect(*inner, seen, names);
}

}  // namespace

std::string Plan::text() const {
  if (size_ == 0) return {};
  std::ostringstream out;
  PlanPrinter page(out);
  page.step(*root_, 0);
  if (contiguous_)
    out << "n elements: one run\n";
  else if (folded() != nullptr)
    page.folded(*folded());
  else
    page.loop(*root_, {0, "n"}, extent_, 0);
  return out.str();
}

std::vector<const char*> Plan::kernel_names() const {
  std::vector<const char*> names;
  std::unordered_set<const Step*> seen;
  collect(*root_, seen, names);
  return names;
}

}  // namespace gapless::plan
