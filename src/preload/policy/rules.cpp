#include "preload/policy/rules.hpp"

#include <charconv>

namespace gapless::preload {

namespace {

using Text = std::string_view;

constexpr int kMaxColumns = 32, kMaxRows = 48;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;

// Words of a line, by spaces or tabs.
class Words {
 public:
  explicit Words(Text line) noexcept : left_(line) {}
  // The next one; empty at the end.
  Text next() noexcept {
    skip();
    const std::size_t end = left_.find_first_of(" \t");
    const Text word = left_.substr(0, end);
    left_.remove_prefix(word.size());
    return word;
  }
  // What follows, without spaces at its ends.
  Text rest() noexcept {
    skip();
    const std::size_t last = left_.find_last_not_of(" \t");
    return left_.substr(0, last == Text::npos ? 0 : last + 1);
  }
  bool at_end() noexcept { return rest().empty(); }

 private:
  void skip() noexcept {
    const std::size_t first = left_.find_first_not_of(" \t");
    left_.remove_prefix(first == Text::npos ? left_.size() : first);
  }
  Text left_;
};

bool read_number(Text word, std::int64_t& number) noexcept {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return !word.empty() && error == std::errc() && stop == end && number >= 0 && number <= kMaxBytes;
}

// Finds a word's index among words, or all of them for `*`: [first, last].
template <std::size_t n>
bool read_choice(Text word, const char* const (&words)[n], int& first, int& last) noexcept {
  first = 0;
  last = static_cast<int>(n) - 1;
  if (word == "*") return true;
  for (std::size_t k = 0; k < n; ++k) {
    if (word != words[k]) continue;
    first = last = static_cast<int>(k);
    return true;
  }
  return false;
}

// The index of the ascending value that is nearest to `size` by ratio.
int nearest(const std::int64_t* values, int n, std::int64_t size) noexcept {
  int k = 0;
  while (k + 1 < n && static_cast<double>(size) * static_cast<double>(size) >=
                          static_cast<double>(values[k]) * static_cast<double>(values[k + 1])) {
    ++k;
  }
  return k;
}

class Reader {
 public:
  Reader(Text text, const Here& here, Rules& rules) noexcept : left_(text), here_(here), rules_(rules) {}

  Reading read() noexcept {
    while (reason_ == nullptr && next_line()) line();
    if (reason_ == nullptr) end_table();
    if (reason_ != nullptr) return {Reading::Outcome::kWrong, number_, reason_};
    if (!versioned_) return {Reading::Outcome::kWrong, 0, "it is empty"};
    if (!ended_) return {Reading::Outcome::kWrong, 0, "it was cut off: no 'end'"};
    if (!found_) return {Reading::Outcome::kForeign, 0, "it has no section for this MPI library and processor"};
    return {Reading::Outcome::kTaken, 0, ""};
  }

 private:
  bool next_line() noexcept {
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    line_ = left_.substr(0, end);
    left_.remove_prefix(end == Text::npos ? left_.size() : end + 1);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++number_;
    return true;
  }

  void wrong(const char* reason) noexcept { reason_ = reason; }

  void line() noexcept {
    for (const char c : line_) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return wrong("a control character");
    }
    Words words(line_);
    const Text word = words.next();
    if (word.empty() || word.front() == '#') return;
    if (!versioned_) return version(word, words);
    if (ended_) return wrong("something behind 'end'");
    if (word.front() >= '0' && word.front() <= '9') return row(word, words);
    end_table();
    if (reason_ != nullptr) return;
    if (word == "machine" || word == "made") return;  // for people, and for the command
    if (word == "end") return end(words);
    if (word == "library") return section(words);
    if (word == "vendor") return vendor(words);
    begins_section_ = false;
    if (word == "paired") return paired(words);
    if (word == "split") return split(words);
    if (word == "runs") return columns(words);
    if (word == "table") return table(words);
    wrong("a word that is not known");
  }

