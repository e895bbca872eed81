// Places that are free, of a fixed number of them, in classes: any one of a class, or one by its number.
#pragma once

#include <vector>

namespace gapless::alltoall {

class FreePlaces {
 public:
  explicit FreePlaces(int places, int classes = 1)
      : is_free_(static_cast<std::size_t>(places), false), released_(static_cast<std::size_t>(classes)) {}
  void release(int place, int of_class = 0) {
    is_free_[static_cast<std::size_t>(place)] = true;
    released_[static_cast<std::size_t>(of_class)].push_back(place);
  }
  // False if it is not free.
  bool take(int place) {
    const bool was_free = is_free_[static_cast<std::size_t>(place)];
    is_free_[static_cast<std::size_t>(place)] = false;
    return was_free;
  }
  // The one released last; -1 if there is none. Those taken by number meanwhile are passed over, each once.
  int take_any(int of_class = 0) {
    std::vector<int>& released = released_[static_cast<std::size_t>(of_class)];
    while (!released.empty()) {
      const int place = released.back();
      released.pop_back();
      if (take(place)) return place;
    }
    return -1;
  }

 private:
  std::vector<char> is_free_;
  std::vector<std::vector<int>> released_;
};

}  // namespace gapless::alltoall
