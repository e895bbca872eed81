#include "preload/watch/book.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>

#include "base/immortal.hpp"
#include "base/status.hpp"
#include "base/ticks.hpp"
#include "notation/print.hpp"
#include "preload/stats/run_file.hpp"

namespace gapless::preload {

namespace {

constexpr std::size_t kShared = kProcedureCount;  // entries at the beginning, one a procedure
static_assert(kShared < kMaxEntries / 4);

// Two moments in both units give the length of a tick.
struct Clock {
  std::int64_t opened_ticks = 0, opened_ns = 0, latest_ticks = 0, latest_ns = 0;
  std::int64_t began_ticks = 0, ended_ticks = 0;  // the world; 0: not yet
  std::int64_t used = 0;                          // entries
  std::int64_t left_out = 0;                      // entries that had no room
};

struct Pages {
  Clock clock;
  std::array<Entry, kMaxEntries> entries;
};
constexpr const char* kClockNames[] = {"opened_ticks", "opened_ns",   "latest_ticks", "latest_ns",
                                       "began_ticks",  "ended_ticks", "used",         "left_out"};
static_assert(sizeof(Clock) == sizeof(std::int64_t) * std::size(kClockNames));
constexpr const char* kRoleNames[] = {"other", "send", "receive", "pack", "unpack", "file"};

constexpr std::size_t kLongestText = std::size_t{1} << 20;  // of a layout; a longer one is abridged
constexpr std::size_t kMostText = std::size_t{16} << 20;    // of all of them in this process
constexpr std::size_t kMostKept = std::size_t{16} << 20;    // of the arguments of all that are kept, likewise

struct Known {
  std::int32_t number;
  mpi::DatatypePtr type;  // kept, so that no other one gets its address
};

struct Book {
  std::mutex mutex;
  Pages* pages = nullptr;
  int words = -1;  // the file
  std::size_t text_bytes = 0, kept_bytes = 0;
  std::unordered_map<const mpi::Datatype*, Known> layouts;
  std::unordered_map<const void*, std::int32_t> sites;
};
Book& book() noexcept {
  return base::immortal<Book>();  // a program may call MPI in its static destructors
}

template <std::size_t n>
std::string list(const char* const (&names)[n]) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "[\"" : ",\"") + std::string(name) + '"';
  return text + ']';
}

std::string first_line_of_file() {
  std::string text = "{\"schema\":1,\"clock\":" + list(kClockNames) + ",\"roles\":" + list(kRoleNames) +
                     ",\"entries\":" + std::to_string(kMaxEntries) +
                     ",\"entry_bytes\":" + std::to_string(sizeof(Entry)) + ",\"shared\":" + std::to_string(kShared) +
                     ",\"procedures\":" + list(kProcedureNames) + '}';
  while (text.size() % sizeof(std::int64_t) != sizeof(std::int64_t) - 1) text += ' ';
  return text + '\n';
}

void* map_file(const std::string& path, std::size_t bytes) noexcept {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  int code;
  do {  // reserved: a page for which there is no room would end the program when it is touched
    code = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  } while (code == EINTR);
  void* const at = code == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (at != MAP_FAILED) return at;
  unlink(path.c_str());
  return nullptr;
}