  void version(Text word, Words& words) noexcept {
    std::int64_t number = 0;
    if (word != "gapless-rules" || !read_number(words.next(), number) || !words.at_end()) {
      return wrong("it does not begin with 'gapless-rules 1'");
    }
    if (number != kRulesVersion) return wrong("rules of another version than 1");
    versioned_ = true;
  }

  void end(Words& words) noexcept {
    ended_ = true;
    if (!words.at_end()) wrong("more than 'end'");
  }

  void section(Words& words) noexcept {
    const Text name = words.rest();
    if (name.empty()) return wrong("a library without a name");
    // Later sections that fit are checked, and not taken.
    takes_ = !found_ && (name == "*" || here_.library.find(name) != Text::npos);
    found_ = found_ || takes_;
    in_section_ = begins_section_ = true;
    columns_ = 0;
  }

  void vendor(Words& words) noexcept {
    if (!begins_section_) return wrong("'vendor' that does not follow 'library'");
    begins_section_ = false;
    const Text name = words.next();
    if (name.empty() || !words.at_end()) return wrong("'vendor' without a name, one word");
    if (!takes_ || name == here_.vendor) return;
    takes_ = found_ = false;
  }

  void paired(Words& words) noexcept {
    if (!in_section_) return wrong("'paired' before any 'library'");
    std::int64_t bytes = 0;
    const Text smallest = words.next();
    if (smallest == "never") bytes = kNeverPaired;
    if ((bytes == 0 && !read_number(smallest, bytes)) || bytes == 0 || !words.at_end()) {
      return wrong("'paired' without the smallest message, a number of bytes, or 'never'");
    }
    if (takes_) rules_.smallest_paired = bytes;
  }

  void split(Words& words) noexcept {
    if (!in_section_) return wrong("'split' before any 'library'");
    Split range;
    const Text first = words.next();
    const bool is_read = first == "never" || (read_number(first, range.from) && read_number(words.next(), range.to) &&
                                              range.from > 0 && range.from <= range.to);
    if (!is_read || !words.at_end()) {
      return wrong("'split' without the smallest and the largest message, numbers of bytes, or 'never'");
    }
    if (takes_) rules_.split = range;
  }

  void columns(Words& words) noexcept {
    if (!in_section_) return wrong("'runs' before any 'library'");
    columns_ = 0;
    while (!words.at_end()) {
      std::int64_t& value = runs_[columns_];
      if (!read_number(words.next(), value) || value == 0) return wrong("a run's length is no number of bytes");
      if (columns_ > 0 && value <= runs_[columns_ - 1]) return wrong("the runs' lengths do not ascend");
      if (++columns_ == kMaxColumns) return wrong("too many lengths of runs");
    }
    if (columns_ == 0) return wrong("'runs' without lengths");
    for (int run = 0; run < kRunClasses; ++run) {
      column_of_[run] = nearest(runs_, columns_, half_octave_begins(run, kFirstRunPower));
    }
  }

  void table(Words& words) noexcept {
    if (columns_ == 0) return wrong("'table' before any 'runs'");
    const Text operation = words.next();
    // A word of older texts, of what goes by `send` and `receive` now.
    is_ignored_ = operation == "replace";
    if (!is_ignored_ && !read_choice(operation, kOperationWords, first_[0], last_[0]))
      return wrong("an operation that is not known");
    if (!read_choice(words.next(), kDistanceWords, first_[1], last_[1])) return wrong("a distance that is not known");
    if (!read_choice(words.next(), kShapeWords, first_[2], last_[2])) return wrong("a shape that is not known");
    if (!words.at_end()) return wrong("more than an operation, a distance and a shape");
    // A text from before nonblocking sends had a word of their own means these, too; one of today says it behind.
    static_assert(static_cast<int>(Operation::kIpaired) == static_cast<int>(Operation::kPaired) + 1);
    if (last_[0] == static_cast<int>(Operation::kPaired)) last_[0] = static_cast<int>(Operation::kIpaired);
    in_table_ = true;
    rows_ = 0;
  }

