#include "channel/layouts.hpp"

#include <algorithm>
#include <array>

namespace gapless::channel {

namespace fabric = wire::fabric;

namespace {

// Puts ranges in order, and joins those that are less than `gap` apart.
void join(std::vector<Range>& ranges, std::int64_t gap) {
  std::ranges::sort(ranges, {}, &Range::offset);
  std::size_t last = 0;
  for (std::size_t k = 1; k < ranges.size(); ++k) {
    const std::int64_t end = ranges[last].offset + ranges[last].bytes;
    if (ranges[k].offset < end + gap)
      ranges[last].bytes = std::max(end, ranges[k].offset + ranges[k].bytes) - ranges[last].offset;
    else
      ranges[++last] = ranges[k];
  }
  if (!ranges.empty()) ranges.resize(last + 1);
}

Shape shape(OwnFormPtr form, std::int64_t count) {
  Shape made;
  if (__builtin_mul_overflow(form->type.size(), count, &made.bytes))
    throw fabric::Failure(fabric::Fault::kOverflow, "a message beyond 63 bits of bytes");
  made.count = count;
  constexpr std::int64_t kBatch = 256;
  constexpr std::size_t kMostCollected = 1 << 14;
  std::array<gapless_iov, kBatch> pieces;
  std::int64_t position = 0, gap = fabric::Memory::kPage;
  while (position < made.bytes) {
    std::int64_t entries = 0, bytes = 0;
    must(gapless_iov_export(nullptr, count, form->type.get(), position, pieces.data(), kBatch, &entries, &bytes));
    for (std::int64_t k = 0; k < entries; ++k) {
      const Range run{
          static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(pieces[static_cast<std::size_t>(k)].base)),
          pieces[static_cast<std::size_t>(k)].length};
      if (made.runs++ == 0) made.shortest = run.bytes;
      made.shortest = std::min(made.shortest, run.bytes);
      Range* last = made.ranges.empty() ? nullptr : &made.ranges.back();
      if (last != nullptr && run.offset >= last->offset && run.offset < last->offset + last->bytes + gap)
        last->bytes = std::max(last->bytes, run.offset + run.bytes - last->offset);
      else
        made.ranges.push_back(run);
    }
    position += bytes;
    for (; made.ranges.size() > kMostCollected; gap *= 4) join(made.ranges, gap);
  }
  for (join(made.ranges, gap); made.ranges.size() > kMostPlaces; join(made.ranges, gap)) gap *= 4;
  made.is_contiguous = made.runs == 1;
  made.form = std::move(form);
  return made;
}

}  // namespace

const fabric::Region* Placement::region_of(const char* piece, std::int64_t bytes) const noexcept {
  // Ranges are in order of their offsets; regions may be wider.
  const std::int64_t offset = piece - base_;
  const auto& ranges = shape_->ranges;
  const auto after = std::ranges::upper_bound(ranges, offset, {}, &Range::offset);
  if (after == ranges.begin()) return nullptr;
  const auto index = static_cast<std::size_t>(after - ranges.begin() - 1);
  return offset + bytes <= ranges[index].offset + ranges[index].bytes ? regions_[index].get() : nullptr;
}

void Placement::registered(fabric::Memory& memory, bool aside) noexcept {
  try {
    std::vector<fabric::RegionPtr> regions;
    regions.reserve(shape_->ranges.size());
    for (const Range& range : shape_->ranges) regions.push_back(memory.reach(base_ + range.offset, range.bytes, aside));
    regions_ = std::move(regions);
    state_.store(State::kReady, std::memory_order_release);
  } catch (const std::exception&) {
    // Memory with a gap that nothing is mapped in, or more than may be pinned: it goes by way of buffers.
    state_.store(State::kImpossible, std::memory_order_release);
  }
}

void Placement::release() noexcept {
  if (!is_ready()) return;
  regions_.clear();
  state_.store(State::kUnknown, std::memory_order_release);
}

bool Placement::ask() noexcept {
  State expected = State::kUnknown;
  return state_.compare_exchange_strong(expected, State::kAsked);
}

