#include "wire/explorer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

namespace gapless::test {

namespace {

constexpr int kAgents = 3, kWords = 32, kData = 8, kStores = 8;
constexpr int kLongest = 1000;  // steps, of which a right case has some hundred

// Of each agent, up to which of its releases another knows what it did.
using Clock = std::array<std::uint8_t, kAgents>;

Clock joined(Clock a, const Clock& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = std::max(a[k], b[k]);
  return a;
}

struct Store {
  std::uint32_t value = 0;
  Clock released{};  // what an acquiring load learns
  std::uint8_t by = 0, at = 0;
  bool is_known_to(const Clock& clock) const { return at <= clock[by]; }
};

// A word's stores in their order, as many as anybody may still find.
struct Cell {
  int n = 1;
  std::array<std::int8_t, kAgents> seen{};  // an agent finds no store before the one that it has found
  std::array<Store, kStores> stores{};
};

struct Data {
  std::uint32_t value = 0;
  std::uint8_t by = 0, at = 0;
  Clock read{};
};

struct State {
  std::array<int, kAgents> node{};
  std::array<Clock, kAgents> clock{};
  std::array<Cell, kWords> cells{};
  std::array<Data, kData> data{};
};

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

class Explorer {
 public:
  Explorer(std::vector<Agent>& agents, int words, int data, const std::vector<int>& zero_at_end)
      : agents_(agents), n_(agents.size()), words_(words), data_(data), zero_at_end_(zero_at_end) {
    if (n_ > kAgents || words > kWords || data > kData) std::abort();
  }

  Explored run() {
    State first;
    for (std::size_t a = 0; a < n_; ++a) first.clock[a][a] = 1;
    visit(first, {-1, 0, 0, 0});
    look_for_dead_ends();
    return {static_cast<std::int64_t>(ways_.size()), ways_[0], std::move(failure_)};
  }

 private:
  // How a state was reached first.
  struct Origin {
    int from;
    std::size_t agent;
    int node;
    std::uint32_t answer;
  };

  int visit(State& state, const Origin& origin) {
    trim(state);
    const auto [found, is_new] = known_.try_emplace(hash(state), static_cast<int>(ways_.size()));
    const int id = found->second;
    if (!is_new) return id;
    ways_.push_back(0);
    origins_.push_back(origin);
    if (depth_ == kLongest) {
      fail("it goes on for ever", id);
      return id;
    }
    ++depth_;
    double ways = 0;
    bool is_end = true;
    for (std::size_t a = 0; a < n_ && failure_.empty(); ++a) {
      const Operation& next = operation(state, a);
      if (next.act == Act::kEnd) continue;
      is_end = false;
      // A choice concerns nobody else: it is made before anything else is done.
      if (next.act == Act::kChoose) {
        ways = step(state, a, id);
        break;
      }
      ways += step(state, a, id);
    }
    if (is_end) {
      ways = 1;
      ends_.push_back(id);
      for (const int word : zero_at_end_) {
        const Cell& cell = state.cells[static_cast<std::size_t>(word)];
        if (cell.stores[static_cast<std::size_t>(cell.n - 1)].value != 0) {
          fail("word " + std::to_string(word) + " is not 0 at the end", id);
        }
      }
    }
    --depth_;
    ways_[static_cast<std::size_t>(id)] = ways;
    return id;
  }

  const Operation& operation(const State& state, std::size_t a) const { return agents_[a].operation(state.node[a]); }

  // Goes on from `next`, in which agent `a` has done its operation, whose answer it was.
  double go_on(State& next, std::size_t a, int id, std::uint32_t answer) {
    const int node = next.node[a];
    next.node[a] = agents_[a].after(node, answer);
    const int to = visit(next, {id, a, node, answer});
    edges_.emplace_back(to, id);
    return ways_[static_cast<std::size_t>(to)];
  }