void say(Book& all, const std::string& line) noexcept {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = write(all.words, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

void set_latest(Clock& clock) noexcept {
  __atomic_store_n(&clock.latest_ticks, base::ticks(), __ATOMIC_RELAXED);
  __atomic_store_n(&clock.latest_ns, base::now_ns(), __ATOMIC_RELAXED);
}

std::string text_of(Book& all, const layout::Layout& type, bool& is_whole) {
  try {
    std::string text = notation::print(type, std::min(kLongestText, kMostText - all.text_bytes));
    all.text_bytes += text.size();
    is_whole = true;
    return text;
  } catch (const base::Error&) {
    is_whole = false;
    return notation::abridged(type);
  }
}

// [bytes] Of the arguments, components' included, which other types may share; no more than a bit above `most`.
std::size_t bytes_of(const layout::Layout& type, std::size_t most) {
  if (type.combiner == layout::Combiner::kNamed) return 0;
  const auto bytes = [](const auto& list) { return list.size() * sizeof(list[0]); };
  std::size_t sum = sizeof type + bytes(type.blocklengths) + bytes(type.displacements) + bytes(type.children);
  const layout::Layout* last = nullptr;
  for (const layout::LayoutPtr& child : type.children) {
    if (sum > most) break;
    if (child.get() == last) continue;
    last = child.get();
    sum += bytes_of(*child, most - sum);
  }
  return type.expansion == nullptr || sum > most ? sum : sum + bytes_of(*type.expansion, most - sum);
}

// Under the lock. kOthers if there is no room for one more.
std::int32_t layout_number(Book& all, const mpi::DatatypePtr& type) {
  if (const auto known = all.layouts.find(type.get()); known != all.layouts.end()) return known->second.number;
  const std::size_t bytes = bytes_of(*type->layout(), kMostKept);
  if (all.layouts.size() >= kMaxLayouts || bytes > kMostKept - all.kept_bytes) return kOthers;
  const auto number = static_cast<std::int32_t>(all.layouts.size() + 1);
  all.layouts.emplace(type.get(), Known{number, type});
  all.kept_bytes += bytes;
  const layout::Layout& layout = *type->layout();
  bool is_whole = false;
  const std::string text = text_of(all, layout, is_whole);
  say(all, "{\"layout\":" + std::to_string(number) + ",\"text\":" + quoted(text) +
               ",\"whole\":" + (is_whole ? "true" : "false") + ",\"size\":" + std::to_string(layout.size) +
               ",\"extent\":" + std::to_string(layout.extent) + ",\"true_lb\":" + std::to_string(layout.true_lb) +
               ",\"true_extent\":" + std::to_string(layout.true_extent) +
               ",\"runs\":" + std::to_string(type->plan()->run_count()) +
               ",\"contiguous\":" + (type->plan()->is_contiguous() ? "true" : "false") + "}\n");
  return number;
}

std::int32_t site_number(Book& all, const void* caller) {
  if (const auto known = all.sites.find(caller); known != all.sites.end()) return known->second;
  const auto number = static_cast<std::int32_t>(all.sites.size() + 1);
  all.sites.emplace(caller, number);
  Dl_info found{};
  // The call stands before the address to which it returns.
  link_map* object = nullptr;
  const bool is_known =
      dladdr1(static_cast<const char*>(caller) - 1, &found, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 &&
      found.dli_fname != nullptr && object != nullptr;
  char path[PATH_MAX];
  const char* const module = is_known ? realpath(found.dli_fname, path) : nullptr;
  // As in the file's own tables; of a program at a fixed address that is the address itself.
  const std::uintptr_t begin = is_known ? object->l_addr : 0;
  say(all, "{\"site\":" + std::to_string(number) + ",\"module\":" +
               quoted(module != nullptr ? module
                      : is_known        ? found.dli_fname
                                        : "") +
               ",\"offset\":" + std::to_string(reinterpret_cast<std::uintptr_t>(caller) - begin) +
               ",\"symbol\":" + quoted(is_known && found.dli_sname != nullptr ? found.dli_sname : "") + "}\n");
  return number;
}

}  // namespace

bool open_book() noexcept {
  try {
    Book& all = book();
    const std::string path = run_file_path(".profile"), words = run_file_path(".words"), head = first_line_of_file();
    if (path.empty()) return false;
    all.words = open(words.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
    if (all.words < 0) return false;
    void* const at = map_file(path, head.size() + sizeof(Pages));
    if (at == nullptr) {
      unlink(words.c_str());
      return false;
    }
    std::memcpy(at, head.data(), head.size());
    // The file is zeros: pages that are not used are never touched.
    all.pages = reinterpret_cast<Pages*>(static_cast<char*>(at) + head.size());
    Clock& clock = all.pages->clock;
    clock.opened_ticks = base::ticks();
    clock.opened_ns = base::now_ns();
    clock.used = kShared;
    set_latest(clock);
    for (std::size_t k = 0; k < kShared; ++k) {
      Entry& entry = all.pages->entries[k];
      entry.procedure = static_cast<std::int32_t>(k);
      entry.layout = kOthers;
      entry.peer = kNoPeer;
      entry.first = 1;
    }
    return true;
  } catch (...) {  // no memory
    return false;
  }
}

void note_world_begins() noexcept {
  Clock& clock = book().pages->clock;
  if (clock.began_ticks == 0) clock.began_ticks = base::ticks();
  set_latest(clock);
}

void note_world_ends() noexcept {
  Clock& clock = book().pages->clock;
  clock.ended_ticks = base::ticks();
  set_latest(clock);
}

Entry* new_entry(Procedure procedure, Role role, bool is_first, const mpi::DatatypePtr& type, bool is_decoded,
                 std::int64_t count, std::int32_t peer, const void* caller) noexcept {
  Book& all = book();
  Pages& pages = *all.pages;
  Entry* const shared = &pages.entries[static_cast<std::size_t>(procedure)];
  try {
    const std::lock_guard lock(all.mutex);
    set_latest(pages.clock);
    const auto used = static_cast<std::size_t>(pages.clock.used);
    const std::int32_t layout = used == kMaxEntries ? kOthers
                                : type != nullptr   ? layout_number(all, type)
                                : is_decoded        ? kContiguous
                                                    : kUndecoded;
    // What is not kept may be freed, and its address another one's: nothing is remembered of it.
    if (layout == kOthers) {
      ++pages.clock.left_out;
      return shared;
    }
    Entry entry;
    entry.procedure = static_cast<std::int32_t>(procedure);
    entry.role = static_cast<std::int32_t>(role);
    entry.layout = layout;
    entry.site = site_number(all, caller);
    entry.peer = peer;
    entry.first = is_first ? 1 : 0;
    entry.count = count;
    pages.entries[used] = entry;
    __atomic_store_n(&pages.clock.used, static_cast<std::int64_t>(used + 1), __ATOMIC_RELEASE);
    return &pages.entries[used];
  } catch (...) {  // no memory
    return shared;
  }
}

bool is_shared(const Entry* entry) noexcept {
  return entry < book().pages->entries.data() + kShared;
}

std::uint32_t number_of(const Entry* entry) noexcept {
  return static_cast<std::uint32_t>(entry - book().pages->entries.data());
}

Entry* entry_with(std::uint32_t number) noexcept {
  return &book().pages->entries[number];
}

}  // namespace gapless::preload
