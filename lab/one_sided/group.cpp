#include "group.hpp"

#include "../agreement.hpp"
#include "../bytes.hpp"
#include "../exchange/agree.hpp"
#include "../exchange/barrier.hpp"
#include "../exchange/mpi_type.hpp"
#include "../exchange/type_map.hpp"
#include "normal_type.hpp"
#include "operation.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <numeric>
#include <optional>
#include <random>

#include "layout/signature.hpp"

namespace gapless::lab::one_sided {
namespace {

using exchange::Runs;
using exchange::together;

constexpr char kLocalGap = '\x5a', kRemoteGap = '\x33';  // unlike, so that gaps carried along are seen

constexpr std::int64_t kInt = 4;

layout::LayoutPtr int32() {
  return layout::named(*layout::find_named("int32"));
}

double now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

char payload_byte(std::int64_t at) {
  // No power of two divides the period: shifted data are never right.
  return static_cast<char>(1 + at % 251);
}

void put_payload(const Runs& runs, char* image) {
  std::int64_t at = 0;
  for (const test::Entry& run : runs)
    for (std::int64_t k = 0; k < run.bytes; ++k) image[run.displacement + k] = payload_byte(at++);
}

struct Member {
  std::string name;
  MpiType type;
  Call call;
  const Runs* local = nullptr;  // where the data are
  const Runs* remote = nullptr;
  bool layer = false;  // on
};

class Group {
 public:
  Group(const OperationSpec& spec, const Case& one, const GroupSettings& settings) : spec_(spec), settings_(settings) {
    together([&] { describe(one); });
    operation_ =
        spec.carrier == Carrier::kFile ? make_file_operation(spec, place()) : make_window_operation(spec, place());
  }

  GroupResult run() {
    GroupResult result;
    result.payload_bytes = payload_;
    for (Member& member : members_) prove(member, result);
    std::vector<std::size_t> order(proved_.size());
    std::iota(order.begin(), order.end(), 0);
    for (const Member* member : proved_) result.members.push_back({member->name, {}});
    std::mt19937_64 random(settings_.seed);
    for (int rep = 0; rep < settings_.reps; ++rep) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) result.members[i].ns.push_back(sample(*proved_[i]));
    }
    for (const Member* member : proved_) check(*member);
    return result;
  }

 private:
  Place place() { return {local_->data(), staging_->data(), span_, settings_.folder, settings_.rank}; }

  void describe(const Case& one) {
    const std::vector<Description> all = one.descriptions();
    const Description& plainest = all.front();
    payload_ = plainest.count * plainest.type->size;
    runs_ = exchange::type_map(*plainest.type, plainest.count);
    for (const test::Entry& run : runs_) span_ = std::max(span_, run.displacement + run.bytes);
    dense_ = {{0, payload_}};
    local_.emplace(static_cast<std::size_t>(span_));
    staging_.emplace(static_cast<std::size_t>(payload_));
    image_.emplace(static_cast<std::size_t>(span_));
    found_.emplace(static_cast<std::size_t>(span_));
    for (const Description& description : all) add(description);
    const layout::LayoutPtr whole = layout::contiguous(plainest.count, plainest.type);
    const layout::LayoutPtr normal = normal_type(*whole);
    if (!normal) throw VerificationError("the normal form is no type");
    add({"normalised", 1, normal});
    if (spec_.derived == Derived::kLocal) add_packed(plainest);
    add_contiguous();
    if (!settings_.layer->present() || spec_.carrier != Carrier::kFile) return;
    add(plainest);
    members_.back().name = "gapless";
    members_.back().layer = true;
  }

  void add(const Description& description) {
    if (const auto wrong = exchange::difference(runs_, exchange::type_map(*description.type, description.count)))
      throw VerificationError(description.name + ": " + *wrong);
    if (!(layout::Signature(*description.type, description.count) == layout::Signature(*int32(), payload_ / kInt)))
      throw VerificationError(description.name + ": not the signature of its message");
    Member member;
    member.name = description.name;
    member.type = exchange::make_type(*description.type);
    const End derived{static_cast<int>(description.count), member.type.handle()};
    const End dense{static_cast<int>(payload_ / kInt), MPI_INT};
    member.call.local = spec_.derived == Derived::kRemote ? dense : derived;
    member.call.remote = spec_.derived == Derived::kLocal ? dense : derived;
    member.local = spec_.derived == Derived::kRemote ? &dense_ : &runs_;
    member.remote = spec_.derived == Derived::kLocal ? &dense_ : &runs_;
    members_.push_back(std::move(member));
  }