  // All that may come of the next operation of agent `a`; returns the number of ways to an end.
  double step(const State& state, std::size_t a, int id) {
    const Operation next = operation(state, a);
    const auto place = static_cast<std::size_t>(next.place);
    const Clock& clock = state.clock[a];
    State then;
    switch (next.act) {
      case Act::kWait:
        then = state;
        then.node[a] = agents_[a].before_wait(state.node[a]);
        edges_.emplace_back(visit(then, {id, a, state.node[a], 0}), id);
        return 0;
      case Act::kChoose: {
        double ways = 0;
        for (const std::uint32_t choice : {0u, 1u}) {
          then = state;
          ways += go_on(then, a, id, choice);
        }
        return ways;
      }
      case Act::kLoad: {
        const Cell& cell = state.cells[place];
        double ways = 0;
        for (int k = oldest(cell, a, clock); k < cell.n && failure_.empty(); ++k) {
          const Store& store = cell.stores[static_cast<std::size_t>(k)];
          const Clock learnt = acquires(next.order) ? joined(clock, store.released) : clock;
          // To find the same value in a later store, and learn no more by it, only hides the stores between.
          if (k > oldest(cell, a, clock)) {
            const Store& before = cell.stores[static_cast<std::size_t>(k - 1)];
            if (before.value == store.value && (!acquires(next.order) || joined(clock, before.released) == learnt)) {
              continue;
            }
          }
          then = state;
          then.clock[a] = learnt;
          then.cells[place].seen[a] = static_cast<std::int8_t>(k);
          ways += go_on(then, a, id, store.value);
        }
        return ways;
      }
      case Act::kStore:
      case Act::kAdd:
      case Act::kExchange: {
        then = state;
        Cell& cell = then.cells[place];
        const Store before = cell.stores[static_cast<std::size_t>(cell.n - 1)];
        const bool modifies = next.act != Act::kStore;
        if (next.act == Act::kExchange && before.value != next.expected) {
          // It fails, as a load of the last store; an older one would be what is expected, or lead to no other state.
          if (acquires(next.order)) then.clock[a] = joined(clock, before.released);
          cell.seen[a] = static_cast<std::int8_t>(cell.n - 1);
          return go_on(then, a, id, before.value);
        }
        if (cell.n == kStores) {
          fail("more stores than the explorer keeps", id);
          return 0;
        }
        Store& store = cell.stores[static_cast<std::size_t>(cell.n)];
        store = {.value = next.value, .released = {}, .by = static_cast<std::uint8_t>(a), .at = clock[a]};
        if (modifies) {
          if (acquires(next.order)) then.clock[a] = joined(clock, before.released);
          if (next.act == Act::kAdd) store.value += before.value;
          store.released = before.released;  // a read-modify-write goes on with the release before it
        }
        if (releases(next.order)) {
          store.released = joined(store.released, then.clock[a]);
          ++then.clock[a][a];
        }
        cell.seen[a] = static_cast<std::int8_t>(cell.n++);
        return go_on(then, a, id, next.act == Act::kExchange ? before.value : 0);
      }
      case Act::kRead:
      case Act::kWrite: {
        then = state;
        Data& data = then.data[place];
        bool is_ordered = data.at <= clock[data.by];
        for (std::size_t k = 0; k < n_ && next.act == Act::kWrite; ++k) is_ordered &= data.read[k] <= clock[k];
        if (!is_ordered) {
          fail("a race", id);
          return 0;
        }
        if (next.act == Act::kRead) {
          data.read[a] = clock[a];
        } else {
          data = {.value = next.value, .by = static_cast<std::uint8_t>(a), .at = clock[a], .read = {}};
        }
        return go_on(then, a, id, next.act == Act::kRead ? data.value : 0);
      }
      case Act::kFail:
        fail(next.text, id);
        return 0;
      case Act::kEnd:
        break;
    }
    return 0;
  }

  // The first store that this agent may find.
  static int oldest(const Cell& cell, std::size_t a, const Clock& clock) {
    int k = cell.n - 1;
    while (k > cell.seen[a] && !cell.stores[static_cast<std::size_t>(k)].is_known_to(clock)) --k;
    return k;
  }

  // States are the same in which the same may happen: forgets the stores that nobody may find.
  void trim(State& state) const {
    for (std::size_t w = 0; w < static_cast<std::size_t>(words_); ++w) {
      Cell& cell = state.cells[w];
      int first = cell.n - 1;
      for (std::size_t a = 0; a < n_; ++a) {
        const bool is_done = operation(state, a).act == Act::kEnd;
        cell.seen[a] = static_cast<std::int8_t>(is_done ? cell.n - 1 : oldest(cell, a, state.clock[a]));
        first = std::min<int>(first, cell.seen[a]);
      }
      if (first == 0) continue;
      std::move(cell.stores.begin() + first, cell.stores.begin() + cell.n, cell.stores.begin());
      cell.n -= first;
      for (std::size_t a = 0; a < n_; ++a) cell.seen[a] = static_cast<std::int8_t>(cell.seen[a] - first);
    }
  }