  void row(Text word, Words& words) noexcept {
    if (!in_table_) return wrong("a row outside of a table");
    if (rows_ == kMaxRows) return wrong("too many rows");
    if (!read_number(word, sizes_[rows_]) || sizes_[rows_] == 0) return wrong("a message's size is no number of bytes");
    if (rows_ > 0 && sizes_[rows_] <= sizes_[rows_ - 1]) return wrong("the messages' sizes do not ascend");
    const Text cells = words.next();
    if (cells.size() != static_cast<std::size_t>(columns_)) return wrong("not a cell for each length of runs");
    Table::Bits bits;
    for (int k = 0; k < columns_; ++k) {
      const char cell = cells[static_cast<std::size_t>(k)];
      if (cell != '+' && cell != '-' && cell != '>') return wrong("a cell that is none of + - >");
      bits.packed |= static_cast<std::uint32_t>(cell != '-') << k;
      bits.past |= static_cast<std::uint32_t>(cell == '>') << k;
    }
    if (!words.at_end()) return wrong("more than a size and its cells");
    cells_[rows_++] = bits;
  }

  // From measured columns and rows to classes.
  void end_table() noexcept {
    if (!in_table_) return;
    in_table_ = false;
    if (rows_ == 0) return wrong("a table without rows");
    if (!takes_ || is_ignored_) return;
    Table made;
    for (int message = 0; message < kMessageClasses; ++message) {
      const Table::Bits& cells = cells_[nearest(sizes_, rows_, half_octave_begins(message, kFirstMessagePower))];
      Table::Bits bits;
      for (int run = 0; run < kRunClasses; ++run) {
        bits.packed |= (cells.packed >> column_of_[run] & 1) << run;
        bits.past |= (cells.past >> column_of_[run] & 1) << run;
      }
      made.set(message, bits);
    }
    for (int operation = first_[0]; operation <= last_[0]; ++operation) {
      for (int distance = first_[1]; distance <= last_[1]; ++distance) {
        for (int shape = first_[2]; shape <= last_[2]; ++shape) rules_.tables[operation][distance][shape] = made;
      }
    }
  }

  Text left_, line_;
  const Here here_;
  Rules& rules_;
  int number_ = 0;
  const char* reason_ = nullptr;
  bool is_ignored_ = false, versioned_ = false, ended_ = false, in_section_ = false, begins_section_ = false,
       takes_ = false, found_ = false, in_table_ = false;
  int columns_ = 0, rows_ = 0;
  std::int64_t runs_[kMaxColumns] = {}, sizes_[kMaxRows] = {};
  int column_of_[kRunClasses] = {};  // a class of runs to its column
  Table::Bits cells_[kMaxRows];
  int first_[3] = {}, last_[3] = {};
};

}  // namespace

Reading read_rules(std::string_view text, const Here& here, Rules& rules) noexcept {
  Rules overridden = rules;
  const Reading reading = Reader(text, here, overridden).read();
  if (reading.outcome == Reading::Outcome::kTaken) rules = overridden;
  return reading;
}

int rules_name(std::string_view library, char (&name)[kMaxRulesNameLength + 1]) noexcept {
  int length = 0;
  bool gap = false;
  for (const char c : library.substr(0, library.find(','))) {
    const bool is_digit = c >= '0' && c <= '9', is_capital = c >= 'A' && c <= 'Z', is_small = c >= 'a' && c <= 'z';
    if (!is_digit && !is_capital && !is_small) {
      gap = length > 0;
      continue;
    }
    if (length + gap >= kMaxRulesNameLength) break;
    if (gap) name[length++] = '-';
    gap = false;
    name[length++] = is_capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  name[length] = '\0';
  return length;
}

}  // namespace gapless::preload
