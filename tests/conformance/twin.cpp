#include "twin.hpp"

#include <cstring>

namespace conformance {

namespace {

constexpr std::int64_t kLongest = 1 << 18;

// Bit 0: on at rank 0, bit 1: on at rank 1, bit 2: the other way round from half time on.
constexpr int kWays = 8;
bool is_on(int way, int rank, bool second_half) {
  const bool at_first = (way >> (rank & 1) & 1) != 0;
  return second_half && (way & 4) != 0 ? !at_first : at_first;
}

// Beyond what the libraries send at once, and beyond what they pack in one piece.
MPI_Datatype large_type(int which) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (which % 4) {
    case 0:
      MPI_Type_vector(12000, 1, 3, MPI_DOUBLE, &type);
      break;
    case 1:
      MPI_Type_vector(60000, 2, 3, MPI_SHORT, &type);
      break;
    case 2: {
      const int sizes[] = {40, 60, 50}, subsizes[] = {20, 31, 25}, starts[] = {7, 11, 13};
      MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
      break;
    }
    default: {
      std::vector<int> lengths, places;
      for (int k = 0; k < 4000; ++k) lengths.push_back(1 + k % 5), places.push_back(7 * k + k % 2);
      MPI_Type_indexed(4000, lengths.data(), places.data(), MPI_FLOAT, &type);
    }
  }
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

bool lacks(const char* procedure) {
  const char* const list = std::getenv("CONFORMANCE_LACKS");
  return list != nullptr &&
         (',' + std::string(list) + ',').find(',' + std::string(procedure) + ',') != std::string::npos;
}

void Transcript::note(const std::string& what, long long value) {
  entries_.push_back({what, value, {}});
}

void Transcript::note_status(const std::string& what, const MPI_Status& status, MPI_Datatype type, bool has_elements) {
  int cancelled = -1;
  MPI_Test_cancelled(&status, &cancelled);
  note(what + ": error", status.MPI_ERROR);
  note(what + ": cancelled", cancelled);
  if (type == MPI_DATATYPE_NULL || cancelled != 0) return;
  note(what + ": source", status.MPI_SOURCE);
  note(what + ": tag", status.MPI_TAG);
  int size = 0, bytes = -1, elements = -1, count = -1;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  note(what + ": bytes", bytes);
  // MPICH divides by the size of a type that has none, MPI_Get_elements even by that of a part of one.
  MPI_Type_size(type, &size);
  if (size == 0) return;
  MPI_Get_count(&status, type, &count);
  note(what + ": count", count);
  if (!has_elements) return;
  MPI_Get_elements(&status, type, &elements);
  note(what + ": elements", elements);
}

void Transcript::note_bytes(const std::string& what, const test::Field& field) {
  entries_.push_back({what, 0, {field}});
}

void Transcript::append(const Transcript& part) {
  entries_.insert(entries_.end(), part.entries_.begin(), part.entries_.end());
}

std::string Transcript::difference(const Transcript& other) const {
  for (std::size_t k = 0; k < entries_.size() && k < other.entries_.size(); ++k) {
    const Entry &a = entries_[k], &b = other.entries_[k];
    if (a.what != b.what) return "plain: " + a.what + ", layer: " + b.what;
    if (a.value != b.value) return a.what + ": plain " + std::to_string(a.value) + ", layer " + std::to_string(b.value);
    if (!(a.bytes == b.bytes)) {
      return a.what + ": bytes differ from " + std::to_string(a.bytes[0].first_difference(b.bytes[0])) + " on";
    }
  }
  if (entries_.size() != other.entries_.size()) return "one saw more than the other";
  return "";
}

MPI_Status marked_status() {
  MPI_Status status;
  std::memset(&status, 0x77, sizeof status);
  return status;
}

test::Field Message::field(int salt) const {
  return test::Field(span, 64 * seed + static_cast<std::uint64_t>(salt));
}

Twin::Twin(int* argc, char*** argv, int threads) {
  int provided = 0;
  MPI_Init_thread(argc, argv, threads, &provided);
  CHECK(provided >= threads, "this library has not these threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  layer_ = test::layer();
  CHECK(layer_.counts(), "GAPLESS_STATS=1 is needed");
}

Twin::~Twin() {
  if (rank_ == 0 && compared_ > 0) std::printf("%lld twins, %lld observations\n", compared_, noted_);
  MPI_Finalize();
}

void Twin::compare(const std::string& name, const Scenario& scenario) {
  Transcript plain;
  has_half_time_ = 0;
  for (int way = 0; way < (has_half_time_ != 0 ? kWays : kWays / 2); ++way) {
    way_ = way;
    MPI_Barrier(MPI_COMM_WORLD);
    layer_.set(is_on(way, rank_, false));
    Transcript seen;
    scenario(seen);
    layer_.set(true);
    if (way == 0) {
      MPI_Allreduce(MPI_IN_PLACE, &has_half_time_, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      plain = std::move(seen);
      continue;
    }
    const std::string difference = plain.difference(seen);
    CHECK(difference.empty(), "rank %d, %s, way %d: %s", rank_, name.c_str(), way, difference.c_str());
    ++compared_;
    noted_ += static_cast<long long>(seen.size());
  }
}

bool Twin::is_on_at_first() const {
  return is_on(way_, rank_, false);
}

void Twin::half_time() {
  has_half_time_ = 1;
  layer_.set(is_on(way_, rank_, true));
}

bool Twin::library_moves(const Message& message) {
  if (!test::library_is("Open MPI")) return true;
  layer_.set(false);
  MPI_Datatype type;  // with a first use of its own
  MPI_Type_dup(message.type, &type);
  int moves = 1;
  test::Field from = message.field(0);
  if (rank_ == 0) MPI_Send(from.buffer(), message.count, type, 1, 0, MPI_COMM_WORLD);
  if (rank_ == 1) {
    test::Field to = message.field(1), wanted = to;
    std::vector<char> packed(static_cast<std::size_t>(message.span.size));
    const int bytes = static_cast<int>(message.span.size);
    MPI_Recv(to.buffer(), message.count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int position = 0;
    MPI_Pack(from.buffer(), message.count, type, packed.data(), bytes, &position, MPI_COMM_SELF);
    position = 0;
    MPI_Unpack(packed.data(), bytes, &position, wanted.buffer(), message.count, type, MPI_COMM_SELF);
    moves = to == wanted ? 1 : 0;
  }
  MPI_Bcast(&moves, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  layer_.set(true);
  return moves != 0;
}

void Twin::for_each_message(int count, std::uint64_t seed, const std::function<void(const Message&)>& use) {
  int left_out = 0;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t own_seed = 1000 * seed + static_cast<std::uint64_t>(k);
    test::Random random(own_seed);
    Message message{k % 8 == 7 ? large_type(k / 8) : test::random_type(random, true).type,
                    k % 8 == 7 ? 1 : 1 + random.below(3),
                    {},
                    own_seed};
    message.span = test::span_of(message.type, message.count);
    const bool fits = message.span.size <= kLongest && message.span.high - message.span.low <= kLongest;
    if (message.span.size > 0 && (fits || k % 8 == 7)) {  // without data: odd.cpp
      if (library_moves(message)) {
        use(message);
      } else {
        ++left_out;
      }
    }
    MPI_Type_free(&message.type);
  }
  CHECK(left_out <= 1 + count / 100, "%d messages of %d are wrong without the layer", left_out, count);
}

}  // namespace conformance