  std::uint64_t hash(const State& state) const {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    const auto add = [&h](std::uint64_t value) {
      h = (h ^ value) * 0xff51afd7ed558ccd;
      h ^= h >> 32;
    };
    const auto add_clock = [&add](const Clock& clock) { add(clock[0] | clock[1] << 8 | clock[2] << 16); };
    for (std::size_t a = 0; a < n_; ++a) {
      add(static_cast<std::uint64_t>(state.node[a]));
      add_clock(state.clock[a]);
    }
    for (std::size_t w = 0; w < static_cast<std::size_t>(words_); ++w) {
      const Cell& cell = state.cells[w];
      add(static_cast<std::uint64_t>(cell.n));
      for (std::size_t a = 0; a < n_; ++a) add(static_cast<std::uint64_t>(cell.seen[a]));
      for (std::size_t k = 0; k < static_cast<std::size_t>(cell.n); ++k) {
        const Store& store = cell.stores[k];
        add(std::uint64_t{store.value} << 32 | static_cast<std::uint64_t>(store.by << 8 | store.at));
        add_clock(store.released);
      }
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(data_); ++d) {
      const Data& data = state.data[d];
      add(std::uint64_t{data.value} << 32 | static_cast<std::uint64_t>(data.by << 8 | data.at));
      add_clock(data.read);
    }
    return h;
  }

  // Of each state an end must be reachable; and if only looks in vain are left, none is.
  void look_for_dead_ends() {
    if (!failure_.empty()) return;
    std::sort(edges_.begin(), edges_.end());
    std::vector<bool> good(ways_.size());
    std::vector<int> open = ends_;
    for (const int end : ends_) good[static_cast<std::size_t>(end)] = true;
    while (!open.empty()) {
      const int to = open.back();
      open.pop_back();
      for (auto edge = std::lower_bound(edges_.begin(), edges_.end(), std::pair{to, 0});
           edge != edges_.end() && edge->first == to; ++edge) {
        if (good[static_cast<std::size_t>(edge->second)]) continue;
        good[static_cast<std::size_t>(edge->second)] = true;
        open.push_back(edge->second);
      }
    }
    const auto bad = std::find(good.begin(), good.end(), false);
    if (bad != good.end()) fail("from here nobody comes to an end", static_cast<int>(bad - good.begin()));
  }

  void fail(const std::string& what, int id) {
    if (!failure_.empty()) return;
    std::string way;
    for (int at = id; at >= 0 && origins_[static_cast<std::size_t>(at)].from >= 0;) {
      const Origin& origin = origins_[static_cast<std::size_t>(at)];
      static constexpr const char* kNames[] = {"load",  "store",  "add",  "exchange", "read",
                                               "write", "choose", "wait", "end",      "fail"};
      const Operation& done = agents_[origin.agent].operation(origin.node);
      char line[128];
      std::snprintf(line, sizeof line, "  agent %zu: %s at %d, value %u, answer %u\n", origin.agent,
                    kNames[static_cast<int>(done.act)], done.place, done.value, origin.answer);
      way = line + way;
      at = origin.from;
    }
    failure_ = what + ", after\n" + way;
  }

  std::vector<Agent>& agents_;
  std::size_t n_;
  int words_, data_;
  const std::vector<int>& zero_at_end_;
  std::unordered_map<std::uint64_t, int> known_;
  std::vector<double> ways_;  // from each state to an end
  std::vector<Origin> origins_;
  std::vector<std::pair<int, int>> edges_;  // to, from
  std::vector<int> ends_;
  std::string failure_;
  int depth_ = 0;
};

}  // namespace

Explored explore(std::vector<Agent>& agents, int words, int data, const std::vector<int>& zero_at_end) {
  return Explorer(agents, words, data, zero_at_end).run();
}

}  // namespace gapless::test
