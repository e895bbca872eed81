#include "plan/plan.hpp"

#include <sstream>
#include <unordered_set>

#include "plan/step.hpp"

namespace gapless::plan {
namespace {

// Of the kernel that a step calls itself; null if its steps call theirs.
const char* kernel_name(const Step& step) {
  switch (step.op) {
    case Op::kNest:
      if (step.nest == nullptr) return nullptr;  // no data
      return step.transpose ? step.transpose->name : step.nest->name;
    case Op::kTable:
      return step.listed->name;
    case Op::kBlocks:
      return step.runs->name;
    default:
      return nullptr;
  }
}

void write(std::ostream& out, const Step& step, int indent) {
  out << std::string(static_cast<std::size_t>(indent), ' ');
  switch (step.op) {
    case Op::kNest:
      out << kernel_name(step) << ": " << step.outer_count << " x " << step.inner_count << " blocks of " << step.block
          << " bytes, strides " << step.outer_stride << ", " << step.inner_stride << '\n';
      return;
    case Op::kTable:
      out << kernel_name(step) << ": " << step.offsets.size() << " blocks of " << step.block
          << " bytes at listed offsets\n";
      return;
    case Op::kBlocks:
      out << kernel_name(step) << ": " << step.offsets.size() << " runs of listed lengths at listed offsets\n";
      return;
    case Op::kLoop:
      out << "repeat " << step.count << " times, stride " << step.stride
          << (step.steps[0]->pattern ? ", as a pattern\n" : "\n");
      break;
    case Op::kPlaces:
      out << "at each of " << step.offsets.size() << " listed offsets\n";
      break;
    case Op::kSequence:
      out << "in sequence\n";
      break;
  }
  for (const auto& inner : step.steps) write(out, *inner, indent + 2);
}

void collect(const Step& step, std::unordered_set<const Step*>& seen, std::vector<const char*>& names) {
  if (!seen.insert(&step).second) return;
  if (const char* name = kernel_name(step)) names.push_back(name);
  if (step.pattern) names.push_back(kernel::chosen().pattern.name);
  for (const auto& inner : step.steps) collect(*inner, seen, names);
}

}  // namespace

std::string Plan::text() const {
  std::ostringstream out;
  if (size_ > 0) write(out, *root_, 0);
  return out.str();
}

std::vector<const char*> Plan::kernel_names() const {
  std::vector<const char*> names;
  std::unordered_set<const Step*> seen;
  collect(*root_, seen, names);
  return names;
}

}  // namespace gapless::plan
