// A table that keeps at least the `Most` entries that were used last, and at most twice as many: two generations, of
// which the older one goes when the younger one is full.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>

namespace gapless::channel {

template <class Key, class Value, std::size_t Most, class Hash = std::hash<Key>>
class Recent {
 public:
  // nullptr if it is not known (any more); valid until the next call.
  Value* find(const Key& key) {
    if (const auto at = young_.find(key); at != young_.end()) return &at->second;
    const auto at = old_.find(key);
    if (at == old_.end()) return nullptr;
    Value value = std::move(at->second);
    old_.erase(at);
    return &insert(key, std::move(value));
  }
  Value& insert(const Key& key, Value value) {
    if (young_.size() >= Most) {
      old_ = std::move(young_);
      young_.clear();
    }
    return young_.insert_or_assign(key, std::move(value)).first->second;
  }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    std::erase_if(young_, predicate);
    std::erase_if(old_, predicate);
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& entry : young_) visit(entry.second);
    for (const auto& entry : old_) visit(entry.second);
  }

 private:
  std::unordered_map<Key, Value, Hash> young_, old_;
};

}  // namespace gapless::channel
