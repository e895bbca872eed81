// MPI_File_write, MPI_File_write_at, MPI_File_read, MPI_File_read_at: the data in memory are packed, the file's are
// what they were. MPI_File_set_view and MPI_File_close: listened to.
//
// In the native representation a file holds the bytes of a message in type-map order, whatever type describes them in
// memory (MPI 4.1, 14.5): as many packed bytes are the same bytes, move the file pointer by as many etypes, and are the
// same number of bytes in the status. In any other representation the library must see the basic types.
//
// Collective, split, shared, ordered and nonblocking operations stay the library's.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Open files that had a view of another representation once. They stay native until they are closed: whether a later
// view was set, the return code need not say.
struct OtherRepresentations {
  std::mutex mutex;
  std::vector<MPI_File> files;
  std::atomic<int> count{0};               // programs have none, and take no lock
  std::atomic<bool> is_incomplete{false};  // there was no memory for one: any file may be it
};

OtherRepresentations& other_representations() noexcept {
  static OtherRepresentations* const the = new OtherRepresentations;
  return *the;
}

void remember(MPI_File file) noexcept {
  OtherRepresentations& all = other_representations();
  try {
    const std::lock_guard lock(all.mutex);
    all.files.push_back(file);
  } catch (...) {
    all.is_incomplete.store(true, std::memory_order_relaxed);
  }
  all.count.fetch_add(1, std::memory_order_release);
}

bool forget(MPI_File file) {
  OtherRepresentations& all = other_representations();
  if (all.count.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(all.mutex);
  const auto removed = std::erase(all.files, file);
  all.count.fetch_sub(static_cast<int>(removed), std::memory_order_release);
  return removed != 0;
}

bool is_native(MPI_File file) {
  OtherRepresentations& all = other_representations();
  if (all.count.load(std::memory_order_acquire) == 0) return true;
  if (all.is_incomplete.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(all.mutex);
  return std::find(all.files.begin(), all.files.end(), file) == all.files.end();
}

// The status of a read: the number of bytes in it is asked for, and it is the program's own but for that. Set to no
// bytes before, for a call that fails need not set it.
class ReadStatus {
 public:
  explicit ReadStatus(MPI_Status* users) noexcept : users_(users) {
    if (users != MPI_STATUS_IGNORE) own_ = *users;
    is_set_ = mpi::library.Status_set_elements_x(&own_, MPI_PACKED, 0) == MPI_SUCCESS;
    before_ = own_;
  }
  bool is_set() const noexcept { return is_set_; }
  MPI_Status* get() noexcept { return &own_; }
  std::int64_t finish(int code) noexcept {
    const bool touched = code == MPI_SUCCESS || std::memcmp(&own_, &before_, sizeof own_) != 0;
    if (users_ != MPI_STATUS_IGNORE && touched) *users_ = own_;
    MPI_Count bytes = 0;
    if (code != MPI_SUCCESS || mpi::library.Get_elements_x(&own_, MPI_PACKED, &bytes) != MPI_SUCCESS) return 0;
    return bytes == MPI_UNDEFINED ? 0 : bytes;
  }

 private:
  MPI_Status own_{}, before_{};
  MPI_Status* users_;
  bool is_set_ = false;
};

void choose(Side& side, Operation operation, MPI_File file) noexcept {
  if (file == MPI_FILE_NULL) return side.stay_native(Reason::kArguments);
  if (!is_native(file)) return side.stay_native(Reason::kFileView);
  side.choose(operation);
}

// `native(side, status)` calls the library.
template <class Native>
int write(Side& side, MPI_File file, MPI_Status* status, Native&& native) {
  choose(side, Operation::kWrite, file);
  count_sides(side);
  side.pack();
  return native(side, status);
}

template <class Native>
int read(Side& side, MPI_File file, MPI_Status* status, Native&& native) {
  choose(side, Operation::kRead, file);
  std::optional<ReadStatus> own;
  if (side.path() == Path::kPack && !own.emplace(status).is_set()) side.stay_native(Reason::kStaging);
  count_sides(side);
  if (side.path() != Path::kPack) return native(side, status);
  const int code = native(side, own->get());
  side.unpack(own->finish(code));
  return code;
}

// MPI_X or MPI_X_c with a side's arguments; `place` is the offset, or nothing.
template <class Small, class Large, class... Place>
auto caller(bool large, Small* small, Large* big, MPI_File file, Place... place) noexcept {
  return [=](const Side& side, MPI_Status* status) {
    if (large || side.count() > INT_MAX) return big(file, place..., side.buffer(), side.count(), side.type(), status);
    return small(file, place..., side.buffer(), static_cast<int>(side.count()), side.type(), status);
  };
}

}  // namespace

#define GAPLESS_FILE_CALL(name, way, suffix, large, Count, Buffer)                                                 \
  int wrap_##name##suffix(MPI_File file, Buffer buffer, Count count, MPI_Datatype type, MPI_Status* status) {      \
    if (takes_fast_path(type)) [[likely]]                                                                          \
      return mpi::library.name##suffix(file, buffer, count, type, status);                                         \
    Side side(Procedure::k##name##suffix, buffer, count, type);                                                    \
    return way(side, file, status, caller(large, mpi::library.name, mpi::library.name##_c, file));                 \
  }                                                                                                                \
  int wrap_##name##_at##suffix(MPI_File file, MPI_Offset offset, Buffer buffer, Count count, MPI_Datatype type,    \
                               MPI_Status* status) {                                                               \
    if (takes_fast_path(type)) [[likely]]                                                                          \
      return mpi::library.name##_at##suffix(file, offset, buffer, count, type, status);                            \
    Side side(Procedure::k##name##_at##suffix, buffer, count, type);                                               \
    return way(side, file, status, caller(large, mpi::library.name##_at, mpi::library.name##_at_c, file, offset)); \
  }
GAPLESS_FILE_CALL(File_write, write, , false, int, const void*)
GAPLESS_FILE_CALL(File_write, write, _c, true, MPI_Count, const void*)
GAPLESS_FILE_CALL(File_read, read, , false, int, void*)
GAPLESS_FILE_CALL(File_read, read, _c, true, MPI_Count, void*)
#undef GAPLESS_FILE_CALL

int wrap_File_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                       const char* representation, MPI_Info info) {
  if (counting()) count_call(Procedure::kFile_set_view);
  // Before the call: afterwards it may be too late for another thread.
  if (representation != nullptr && std::strcmp(representation, "native") != 0) remember(file);
  return mpi::library.File_set_view(file, displacement, etype, filetype, representation, info);
}

int wrap_File_close(MPI_File* file) {
  if (counting()) count_call(Procedure::kFile_close);
  // Before the call: afterwards another thread's file may have the handle.
  const MPI_File closed = file == nullptr ? MPI_FILE_NULL : *file;
  const bool was_other = forget(closed);
  const int code = mpi::library.File_close(file);
  if (was_other && *file == closed) remember(closed);
  return code;
}

}  // namespace gapless::preload
