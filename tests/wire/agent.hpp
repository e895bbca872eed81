// What one process of a case does, learnt from the real code: an agent is a program whose every look at shared memory
// goes through the words and data below, and is answered by a script. Run with the answers to its first n operations,
// it says which operation is the next; what it does behind that does not count. So the explorer (explorer.hpp) needs no
// threads, and goes back to any state without repeating what led to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gapless::test {

enum class Act : std::uint8_t {
  kLoad,
  kStore,
  kAdd,       // to a word
  kExchange,  // of a word, if it holds what is expected; answered by what it held
  kRead,      // data, not atomic
  kWrite,     // data
  kChoose,    // answered by 0 or 1, each of which is tried
  kWait,      // nothing was found: once more from the last look()
  kEnd,
  kFail,
};

struct Operation {
  Act act = Act::kEnd;
  int place = 0;  // of the word or of the data, by its number
  std::uint32_t value = 0, expected = 0;
  std::memory_order order = std::memory_order_relaxed;
  const char* text = "";
};

// The answers to one run of an agent.
class Script {
 public:
  explicit Script(std::vector<std::uint32_t> answers) : answers_(std::move(answers)) {}

  std::uint32_t act(const Operation& operation) {
    if (is_over_) return 0;
    if (at_ < answers_.size()) return answers_[at_++];
    is_over_ = true;
    next_ = operation;
    return 0;
  }
  // Where a process begins anew that finds nothing.
  void look() {
    if (!is_over_) look_ = at_;
  }
  void wait() { act({.act = Act::kWait}); }
  void fail(const char* text) { act({.act = Act::kFail, .text = text}); }
  bool is_over() const { return is_over_; }
  // For the operation behind all answers.
  const Operation& next() const { return next_; }
  std::size_t look_at() const { return look_; }

 private:
  std::vector<std::uint32_t> answers_;
  std::size_t at_ = 0, look_ = 0;
  bool is_over_ = false;
  Operation next_;
};

inline Script* script = nullptr;  // of the run under way

// In the place of std::atomic<std::uint32_t>. All words are 0 at first.
class ScriptedWord {
 public:
  explicit ScriptedWord(std::uint32_t) noexcept {}
  void set_place(int place) { place_ = place; }
  std::uint32_t load(std::memory_order order) const noexcept {
    return script->act({.act = Act::kLoad, .place = place_, .order = order});
  }
  void store(std::uint32_t value, std::memory_order order) noexcept {
    script->act({.act = Act::kStore, .place = place_, .value = value, .order = order});
  }
  // What it held is not told: nobody asks, and there are fewer states so.
  void fetch_add(std::uint32_t value, std::memory_order order) noexcept {
    script->act({.act = Act::kAdd, .place = place_, .value = value, .order = order});
  }
  void fetch_sub(std::uint32_t value, std::memory_order order) noexcept { fetch_add(-value, order); }
  bool compare_exchange_strong(std::uint32_t& expected, std::uint32_t value, std::memory_order order) noexcept {
    const std::uint32_t held =
        script->act({.act = Act::kExchange, .place = place_, .value = value, .expected = expected, .order = order});
    // Behind all answers no loop goes on.
    const bool is_done = held == expected && !script->is_over();
    expected = script->is_over() ? UINT32_MAX : held;
    return is_done;
  }

 private:
  int place_ = 0;
};

// All that an agent may do, as far as it is known: a node for each sequence of answers.
class Agent {
 public:
  explicit Agent(std::function<void(Script&)> program) : program_(std::move(program)) { learn({}); }

  const Operation& operation(int node) const { return nodes_[static_cast<std::size_t>(node)].operation; }
  int after(int node, std::uint32_t answer) {
    for (const auto& [known, next] : nodes_[static_cast<std::size_t>(node)].next) {
      if (known == answer) return next;
    }
    std::vector<std::uint32_t> answers = nodes_[static_cast<std::size_t>(node)].answers;
    answers.push_back(answer);
    const int next = learn(std::move(answers));
    nodes_[static_cast<std::size_t>(node)].next.emplace_back(answer, next);
    return next;
  }
  // The node of the last look() before this one.
  int before_wait(int node) const {
    const Node& waiting = nodes_[static_cast<std::size_t>(node)];
    int at = 0;
    for (std::size_t k = 0; k < waiting.look; ++k) {
      for (const auto& [answer, next] : nodes_[static_cast<std::size_t>(at)].next) {
        if (answer != waiting.answers[k]) continue;
        at = next;
        break;
      }
    }
    return at;
  }

 private:
  struct Node {
    std::vector<std::uint32_t> answers;
    Operation operation;
    std::size_t look = 0;
    std::vector<std::pair<std::uint32_t, int>> next;
  };

  int learn(std::vector<std::uint32_t> answers) {
    Script run(answers);
    script = &run;
    program_(run);
    script = nullptr;
    nodes_.push_back({std::move(answers), run.next(), run.look_at(), {}});
    return static_cast<int>(nodes_.size()) - 1;
  }

  std::function<void(Script&)> program_;
  std::vector<Node> nodes_;
};

}  // namespace gapless::test