  void add_packed(const Description& description) {
    Member member;
    member.name = "packed";
    plan_ = plan::compile(*description.type);
    member.call = {{static_cast<int>(payload_ / kInt), MPI_INT},
                   {static_cast<int>(payload_ / kInt), MPI_INT},
                   plan_.get(),
                   description.count};
    member.local = &runs_;
    member.remote = &dense_;
    members_.push_back(std::move(member));
  }

  void add_contiguous() {
    Member member;
    member.name = "contiguous";
    member.call.local = member.call.remote = {static_cast<int>(payload_ / kInt), MPI_INT};
    member.local = member.remote = &dense_;
    members_.push_back(std::move(member));
  }

  // Before a verified transfer: the payload where it comes from, else nothing but gaps.
  void reset(const Member& member) {
    local_->fill(kLocalGap);
    image_->fill(kRemoteGap);
    if (spec_.out) {
      put_payload(*member.local, local_->data());
    } else {
      put_payload(*member.remote, image_->data());
    }
    operation_->store(image_->data());
    exchange::barrier(settings_.rank, 2);
  }

  // Every byte of the side that received, and of the one that sent.
  std::optional<std::string> wrong(const Member& member) {
    if (settings_.rank == 0) {
      image_->fill(kLocalGap);
      put_payload(*member.local, image_->data());
      if (std::memcmp(image_->data(), local_->data(), image_->size()) != 0) return "wrong data in the local memory";
    }
    if (operation_->holds()) {
      image_->fill(kRemoteGap);
      put_payload(*member.remote, image_->data());
      operation_->load(found_->data());
      if (std::memcmp(image_->data(), found_->data(), image_->size()) != 0) return "wrong data in the window or file";
    }
    return std::nullopt;
  }

  void prove(Member& member, GroupResult& result) {
    try {
      together([&] { operation_->prepare(member.call); });
      check(member);
      proved_.push_back(&member);
    } catch (const exchange::Refused& refusal) {
      result.refused.emplace_back(member.name, refusal.what());
    }
  }

  void check(const Member& member) {
    reset(member);
    operation_->prepare(member.call);
    settings_.layer->set(member.layer);
    together([&] { operation_->perform(member.call); });
    settings_.layer->set(false);
    exchange::barrier(settings_.rank, 2);
    agree_or_throw(wrong(member), member.name);
  }

  // Rank 1 waits in the barrier, where the library makes progress for what it must do itself.
  double sample(const Member& member) {
    const Call& call = member.call;
    constexpr std::int64_t kTogether =
        32'000;  // bytes: so much at least is timed at once, lest the clock's noise matter
    const auto inner = static_cast<int>(std::max<std::int64_t>(1, kTogether / payload_));
    operation_->prepare(call);
    exchange::barrier(settings_.rank, 2);
    settings_.layer->set(member.layer);
    double ns = 0;
    if (operation_->performs()) {
      operation_->perform(call);
      const double from = now_ns();
      for (int i = 0; i < inner; ++i) operation_->perform(call);
      ns = (now_ns() - from) / inner;
    }
    settings_.layer->set(false);
    exchange::barrier(settings_.rank, 2);
    return ns;
  }

  OperationSpec spec_;
  GroupSettings settings_;
  std::int64_t payload_ = 0, span_ = 0;
  Runs runs_, dense_;
  std::optional<Bytes> local_, staging_, image_, found_;
  plan::PlanPtr plan_;
  std::vector<Member> members_;
  std::vector<const Member*> proved_;
  std::unique_ptr<Operation> operation_;
};

}  // namespace

GroupResult run_group(const OperationSpec& spec, const Case& one, const GroupSettings& settings) {
  return Group(spec, one, settings).run();
}

}  // namespace gapless::lab::one_sided
