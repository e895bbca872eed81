#include "phases.hpp"

#include "mpi_type.hpp"

#include <mpi.h>

#include <cstdlib>
#include <utility>

namespace gapless::lab::exchange {
namespace {

class Stamped final : public Packing {
 public:
  Stamped(std::unique_ptr<Packing> packing, Stamps& stamps) : packing_(std::move(packing)), stamps_(stamps) {}
  int pack(const char* from, char* packed) const override {
    int bytes = 0;
    stamps_.pack.add(stamps_.clock_reading_ns, [&] { bytes = packing_->pack(from, packed); });
    return bytes;
  }
  void unpack(const char* packed, int bytes, char* to) const override {
    stamps_.unpack.add(stamps_.clock_reading_ns, [&] { packing_->unpack(packed, bytes, to); });
  }

 private:
  std::unique_ptr<Packing> packing_;
  Stamps& stamps_;
};

bool has_buffer(MethodKind method) {
  return method != MethodKind::kNative && method != MethodKind::kGapless && method != MethodKind::kLocal &&
         method != MethodKind::kPersistent && method != MethodKind::kPut;
}

}  // namespace

bool has_types(MethodKind method) {
  return !is_by_hand(method) && method != MethodKind::kManual && method != MethodKind::kEngine &&
         method != MethodKind::kEngineSend && method != MethodKind::kPackElement;
}

std::unique_ptr<Packing> stamped(std::unique_ptr<Packing> packing, Stamps& stamps) {
  return std::make_unique<Stamped>(std::move(packing), stamps);
}

Preparation prepare_types(const Message& message) {
  Preparation taken;
  for (const End* end : {&message.send, &message.receive}) {
    if (end == &message.receive && !message.has_unlike_ends()) break;
    TimedType made = make_timed_type(*end->type);
    taken.create_ns += made.construct_ns;
    taken.commit_ns += made.commit_ns;
    const double start_ns = now_ns();
    made.type = MpiType();
    taken.free_ns += now_ns() - start_ns;
  }
  return taken;
}

Preparation prepare_once(MethodKind method, const Message& message) {
  Preparation taken = has_types(method) ? prepare_types(message) : Preparation{};
  if (!has_buffer(method)) return taken;
  const double start_ns = now_ns();
  // Volatile: what is never used would not be allocated either.
  void* volatile buffer = std::malloc(static_cast<std::size_t>(message.packed_capacity));
  const double made_ns = now_ns();
  std::free(buffer);
  taken.create_ns += made_ns - start_ns;
  taken.free_ns += now_ns() - made_ns;
  return taken;
}

Phases reduce_phases(const std::vector<PhaseSample>& samples, bool ping_pong, Place place) {
  constexpr std::size_t kPhases = 6;
  const double ranks = place.ranks, each = ping_pong ? 1 : ranks;
  std::vector<double> own, all(kPhases * samples.size());
  for (const PhaseSample& of : samples) {
    const Writing &pack = of.stamps.pack, &unpack = of.stamps.unpack;
    // Rank 0 waits while the other one works, so that its round trip has the work of both.
    const double whole_ns = ping_pong && place.rank != 0 ? 0 : of.whole_ns;
    const double known_ns = pack.ns + pack.clock_ns + unpack.ns + unpack.clock_ns + of.writing.ns + of.writing.clock_ns;
    const Preparation& once = of.preparation;
    own.insert(own.end(), {once.create_ns / ranks, once.commit_ns / ranks, pack.ns / each, (whole_ns - known_ns) / each,
                           unpack.ns / each, once.free_ns / ranks});
  }
  MPI_Reduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  Phases phases;
  for (std::size_t at = 0; at < all.size(); at += kPhases) {
    std::vector<double>* const of[kPhases] = {&phases.create,      &phases.commit, &phases.pack,
                                              &phases.communicate, &phases.unpack, &phases.free};
    for (std::size_t i = 0; i < kPhases; ++i) of[i]->push_back(all[at + i]);
  }
  return phases;
}

}  // namespace gapless::lab::exchange
