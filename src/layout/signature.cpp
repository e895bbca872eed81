#include "layout/signature.hpp"

#include <cstring>
#include <string>
#include <unordered_map>

#include "base/status.hpp"

namespace gapless::layout {
namespace {

// The pair types: a value, then an int (MPI 4.1, section 6.9.4).
constexpr struct {
  const char *name, *value;
} kPairs[] = {{"float_int", "float"}, {"double_int", "double"}, {"long_int", sizeof(long) == 8 ? "int64" : "int32"},
              {"short_int", "int16"}, {"2int", "int32"},        {"long_double_int", "long_double"}};

SequencePtr sequence_of(const Named& type) {
  for (const auto& pair : kPairs) {
    if (std::strcmp(pair.name, type.name) != 0) continue;
    const SequencePtr parts[] = {basic(*find_named(pair.value)), basic(*find_named("int32"))};
    return concat(parts);
  }
  return basic(type);
}

// [bytes] of the first basic type of a named one.
std::int64_t value_size(const Named& type) noexcept {
  for (const auto& pair : kPairs) {
    if (std::strcmp(pair.name, type.name) == 0) return type.size - static_cast<std::int64_t>(sizeof(int));
  }
  return type.size;
}

class Builder {
 public:
  SequencePtr operator()(const Layout& type) {
    if (type.size == 0) return nullptr;
    if (type.combiner == Combiner::kNamed) return sequence_of(*type.named);
    if (const auto found = known_.find(&type); found != known_.end()) return found->second;
    SequencePtr sequence = build(type);
    known_.emplace(&type, sequence);
    return sequence;
  }

 private:
  SequencePtr build(const Layout& type) {
    if (type.combiner != Combiner::kStruct) {
      // Every constructor with one old type places copies of it: a signature depends on their number only.
      const Layout& old = *type.children[0];
      return repeat((*this)(old), type.size / old.size);
    }
    std::vector<SequencePtr> members;
    for (std::size_t i = 0; i < type.children.size(); ++i)
      members.push_back(repeat((*this)(*type.children[i]), type.blocklengths[i]));
    return concat(members);
  }

  std::unordered_map<const Layout*, SequencePtr> known_;
};

// Builds layouts from sequences. Only a type that is repeated or returned needs an extent that equals its size.
class TypeBuilder {
 public:
  LayoutPtr dense(const SequencePtr& sequence) {
    LayoutPtr type = loose(sequence);
    if (type->lb == 0 && type->extent == sequence->bytes) return type;
    LayoutPtr& known = dense_[sequence.get()];
    if (!known) known = resized(0, sequence->bytes, std::move(type));
    return known;
  }

 private:
  LayoutPtr loose(const SequencePtr& sequence) {
    if (const auto found = loose_.find(sequence.get()); found != loose_.end()) return found->second;
    LayoutPtr type;
    switch (sequence->kind) {
      case Sequence::Kind::kBasic:
        type = named(*sequence->basic);
        break;
      case Sequence::Kind::kRepeat:
        type = contiguous(sequence->count, dense(sequence->parts[0]));
        break;
      case Sequence::Kind::kConcat:
        type = members(*sequence);
        break;
    }
    loose_.emplace(sequence.get(), type);
    return type;
  }

  LayoutPtr members(const Sequence& sequence) {
    std::vector<std::int64_t> counts, displacements;
    std::vector<LayoutPtr> types;
    std::int64_t at = 0;
    for (const SequencePtr& part : sequence.parts) {
      const bool repeats = part->kind == Sequence::Kind::kRepeat;
      counts.push_back(part->count);
      displacements.push_back(at);
      types.push_back(repeats ? dense(part->parts[0]) : loose(part));
      at += part->bytes;
    }
    return structure(counts, displacements, types);
  }

  std::unordered_map<const Sequence*, LayoutPtr> loose_, dense_;
};

}  // namespace

Signature::Signature(const Layout& type, std::int64_t count) {
  if (count < 0)
    throw base::Error(base::Status::kInvalidArgument, "the count must be at least 0, not " + std::to_string(count));
  sequence_ = repeat(Builder()(type), count);
}

std::uint64_t Signature::hash() const noexcept {
  if (!sequence_) return 0;
  const std::uint64_t bits = sequence_->hash ^ static_cast<std::uint64_t>(sequence_->length) * 0x9e3779b97f4a7c15;
  return bits ^ (bits >> 29);
}

bool operator==(const Signature& a, const Signature& b) {
  return a.basic_count() == b.basic_count() && a.hash() == b.hash() && same_sequence(a.sequence_, b.sequence_);
}

bool Signature::is_prefix_of(const Signature& longer) const {
  if (basic_count() > longer.basic_count()) return false;
  if (!sequence_) return true;
  const SequencePtr front = prefix(longer.sequence_, basic_count());
  return front->hash == sequence_->hash && same_sequence(sequence_, front);
}

std::int64_t whole_basics(const Layout& type, std::int64_t bytes) noexcept {
  const Layout* in = &type;
  std::int64_t whole = 0;
  for (;;) {
    if (in->combiner == Combiner::kNamed) {
      const std::int64_t value_bytes = value_size(*in->named);
      return bytes < value_bytes ? whole : whole + value_bytes;
    }
    std::size_t member = 0;
    if (in->combiner == Combiner::kStruct) {
      for (std::int64_t in_member; bytes >= (in_member = in->blocklengths[member] * in->children[member]->size);
           ++member) {
        bytes -= in_member;
        whole += in_member;
      }
    }
    in = in->children[member].get();
    const std::int64_t rest = bytes % in->size;
    whole += bytes - rest;
    bytes = rest;
    if (bytes == 0) return whole;
  }
}

namespace {

const Named* only_basic(const Layout& type, int& steps) noexcept {
  if (--steps < 0) return nullptr;
  if (type.combiner == Combiner::kNamed) return value_size(*type.named) == type.size ? type.named : nullptr;
  const Named* only = nullptr;
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const Layout& child = *type.children[i];
    if (child.size == 0 || (type.combiner == Combiner::kStruct && type.blocklengths[i] == 0)) continue;
    if (i > 0 && type.children[i] == type.children[i - 1] && only != nullptr) continue;
    const Named* const its = only_basic(child, steps);
    if (its == nullptr || (only != nullptr && only != its)) return nullptr;
    only = its;
  }
  return only;
}

bool may_hold_long_doubles(const Layout& type, int& steps) noexcept {
  if (--steps < 0) return true;
  if (type.combiner == Combiner::kNamed) return std::strncmp(type.named->name, "long_double", 11) == 0;
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    if ((i == 0 || type.children[i] != type.children[i - 1]) && may_hold_long_doubles(*type.children[i], steps))
      return true;
  }
  return false;
}

}  // namespace

const Named* only_basic(const Layout& type) noexcept {
  int steps = 1 << 14;
  return only_basic(type, steps);
}

bool may_hold_long_doubles(const Layout& type) noexcept {
  int steps = 1 << 14;
  return may_hold_long_doubles(type, steps);
}

LayoutPtr signature_type(const Layout& type) {
  const Signature signature(type);
  if (!signature.sequence()) return contiguous(0, named(*find_named("byte")));
  return TypeBuilder().dense(signature.sequence());
}

}  // namespace gapless::layout