OwnFormPtr Layouts::form_of(gapless_type type) {
  std::uint64_t id = 0;
  must(gapless_type_id(type, &id));
  ++now_;
  if (const auto* known = by_id_.find(id)) {
    (*known)->used = now_;
    return *known;
  }
  std::string bytes = Type::bytes_of(type);
  if (const auto known = forms_.find(bytes); known != forms_.end()) {
    known->second->used = now_;
    by_id_.insert(id, known->second);
    return known->second;
  }
  auto form = std::make_shared<OwnForm>();
  form->type = Type(std::as_bytes(std::span(bytes)));
  form->used = now_;
  if (generations_.size() < kMostForms) {
    form->number = static_cast<std::uint32_t>(generations_.size());
    generations_.push_back(0);
  } else {
    const auto oldest = std::ranges::min_element(forms_, {}, [](const auto& entry) { return entry.second->used; });
    form->number = oldest->second->number;
    form->generation = ++generations_[form->number];
    const OwnForm* gone = oldest->second.get();
    shapes_.erase_if([gone](const auto& entry) { return entry.first.form == gone; });
    by_id_.erase_if([gone](const auto& entry) { return entry.second.get() == gone; });
    forms_.erase(oldest);
  }
  form->bytes = bytes;
  forms_.emplace(std::move(bytes), form);
  by_id_.insert(id, form);
  return form;
}

ShapePtr Layouts::shape_of(gapless_type type, std::int64_t count) {
  if (count < 0)
    throw fabric::Failure(fabric::Fault::kArgument, "the count must be at least 0, not " + std::to_string(count));
  const OwnFormPtr form = form_of(type);
  if (const ShapePtr* known = shapes_.find({form.get(), count})) return *known;
  return shapes_.insert({form.get(), count}, std::make_shared<const Shape>(shape(form, count)));
}

PlacementPtr Layouts::placement_of(const ShapePtr& shape, void* base) {
  const PlacementPtr* found = placements_.find({shape.get(), base});
  const PlacementPtr known =
      found != nullptr
          ? *found
          : placements_.insert({shape.get(), base}, std::make_shared<Placement>(shape, static_cast<char*>(base)));
  ++known->uses;
  ++known->in_use;
  return known;
}

void Layouts::make_ready_aside(const PlacementPtr& placement) {
  if (!placement->ask()) return;
  const std::lock_guard guard(lock_);
  queue_.push_back(placement);
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  asked_.notify_one();
}

void Layouts::work() {
  std::unique_lock guard(lock_);
  while (true) {
    asked_.wait(guard, [this] { return is_ending_ || !queue_.empty(); });
    if (is_ending_) return;
    const PlacementPtr placement = std::move(queue_.front());
    queue_.pop_front();
    is_working_ = true;
    guard.unlock();
    placement->registered(memory_, true);
    guard.lock();
    is_working_ = false;
    done_.notify_one();
  }
}

void Layouts::forget(char* base, std::int64_t bytes) {
  const auto overlaps = [&](const char* first, std::int64_t length) {
    return first < base + bytes && base < first + length;
  };
  // What it is made of, and what it is registered with, which may be wider.
  const auto lies_there = [&](const Placement& placement) {
    return std::ranges::any_of(
               placement.shape().ranges,
               [&](const Range& range) { return overlaps(placement.base() + range.offset, range.bytes); }) ||
           (placement.is_ready() && std::ranges::any_of(placement.regions(), [&](const fabric::RegionPtr& region) {
              return overlaps(region->base, region->bytes);
            }));
  };
  {
    // The thread beside must not register it afterwards.
    std::unique_lock guard(lock_);
    std::erase_if(queue_, [&](const PlacementPtr& placement) { return lies_there(*placement); });
    done_.wait(guard, [this] { return !is_working_; });
  }
  placements_.erase_if([&](const auto& entry) { return lies_there(*entry.second); });
  memory_.forget(base, bytes);
}

std::int64_t Layouts::memory_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const auto& [key, form] : forms_) bytes += sizeof *form + 2 * form->bytes.size();
  shapes_.each([&](const ShapePtr& shape) { bytes += sizeof *shape + shape->ranges.size() * sizeof(Range); });
  placements_.each([&](const PlacementPtr& place) {
    bytes += sizeof *place + place->shape().ranges.size() * sizeof(fabric::RegionPtr);
  });
  return static_cast<std::int64_t>(bytes);
}

Layouts::~Layouts() {
  {
    const std::lock_guard guard(lock_);
    is_ending_ = true;
  }
  asked_.notify_one();
  if (worker_.joinable()) worker_.join();
}

}  // namespace gapless::channel
