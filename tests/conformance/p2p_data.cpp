#include "p2p_data.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string_view>

#include "paired.hpp"

namespace conformance {

namespace {

constexpr std::int64_t kGuard = 64;
constexpr unsigned char kClear = 0xA5;

// Of any seed and element, and each bit of it.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + k * 0xD1B54A32D192ED03u + 0x2545F4914F6CDD1Du;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  return z ^ (z >> 29);
}

MPI_Datatype basic_type(Basic basic) {
  switch (basic) {
    case Basic::kInts:
      return MPI_INT;
    case Basic::kLongDoubles:
      return MPI_LONG_DOUBLE;
    case Basic::kBytes:
      return MPI_BYTE;
    default:
      return MPI_DOUBLE;
  }
}

int basic_bytes(Basic basic) {
  return basic == Basic::kInts ? 4 : basic == Basic::kLongDoubles ? 16 : basic == Basic::kBytes ? 1 : 8;
}

// Of a long double those that are its value.
constexpr int kLongDoubleBytes = 10;

template <std::size_t kBytes, class Number>
void put(unsigned char* at, Number number) {
  std::memcpy(at, &number, kBytes);
}

// A double and another one at these places.
MPI_Datatype pair_type(std::int64_t double_at, std::int64_t other_at, MPI_Datatype other, std::int64_t extent) {
  const int ones[] = {1, 1};
  const MPI_Aint places[] = {static_cast<MPI_Aint>(double_at), static_cast<MPI_Aint>(other_at)};
  const MPI_Datatype types[] = {MPI_DOUBLE, other};
  MPI_Datatype both, type;
  MPI_Type_create_struct(2, ones, places, types, &both);
  MPI_Type_create_resized(both, 0, static_cast<MPI_Aint>(extent), &type);
  MPI_Type_free(&both);
  return type;
}

}  // namespace

