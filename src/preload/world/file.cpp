// MPI_File_write, MPI_File_write_at, MPI_File_read, MPI_File_read_at: the data in memory are packed, those in the file
// stay the same. MPI_File_set_view and MPI_File_close: observed.
//
// In the native representation a file holds the bytes of a message in type-map order, whatever type describes them in
// memory (MPI 4.1, 14.5): as many packed bytes are the same bytes, move the file pointer by as many etypes, and are the
// same number of bytes in the status. In any other representation the library needs the basic types.
//
// Collective, split, shared, ordered and nonblocking operations stay the library's.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "base/immortal.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Open files that had a view of another representation once. They stay native until they are closed: the return code
// need not tell if a later view was set.
struct OtherRepresentations {
  std::mutex mutex;
  std::vector<MPI_File> files;
  std::atomic<int> count{0};               // 0 in most programs, which then take no lock
  std::atomic<bool> is_incomplete{false};  // memory ran out: any file may be one of them
};

OtherRepresentations& other_representations() noexcept {
  return base::immortal<OtherRepresentations>();
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

// The status of a read, from which the number of bytes is taken before the program gets it. Set to 0 bytes before the
// call, which need not set it if it fails.
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

void choose_path(MessageBuffer& data, Operation operation, MPI_File file) noexcept {
  if (file == MPI_FILE_NULL) return data.stay_native(Reason::kArguments);
  if (!is_native(file)) return data.stay_native(Reason::kFileView);
  data.choose_path(operation);
}

// `native(data, status)` calls the library.
template <class Native>
int write(MessageBuffer& data, MPI_File file, MPI_Status* status, Native&& native) {
  choose_path(data, Operation::kWrite, file);
  count_transfer(data);
  data.pack();
  return native(data, status);
}

template <class Native>
int read(MessageBuffer& data, MPI_File file, MPI_Status* status, Native&& native) {
  choose_path(data, Operation::kRead, file);
  std::optional<ReadStatus> own;
  if (data.path() == Path::kPack && !own.emplace(status).is_set()) data.stay_native(Reason::kStaging);
  count_transfer(data);
  if (data.path() != Path::kPack) return native(data, status);
  const int code = native(data, own->get());
  data.unpack(own->finish(code));
  return code;
}

// Returns a function that calls MPI_X or MPI_X_c with the message's arguments. `offset`: of MPI_X_at, else nothing.
template <class Small, class Large, class... Offset>
auto caller(bool large, Small* small, Large* big, MPI_File file, Offset... offset) noexcept {
  return [=](const MessageBuffer& data, MPI_Status* status) {
    if (large || data.count() > INT_MAX) return big(file, offset..., data.buffer(), data.count(), data.type(), status);
    return small(file, offset..., data.buffer(), static_cast<int>(data.count()), data.type(), status);
  };
}

}  // namespace

#define GAPLESS_FILE_CALL(name, transfer, suffix, large, Count, Buffer)                                         \
  int wrap_##name##suffix(MPI_File file, Buffer buffer, Count count, MPI_Datatype type, MPI_Status* status) {   \
    if (takes_fast_path(type)) [[likely]]                                                                       \
      return mpi::library.name##suffix(file, buffer, count, type, status);                                      \
    MessageBuffer data(Procedure::k##name##suffix, buffer, count, type);                                        \
    return transfer(data, file, status, caller(large, mpi::library.name, mpi::library.name##_c, file));         \
  }                                                                                                             \
  int wrap_##name##_at##suffix(MPI_File file, MPI_Offset offset, Buffer buffer, Count count, MPI_Datatype type, \
                               MPI_Status* status) {                                                            \
    if (takes_fast_path(type)) [[likely]]                                                                       \
      return mpi::library.name##_at##suffix(file, offset, buffer, count, type, status);                         \
    MessageBuffer data(Procedure::k##name##_at##suffix, buffer, count, type);                                   \
    return transfer(data, file, status,                                                                         \
                    caller(large, mpi::library.name##_at, mpi::library.name##_at_c, file, offset));             \
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
