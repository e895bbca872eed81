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
  // At most `most_entries` of a list; the text is cut behind `most_bytes`, or refused unless `cut`.
  Printer(std::size_t most_entries, std::size_t most_bytes, bool cut)
      : most_entries_(most_entries), most_bytes_(most_bytes), cut_(cut) {}

  void type(const Layout& type) {
    if (text_.size() > most_bytes_) {
      if (!cut_)
        throw base::Error(base::Status::kInvalidArgument,
                          "the text of the type would be longer than " + std::to_string(most_bytes_) + " bytes");
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
      std::visit([&](auto place) { write(type, place); }, argument.place);
      separator = ", ";
    }
    text_ += ')';
  }

  std::string take() { return std::move(text_); }

 private:
  void write(const Layout& type, std::int64_t Layout::* place) { text_ += std::to_string(type.*place); }
  void write(const Layout& type, base::Numbers Layout::* place) { numbers(type.*place); }
  void write(const Layout& type, std::vector<std::int64_t> Layout::* place) { numbers(type.*place); }
  void write(const Layout& type, layout::Order Layout::* place) { text_ += order_name(type.*place); }
  void write(const Layout& type, Old) { this->type(*type.children[0]); }
  void write(const Layout& type, Distributions) {
    list(type.distributions.size(), [&](std::size_t i) {
      text_ += distribution_name(type.distributions[i]);
      if (type.distribution_arguments[i] != layout::kDefaultDistribution)
        text_ += "(" + std::to_string(type.distribution_arguments[i]) + ")";
    });
  }
  void write(const Layout& type, Members) {
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
    for (std::size_t i = 0; i < std::min(size, most_entries_); ++i) {
      if (i > 0) text_ += ", ";
      entry(i);
    }
    if (size > most_entries_) text_ += ", ... " + std::to_string(size - most_entries_) + " more";
    text_ += ']';
  }

  std::size_t most_entries_, most_bytes_;
  bool cut_;
  std::string text_;
};

}  // namespace

std::string print(const Layout& type, std::size_t most_bytes) {
  Printer printer(kEverything, most_bytes, false);
  printer.type(type);
  return printer.take();
}

std::string abridged(const Layout& type) {
  Printer printer(12, 4000, true);
  printer.type(type);
  return printer.take();
}

}  // namespace gapless::notation