class Memory::Allocated : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* base = nullptr;
    CHECK(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &base) == MPI_SUCCESS, "MPI_Alloc_mem");
    return base;
  }
  void do_deallocate(void* base, std::size_t, std::size_t) override {
    CHECK(MPI_Free_mem(base) == MPI_SUCCESS, "MPI_Free_mem");
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

Memory::Memory() {
  const char* const set = std::getenv("CONFORMANCE_MEMORY");
  const std::string_view where = set == nullptr ? "" : set;
  if (where == "window") {
    constexpr MPI_Aint kRoomBytes = 64 << 20;
    void* base = nullptr;
    MPI_Win_allocate_shared(kRoomBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
    room_ = std::make_unique<std::pmr::monotonic_buffer_resource>(base, kRoomBytes, std::pmr::new_delete_resource());
    std::pmr::set_default_resource(room_.get());
  } else if (where == "alloc") {
    allocated_ = std::make_unique<Allocated>();
    std::pmr::set_default_resource(allocated_.get());
  }
}

Memory::~Memory() {
  std::pmr::set_default_resource(nullptr);
  if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

Buffer::Buffer(Basic basic, Layout layout, int units) : basic_(basic), layout_(layout), units_(units) {
  describe();
  const std::int64_t first = std::min<std::int64_t>(0, place(units - 1));
  const std::int64_t last = std::max(place(units - 1), place(0)) + unit_extent_;
  origin_ = kGuard - first;
  bytes_.resize(static_cast<std::size_t>(last - first + 2 * kGuard));
  clear();
}

Buffer::~Buffer() {
  free_type();
}

void Buffer::free_type() {
  if (owns_type_) MPI_Type_free(&type_);
  owns_type_ = false;
}

void Buffer::describe() {
  const bool has_gaps = layout_ != Layout::kContiguous && layout_ != Layout::kPacked;
  MPI_Datatype unit = basic_type(basic_);
  const int bytes = basic_bytes(basic_);
  unit_bytes_ = unit_bytes(basic_);
  if (is_mixed(basic_)) {
    const bool swapped = layout_ == Layout::kReversed;
    const int other = unit_bytes_ - bytes;
    pieces_ = {{swapped ? 8 : 0, 8, 8}, {swapped ? 0 : 8, other, other}};
    unit_extent_ = has_gaps ? 16 : unit_bytes_;
    unit = layout_ == Layout::kPairType
               ? MPI_DOUBLE_INT
               : pair_type(pieces_[0].at, pieces_[1].at, other == 4 ? MPI_INT : MPI_CHAR, unit_extent_);
  } else {
    pieces_ = {{0, bytes, std::min(bytes, kLongDoubleBytes)}};
    unit_extent_ = bytes;
  }
  const int together = basic_ == Basic::kBytes ? 24 : 4;
  if (layout_ == Layout::kBlocks && units_ % together == 0) block_ = together;
  const std::int64_t gap = (basic_ == Basic::kBytes ? 8 : 1) * unit_extent_;
  const bool is_run = !has_gaps || layout_ == Layout::kPairType;
  stride_ = is_run ? block_ * unit_extent_ : block_ * unit_extent_ + gap;
  if (layout_ == Layout::kReversed) stride_ = -stride_;
  const bool made = is_mixed(basic_) && layout_ != Layout::kPairType;
  if (layout_ == Layout::kPacked) {
    type_ = MPI_PACKED;
    count_ = units_ * unit_bytes_;
  } else if (is_run) {
    type_ = unit;
    count_ = units_;
    owns_type_ = made;
    if (made) MPI_Type_commit(&type_);
    return;
  } else if (layout_ == Layout::kMany) {
    MPI_Type_create_resized(unit, 0, static_cast<MPI_Aint>(stride_), &type_);
    count_ = units_;
    owns_type_ = true;
  } else {
    MPI_Type_create_hvector(units_ / block_, block_, static_cast<MPI_Aint>(stride_), unit, &type_);
    owns_type_ = true;
  }
  if (owns_type_) MPI_Type_commit(&type_);
  if (made) MPI_Type_free(&unit);
}

std::int64_t Buffer::place(int unit) const {
  return unit / block_ * stride_ + unit % block_ * unit_extent_;
}

// A good part of what these tests take is this: a loop for each basic type.
void Buffer::draw(Bytes& image, std::uint64_t seed, int units) const {
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const auto each = [&](auto put) {
      for (int first = 0; first < units; first += block_) {
        unsigned char* at = image.data() + origin_ + place(first) + pieces_[k].at;
        const int end = std::min(units, first + block_);
        for (int unit = first; unit < end; ++unit, at += unit_extent_) {
          put(at, mixed(seed, static_cast<std::uint64_t>(unit) * pieces_.size() + k) >> 11);
        }
      }
    };
    switch (pieces_[k].bytes) {
      case 16:
        each(
            [](unsigned char* at, std::uint64_t value) { put<kLongDoubleBytes>(at, static_cast<long double>(value)); });
        break;
      case 8:
        each([](unsigned char* at, std::uint64_t value) { put<8>(at, static_cast<double>(value)); });
        break;
      case 4:
        each([](unsigned char* at, std::uint64_t value) { put<4>(at, value); });
        break;
      default:
        each([](unsigned char* at, std::uint64_t value) { put<1>(at, value); });
    }
  }
}

void Buffer::clear() {
  std::fill(bytes_.begin(), bytes_.end(), kClear);
}

bool Buffer::has(std::uint64_t seed, int units) const {
  Bytes expected = bytes_;
  draw(expected, seed, units);
  return expected == bytes_;
}

void Buffer::expect(std::uint64_t seed, int units, const std::string& what) const {
  Bytes expected(bytes_.size(), kClear), seen = bytes_;
  draw(expected, seed, units);
  // What lies behind the value of a long double may come or not.
  for (const Piece& piece : pieces_) {
    for (int unit = 0; unit < units && piece.significant < piece.bytes; ++unit) {
      unsigned char* const at = seen.data() + origin_ + place(unit) + piece.at;
      std::fill(at + piece.significant, at + piece.bytes, kClear);
    }
  }
  if (seen == expected) return;
  const auto at = std::mismatch(seen.begin(), seen.end(), expected.begin()).first - seen.begin();
  CHECK(false, "%s: %lld bytes of layout %d, of basic %d: differ at %lld of %zu bytes", what.c_str(), bytes(),
        static_cast<int>(layout_), static_cast<int>(basic_), static_cast<long long>(at - origin_), bytes_.size());
}

void Buffer::expect_gaps(const std::string& what) const {
  Bytes seen = bytes_;
  for (int unit = 0; unit < units_; ++unit) {
    for (const Piece& piece : pieces_) {
      unsigned char* const at = seen.data() + origin_ + place(unit) + piece.at;
      std::fill(at, at + piece.bytes, kClear);
    }
  }
  for (std::size_t k = 0; k < seen.size(); ++k) {
    CHECK(seen[k] == kClear, "%s: byte %lld of %zu, in a gap", what.c_str(), static_cast<long long>(k) - origin_, k);
  }
}

void Buffer::expect_count(const MPI_Status& status, int units, const std::string& what) const {
  int count = -77, elements = -77;
  MPI_Get_count(&status, type_, &count);
  MPI_Get_elements(&status, type_, &elements);
  // Open MPI counts a pair type as one element.
  const bool is_one = layout_ == Layout::kPairType && library_is("Open MPI");
  const int per_unit = layout_ == Layout::kPacked ? unit_bytes_ : is_one ? 1 : static_cast<int>(pieces_.size());
  const int per_type = layout_ == Layout::kPacked ? 1 : units_ / count_;
  const int whole = layout_ == Layout::kPacked ? units * unit_bytes_ : units / per_type;
  const bool fits = layout_ == Layout::kPacked || units % per_type == 0;
  CHECK(elements == units * per_unit, "%s: %d elements, not %d", what.c_str(), elements, units * per_unit);
  CHECK(count == (fits ? whole : MPI_UNDEFINED), "%s: a count of %d, not %d", what.c_str(), count,
        fits ? whole : MPI_UNDEFINED);
}

int unit_bytes(Basic basic) {
  return basic == Basic::kPairs ? 12 : basic == Basic::kUneven ? 9 : basic_bytes(basic);
}

bool is_pairable(Basic basic, Layout layout, int units) {
  const bool is_strided = layout != Layout::kContiguous && layout != Layout::kPacked && layout != Layout::kPairType;
  return has_shared_memory() && (is_strided || is_forced()) &&
         static_cast<long long>(units) * unit_bytes(basic) >= smallest_pairable();
}

MPI_Status unset_status() {
  MPI_Status status;
  std::memset(&status, 0x77, sizeof status);
  return status;
}

void expect_envelope(const MPI_Status& status, int source, int tag, const std::string& what) {
  int cancelled = -1;
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled == 0, "%s: cancelled %d", what.c_str(), cancelled);
  CHECK(status.MPI_SOURCE == source && status.MPI_TAG == tag, "%s: from %d with tag %d, not from %d with %d",
        what.c_str(), status.MPI_SOURCE, status.MPI_TAG, source, tag);
  CHECK(status.MPI_ERROR == MPI_SUCCESS || status.MPI_ERROR == unset_status().MPI_ERROR, "%s: error %d", what.c_str(),
        status.MPI_ERROR);
}

bool has_shared_memory() {
  static const bool has = shared_bytes() > 0;
  return has;
}

bool is_forced() {
  static const char* const word = std::getenv("GAPLESS_FORCE");
  return word != nullptr && std::strcmp(word, "1") == 0;
}

long long smallest_pairable() {
  static const char* const word = std::getenv("GAPLESS_SMALLEST_PAIRED");
  const long long set = word != nullptr ? std::atoll(word) : is_forced() ? 1 : 16384;
  return std::max(3840ll, set);
}

// The file that the layer counts in (src/preload/stats/counters.cpp): a line that names the numbers, and they.
long long counted(const std::string& field) {
  static std::string path, line;
  static const bool is_there = [] {
    const char* const folder = std::getenv("GAPLESS_RUN_DIR");
    DIR* const files = folder == nullptr ? nullptr : opendir(folder);
    if (files == nullptr) return false;
    const std::string ending = "." + std::to_string(getpid()) + ".counters";
    while (const dirent* const file = readdir(files)) {
      const std::string name = file->d_name;
      if (name.size() > ending.size() && name.ends_with(ending)) path = folder + ("/" + name);
    }
    closedir(files);
    std::ifstream all(path);
    return !path.empty() && static_cast<bool>(std::getline(all, line));
  }();
  if (!is_there) return -1;
  const auto names = [](const char* list) {
    const std::size_t from = line.find(std::string("\"") + list + "\":[");
    const std::size_t to = line.find(']', from);
    std::vector<std::string> found;
    std::stringstream text(line.substr(from + std::strlen(list) + 4, to - from - std::strlen(list) - 4));
    for (std::string name; std::getline(text, name, ',');) found.push_back(name.substr(1, name.size() - 2));
    return found;
  };
  static const std::vector<std::string> fields = names("fields"), procedures = names("procedures");
  static const std::size_t numbers = fields.size() + names("declined").size() + names("unpaired").size();
  const auto at = std::find(fields.begin(), fields.end(), field) - fields.begin();
  std::vector<long long> all(numbers * procedures.size());
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t wanted = static_cast<ssize_t>(all.size() * sizeof all[0]);
  const ssize_t got = pread(file, all.data(), static_cast<std::size_t>(wanted), static_cast<off_t>(line.size() + 1));
  close(file);
  CHECK(got == wanted, "the counters of this process");
  long long sum = 0;
  for (std::size_t k = 0; k < procedures.size(); ++k) sum += all[k * numbers + static_cast<std::size_t>(at)];
  return sum;
}

void Tally::expect_all(const std::string& what) {
  const long long sent = counted("paired_sent") - sent_before_;
  const long long received = counted("paired_received") - received_before_;
  if (counted("paired_sent") >= 0) {
    CHECK(sent == sent_, "%s: %lld messages sent through shared memory, not %lld", what.c_str(), sent, sent_.load());
    CHECK(received == received_, "%s: %lld messages received through shared memory, not %lld", what.c_str(), received,
          received_.load());
  }
  restart();
}

void Tally::expect_none(const std::string& what) {
  sent_ = 0;
  received_ = 0;
  expect_all(what);
}

void Tally::restart() {
  sent_ = 0;
  received_ = 0;
  sent_before_ = counted("paired_sent");
  received_before_ = counted("paired_received");
}

Comm::Comm(MPI_Comm of) : comm(of) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  rank_of.resize(all.size());
  MPI_Group mine, whole;
  MPI_Comm_group(comm, &mine);
  MPI_Comm_group(MPI_COMM_WORLD, &whole);
  MPI_Group_translate_ranks(whole, size, all.data(), mine, rank_of.data());
  MPI_Group_free(&whole);
  MPI_Group_free(&mine);
}

std::vector<Comm> some_comms() {
  const Members world(MPI_COMM_WORLD);
  MPI_Comm copy, turned, torus;
  const int periodic = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world.rank, &turned);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world.size, &periodic, 1, &torus);
  std::vector<Comm> comms;
  for (const MPI_Comm comm : {MPI_COMM_WORLD, copy, turned, torus}) comms.emplace_back(comm);
  return comms;
}

void free_comms(std::vector<Comm>& comms) {
  for (std::size_t k = 1; k < comms.size(); ++k) MPI_Comm_free(&comms[k].comm);
  comms.clear();
}

}  // namespace conformance
