#include "notation/print.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status.hpp"
#include "notation/grammar.hpp"

namespace gapless::notation {
namespace {

using layout::Layout;

constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

class Printer {
 public:
  // Writes at most `max_entries` of a list; cuts the text after `max_bytes` if `cut`, otherwise refuses it.
  Printer(std::size_t max_entries, std::size_t max_bytes, bool cut)
      : max_entries_(max_entries), max_bytes_(max_bytes), cut_(cut) {}

  void type(const Layout& type) {
    if (text_.size() > max_bytes_) {
      if (!cut_)
        throw base::Error(base::Status::kInvalidArgument,
                          "the text of the type would be longer than " + std::to_string(max_bytes_) + " bytes");
      text_ += "...";
      return;
    }
    if (type.combiner == layout::Combiner::kNamed) {
      text_ += type.named->name;
      return;
    }
    text_ += layout::combiner_name(type.combiner);
    const char* separator = "(";
    for (const Argument& argument : arguments(type.combiner)) {
      text_ += separator;
      std::visit([&](auto field) { write(type, field); }, argument.field);
      separator = ", ";
    }
    text_ += ')';
  }

  std::string take() { return std::move(text_); }

 private:
  void write(const Layout& type, std::int64_t Layout::* field) { text_ += std::to_string(type.*field); }
  void write(const Layout& type, base::Numbers Layout::* field) { numbers(type.*field); }
  void write(const Layout& type, std::vector<std::int64_t> Layout::* field) { numbers(type.*field); }
  void write(const Layout& type, layout::Order Layout::* field) { text_ += order_name(type.*field); }
  void write(const Layout& type, OldType) { this->type(*type.children[0]); }
  void write(const Layout& type, Distributions) {
    list(type.distributions.size(), [&](std::size_t i) {
      text_ += distribution_name(type.distributions[i]);
      if (type.distribution_arguments[i] != layout::kDefaultDistribution)
        text_ += "(" + std::to_string(type.distribution_arguments[i]) + ")";
    });
  }
  void write(const Layout& type, StructMembers) {
    list(type.children.size(), [&](std::size_t i) {
      text_ += "(" + std::to_string(type.blocklengths[i]) + ", " + std::to_string(type.displacements[i]) + ", ";
      this->type(*type.children[i]);
      text_ += ')';
    });
  }

  template <class List>
  void numbers(const List& values) {
    list(values.size(), [&](std::size_t i) { text_ += std::to_string(values[i]); });
  }

  template <class Entry>
  void list(std::size_t size, Entry entry) {
    text_ += '[';
    for (std::size_t i = 0; i < std::min(size, max_entries_); ++i) {
      if (i > 0) text_ += ", ";
      entry(i);
    }
    if (size > max_entries_) text_ += ", ... " + std::to_string(size - max_entries_) + " more";
    text_ += ']';
  }

  std::size_t max_entries_, max_bytes_;
  bool cut_;
  std::string text_;
};

}  // namespace

std::string print(const Layout& type, std::size_t max_bytes) {
  Printer printer(kEverything, max_bytes, false);
  printer.type(type);
  return printer.take();
}

std::string abridged(const Layout& type) {
  Printer printer(12, 4000, true);
  printer.type(type);
  return printer.take();
}

}  // namespace gapless::notation
