#include "wire/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/pages.hpp"
#include "base/process.hpp"
#include "wire/channels.hpp"
#include "wire/memory_file.hpp"
#include "wire/reach.hpp"

namespace gapless::wire {

namespace {

constexpr std::uint64_t kMagic = 0x3265726977706167;  // "gapwire2"
constexpr std::uint32_t kLeastGroup = 8;              // chunks; by so many a pool grows, at least
// Of a process, at most: each group of its own or of a peer's may be a part of the mapping that the system lists, of
// which it allows 65530 (vm.max_map_count).
constexpr std::uint32_t kMaxGroups = 1024;
constexpr std::int64_t kRecordBytes = kRecords * sizeof(Control<Word>);

using base::in_whole_pages;

std::string with_errno(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

// Processes that see each other's numbers and beginnings have the same; 0 if there is no /proc.
std::uint64_t pid_namespace() noexcept {
  struct stat numbers{}, times{};
  if (stat("/proc/self/ns/pid", &numbers) != 0) return 0;
  return stat("/proc/self/ns/time", &times) == 0 ? numbers.st_ino << 32 ^ times.st_ino : numbers.st_ino;
}

}  // namespace

struct Segment::Header {
  std::uint64_t magic;
  std::uint64_t pid_namespace;
  std::int64_t cap;
  std::int32_t processes;
  std::uint32_t max_chunks;
  std::uint64_t cookie[2];
  alignas(64) std::atomic<std::int64_t> used;
  alignas(64) std::atomic<std::uint64_t> channels_taken[kChannels / 64];
};

// What a process says of itself.
struct alignas(64) Segment::Member {
  std::atomic<std::uint64_t> began;  // 0: has not attached yet
  std::atomic<std::int64_t> pid;
  std::atomic<std::uint32_t> chunks;
  std::atomic<std::uint32_t> accepts;
  std::atomic<std::uint64_t> probe_at;  // the address of its probe_
  alignas(64) std::atomic<std::uint64_t> announced;
  alignas(64) std::atomic<std::uint64_t> reached_by[kMaxProcesses / 64];
  alignas(64) Stores stores;
  alignas(64) HeapOfProcess heap;
  alignas(64) std::atomic<std::int64_t> heap_mapped_by[kMaxProcesses];
};

void Segment::set_layout(int processes, std::uint32_t max_chunks) noexcept {
  processes_ = processes;
  max_chunks_ = max_chunks;
  channels_at_ =
      in_whole_pages(static_cast<std::int64_t>(sizeof(Header)) + processes * static_cast<std::int64_t>(sizeof(Member)));
  channel_bytes_ = in_whole_pages(bytes_of_channel(processes));
  records_at_ = channels_at_ + kChannels * channel_bytes_;
  records_bytes_ = in_whole_pages(kRecordBytes);
  groups_at_ = records_at_ + processes * records_bytes_;
  group_ = std::max(kLeastGroup, std::bit_ceil((max_chunks + kMaxGroups - 1) / kMaxGroups));
  chunks_at_ = in_whole_pages(group_ * static_cast<std::int64_t>(sizeof(Control<Word>)));
  group_bytes_ = in_whole_pages(chunks_at_ + group_ * kChunkBytes);
  bytes_ = group_of(0, (max_chunks + group_ - 1) / group_ * group_);
}

int Segment::make(int processes, std::int64_t cap, std::string& why) {
  Segment plan;
  if (processes < 2 || processes > kMaxProcesses) {
    why = processes < 2 ? "one process on this node"
                        : "more than " + std::to_string(kMaxProcesses) + " processes on this node";
    return -1;
  }
  // A process alone may use half of it.
  plan.set_layout(processes, static_cast<std::uint32_t>(std::clamp<std::int64_t>(cap / 2 / kChunkBytes, 0, 1 << 20)));
  if (plan.max_chunks_ == 0) {
    why = "GAPLESS_PAIRED_BYTES is too small";
    return -1;
  }
  if (is_limited(RLIMIT_FSIZE, plan.bytes_)) {
    why = "the size of files is limited (RLIMIT_FSIZE)";
    return -1;
  }
  const int file = memfd_create("gapless", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0 || ftruncate(file, plan.bytes_) != 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
      fallocate(file, 0, 0, plan.channels_at_) != 0) {
    why = with_errno("no shared memory");
    if (file >= 0) close(file);
    return -1;
  }
  void* const start =
      mmap(nullptr, static_cast<std::size_t>(plan.channels_at_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) {
    why = with_errno("no shared memory");
    close(file);
    return -1;
  }
  auto& header = *static_cast<Header*>(start);
  header.pid_namespace = pid_namespace();
  header.cap = cap;
  header.processes = processes;
  header.max_chunks = plan.max_chunks_;
  // Without it no header is told from data.
  if (getrandom(header.cookie, sizeof header.cookie, GRND_NONBLOCK) != sizeof header.cookie) header.cookie[0] = 0;
  header.magic = kMagic;
  munmap(start, static_cast<std::size_t>(plan.channels_at_));
  return file;
}

Segment::Member& Segment::member(int process) const noexcept {
  return reinterpret_cast<Member*>(base_ + sizeof(Header))[process];
}

Stores& Segment::stores(int process) noexcept {
  return member(process).stores;
}

void Segment::make_room_for_descriptor() noexcept {
  const int any = ::open("/", O_PATH | O_CLOEXEC);
  if (any >= 0) close(with_high_number(any));
}

bool Segment::attach(int descriptor, int self, std::string& why) {
  descriptor_ = with_high_number(descriptor);
  file_ = FileIdentity::of(descriptor_);
  const auto fail = [&](std::string reason) {
    detach();
    why = std::move(reason);
    return false;
  };
  Header header;
  struct stat file{};
  fstat(descriptor_, &file);
  // The header's atomics are plain words in the file.
  if (pread(descriptor_, static_cast<void*>(&header), sizeof header, 0) != sizeof header || header.magic != kMagic ||
      header.processes < 2 || header.processes > kMaxProcesses || self < 0 || self >= header.processes) {
    return fail("the shared memory is not of this layer");
  }
  set_layout(header.processes, header.max_chunks);
  if (file.st_size != bytes_) return fail("the shared memory is not of this layer");
  self_ = self;
  // What a limited program has of address space it may need itself.
  if (is_limited(RLIMIT_AS, INT64_MAX)) return fail("address space is limited (RLIMIT_AS)");
  const std::uint64_t began = base::beginning_of(getpid());
  if (began == 0) return fail("no /proc to see in whether another process has ended");
  if (header.pid_namespace != pid_namespace()) return fail("processes of this node are in different PID namespaces");
  void* const start =
      mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_NONE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (start == MAP_FAILED) return fail(with_errno("no address space for shared memory"));
  base_ = static_cast<char*>(start);
  pid_ = getpid();
  madvise(base_, static_cast<std::size_t>(bytes_), MADV_DONTFORK);
  madvise(base_, static_cast<std::size_t>(bytes_), MADV_DONTDUMP);
  if (!open(0, channels_at_) || !commit(records_of(self), records_bytes_) || !open(records_of(self), records_bytes_)) {
    return fail("no memory for the pool's records");
  }
  Member& own = member(self);
  own.pid.store(getpid(), std::memory_order_relaxed);
  probe_ = header.cookie[0];
  own.probe_at.store(reinterpret_cast<std::uintptr_t>(&probe_), std::memory_order_relaxed);
  own.began.store(began, std::memory_order_release);
  return true;
}

bool Segment::is_mapped_here() const noexcept {
  return getpid() == pid_;
}

void Segment::detach() noexcept {
  // A child of fork may have something of its own there.
  if (base_ != nullptr && is_mapped_here()) munmap(base_, static_cast<std::size_t>(bytes_));
  if (descriptor_ >= 0 && is_own_descriptor()) close(descriptor_);
  base_ = nullptr;
  descriptor_ = -1;
  for (auto& chunks : opened_) chunks.store(0, std::memory_order_relaxed);
}

std::int64_t Segment::used_bytes() const noexcept {
  return header().used.load(std::memory_order_relaxed);
}

std::int64_t Segment::cap_bytes() const noexcept {
  return header().cap;
}

std::uint32_t Segment::chunks_of(int process) const noexcept {
  return std::min(member(process).chunks.load(std::memory_order_acquire), max_chunks_);
}

void Segment::accept(bool on) noexcept {
  member(self_).accepts.store(on && header().cookie[0] != 0 ? 1 : 0, std::memory_order_seq_cst);
}

bool Segment::accepts(int process) const noexcept {
  return member(process).accepts.load(std::memory_order_seq_cst) != 0;
}

void Segment::announce(int to) noexcept {
  member(to).announced.fetch_add(1, std::memory_order_seq_cst);
}

void Segment::withdraw(int to) noexcept {
  member(to).announced.fetch_sub(1, std::memory_order_seq_cst);
}

std::uint64_t Segment::announced_here() const noexcept {
  return member(self_).announced.load(std::memory_order_seq_cst);
}

auto Segment::cookie() const noexcept -> const std::uint64_t (&)[2] {
  return header().cookie;
}

bool Segment::is_own_descriptor() const noexcept {
  return FileIdentity::of(descriptor_) == file_;
}

// The kernel's promise that there is memory for these pages.
bool Segment::commit(std::int64_t at, std::int64_t bytes) noexcept {
  if (!is_own_descriptor()) return false;
  int code;
  do code = fallocate(descriptor_, 0, at, bytes);
  while (code != 0 && errno == EINTR);
  return code == 0;
}

bool Segment::use(std::int64_t bytes) noexcept {
  if (header().used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= header().cap) return true;
  header().used.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

bool Segment::open(std::int64_t at, std::int64_t bytes) noexcept {
  return mprotect(base_ + at, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE) == 0;
}

// Where a process has as many mappings as it may (vm.max_map_count) no other can be cut out of this one; as a whole it
// needs no cut. A peer's message lies there, and nobody else can read it.
bool Segment::open_to_read(std::int64_t at, std::int64_t bytes) noexcept {
  return open(at, bytes) || open(0, bytes_);
}

template <class Each>
std::uint32_t Segment::for_groups(int process, std::uint32_t from, std::uint32_t to, Each each) const noexcept {
  while (from < to) {
    const std::uint32_t first = from / group_ * group_, next = std::min(first + group_, to);
    if (!each(group_of(process, from), chunks_at_ + (next - first) * kChunkBytes)) break;
    from = next;
  }
  return from;
}

std::uint32_t Segment::grow(std::uint32_t wanted) noexcept {
  const std::uint32_t now = chunks_of(self_);
  if (wanted <= now) return now;
  std::uint32_t then = std::min(std::max(wanted, now + kLeastGroup), max_chunks_);
  if (then == now) return now;
  if (!use((then - now) * kChunkBytes)) {
    then = std::min(wanted, max_chunks_);
    if (!use((then - now) * kChunkBytes)) return now;
  }
  const std::uint32_t grown =
      for_groups(self_, now, then, [this](auto at, auto bytes) { return commit(at, bytes) && open(at, bytes); });
  if (grown < then) header().used.fetch_sub((then - grown) * kChunkBytes, std::memory_order_relaxed);
  opened_[self_].store(grown, std::memory_order_release);
  member(self_).chunks.store(grown, std::memory_order_release);
  return grown;
}

bool Segment::open_pool(int process, std::uint32_t chunk) noexcept {
  const std::uint32_t chunks = chunks_of(process), before = opened_[process].load(std::memory_order_acquire);
  if (chunk >= chunks || (before == 0 && !open_to_read(records_of(process), records_bytes_))) return false;
  if (for_groups(process, before, chunks, [this](auto at, auto bytes) { return open_to_read(at, bytes); }) < chunks) {
    return false;
  }
  // Another thread may have opened more meanwhile; then the difference is opened again.
  opened_[process].store(chunks, std::memory_order_release);
  return true;
}

bool Segment::is_running(int process) const noexcept {
  const std::uint64_t began = member(process).began.load(std::memory_order_acquire);
  return began == 0 || base::is_running(member(process).pid.load(std::memory_order_relaxed), began);
}

bool Segment::reaches(int process, int* refusal) noexcept {
  if (reach_[process].load(std::memory_order_relaxed) == Reach::kNotAsked) {
    std::uint64_t found = 0;
    const iovec here{&found, sizeof found};
    const iovec there{reinterpret_cast<void*>(member(process).probe_at.load(std::memory_order_relaxed)), sizeof found};
    const bool is_read = read_memory(pid_of(process), {&here, 1}, {&there, 1});
    const bool can = is_read && found == header().cookie[0];
    if (!can && refusal != nullptr) *refusal = is_read ? ESRCH : errno;  // another one's memory
    if (can) {
      member(process).reached_by[self_ / 64].fetch_or(std::uint64_t{1} << self_ % 64, std::memory_order_relaxed);
    }
    reach_[process].store(can ? Reach::kYes : Reach::kNo, std::memory_order_relaxed);
  }
  return reach_[process].load(std::memory_order_relaxed) == Reach::kYes;
}

bool Segment::is_reached_by(int process) const noexcept {
  return (member(self_).reached_by[process / 64].load(std::memory_order_relaxed) >> process % 64 & 1) != 0;
}

std::int64_t Segment::pid_of(int process) const noexcept {
  return member(process).pid.load(std::memory_order_relaxed);
}

auto Segment::heap_of(int process) noexcept -> HeapOfProcess& {
  return member(process).heap;
}

void Segment::set_heap_mapped(int process, std::int64_t bytes) noexcept {
  member(process).heap_mapped_by[self_].store(bytes, std::memory_order_release);
}

std::int64_t Segment::heap_mapped_by(int process) const noexcept {
  return member(self_).heap_mapped_by[process].load(std::memory_order_acquire);
}

std::atomic<std::uint64_t>* Segment::channels_taken() noexcept {
  return header().channels_taken;
}

char* Segment::open_channel(int number, std::int64_t bytes) noexcept {
  if (number < 0 || number >= kChannels || in_whole_pages(bytes) > channel_bytes_) return nullptr;
  const std::int64_t at = channels_at_ + number * channel_bytes_;
  return open(at, in_whole_pages(bytes)) ? base_ + at : nullptr;
}

bool Segment::grow_channel(int number, std::int64_t bytes) noexcept {
  if (!use(in_whole_pages(bytes))) return false;
  if (commit(channels_at_ + number * channel_bytes_, in_whole_pages(bytes))) return true;
  header().used.fetch_sub(in_whole_pages(bytes), std::memory_order_relaxed);
  return false;
}

void Segment::shrink_channel(int number, std::int64_t bytes) noexcept {
  if (is_own_descriptor()) {
    fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, channels_at_ + number * channel_bytes_,
              in_whole_pages(bytes));
  }
  header().used.fetch_sub(in_whole_pages(bytes), std::memory_order_relaxed);
}

}  // namespace gapless::wire
