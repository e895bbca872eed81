#include "notation/print.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/status.hpp"
#include "notation/grammar.hpp"

namespace gapless::notation {
namespace {

using layout::Layout;

constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

enum class Length {
  kCounted,  // nothing is written, and a text beyond the limit is refused
  kWhole,
  kCut,
};

class Printer {
 public:
  // Writes at most `max_entries` of a list, and about `max_bytes` bytes.
  Printer(std::size_t max_entries, std::size_t max_bytes, Length length)
      : max_entries_(max_entries), max_bytes_(max_bytes), length_(length) {}

  void type(const Layout& type) {
    if (bytes_ > max_bytes_ && length_ == Length::kCut) return add("...");
    if (type.combiner == layout::Combiner::kNamed) return add(type.named->name);
    if (length_ != Length::kCounted) return built(type);
    // What is shared is counted once: its text may be longer than any memory.
    if (const auto found = counted_.find(&type); found != counted_.end()) return grow(found->second);
    const std::size_t before = bytes_;
    built(type);
    counted_.emplace(&type, bytes_ - before);
  }

  std::size_t bytes() const noexcept { return bytes_; }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  std::string take() { return std::move(text_); }

 private:
  void built(const Layout& type) {
    add(layout::combiner_name(type.combiner));
    const char* separator = "(";
    for (const Argument& argument : arguments(type.combiner)) {
      add(separator);
      std::visit([&](auto field) { write(type, field); }, argument.field);
      separator = ", ";
    }
    add(")");
  }

  void add(std::string_view text) {
    grow(text.size());
    if (length_ != Length::kCounted) text_ += text;
  }
  void grow(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > max_bytes_ && length_ == Length::kCounted)
      throw base::Error(base::Status::kInvalidArgument,
                        "the text of the type would be longer than " + std::to_string(max_bytes_) + " bytes");
  }

  void write(const Layout& type, std::int64_t Layout::* field) { add(std::to_string(type.*field)); }
  void write(const Layout& type, base::Numbers Layout::* field) { numbers(type.*field); }
  void write(const Layout& type, std::vector<std::int64_t> Layout::* field) { numbers(type.*field); }
  void write(const Layout& type, layout::Order Layout::* field) { add(order_name(type.*field)); }
  void write(const Layout& type, OldType) { this->type(*type.children[0]); }
  void write(const Layout& type, Distributions) {
    list(type.distributions.size(), [&](std::size_t i) {
      add(distribution_name(type.distributions[i]));
      if (type.distribution_arguments[i] != layout::kDefaultDistribution)
        add("(" + std::to_string(type.distribution_arguments[i]) + ")");
    });
  }
  void write(const Layout& type, StructMembers) {
    list(type.children.size(), [&](std::size_t i) {
      add("(" + std::to_string(type.blocklengths[i]) + ", " + std::to_string(type.displacements[i]) + ", ");
      this->type(*type.children[i]);
      add(")");
    });
  }

  template <class List>
  void numbers(const List& values) {
    list(values.size(), [&](std::size_t i) { add(std::to_string(values[i])); });
  }

  template <class Entry>
  void list(std::size_t size, Entry entry) {
    add("[");
    for (std::size_t i = 0; i < std::min(size, max_entries_); ++i) {
      if (i > 0) add(", ");
      entry(i);
    }
    if (size > max_entries_) add(", ... " + std::to_string(size - max_entries_) + " more");
    add("]");
  }

  std::size_t max_entries_, max_bytes_;
  Length length_;
  std::size_t bytes_ = 0;
  std::string text_;
  std::unordered_map<const Layout*, std::size_t> counted_;
};

}  // namespace

std::string print(const Layout& type, std::size_t max_bytes) {
  Printer counter(kEverything, max_bytes, Length::kCounted);
  counter.type(type);
  Printer printer(kEverything, max_bytes, Length::kWhole);
  printer.reserve(counter.bytes());
  printer.type(type);
  return printer.take();
}

std::string abridged(const Layout& type) {
  Printer printer(12, 4000, Length::kCut);
  printer.type(type);
  return printer.take();
}

}  // namespace gapless::notation
