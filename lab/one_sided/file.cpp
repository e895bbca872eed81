// Rank 0 writes and reads a file of its own; rank 1 waits.
#include "../exchange/agree.hpp"
#include "operation.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "move/move.hpp"

namespace gapless::lab::one_sided {
namespace {

class FileOperation final : public Operation {
 public:
  FileOperation(const OperationSpec& spec, const Place& place)
      : spec_(spec),
        place_(place),
        path_(place.folder + "/gapless-one-sided-" + std::to_string(getpid())),
        performs_(place.rank == 0) {
    if (!performs_) return;
    require(MPI_File_open(MPI_COMM_SELF, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                          MPI_INFO_NULL, &file_),
            "MPI_File_open");
    descriptor_ = open(path_.c_str(), O_RDWR);
  }
  ~FileOperation() override {
    if (!performs_) return;
    if (descriptor_ >= 0) close(descriptor_);
    MPI_File_close(&file_);
  }
  FileOperation(const FileOperation&) = delete;
  FileOperation& operator=(const FileOperation&) = delete;

  void prepare(const Call& call) override {
    if (performs_ && !spec_.view_each_time) set_view(call);
  }
  void perform(const Call& call) override {
    if (!performs_) return;
    if (spec_.view_each_time) set_view(call);
    if (call.packed_by == nullptr) return transfer(place_.local, call);
    if (spec_.out) move::pack_all(*call.packed_by, call.packed_count, place_.local, place_.staging);
    transfer(place_.staging, call);
    if (!spec_.out) move::unpack_all(*call.packed_by, call.packed_count, place_.local, place_.staging);
  }
  // Past the MPI library, which must have written when its call returned: one process alone sees its own writes.
  void store(const char* image) override {
    const auto bytes = static_cast<std::size_t>(place_.remote_bytes);
    if (performs_ && pwrite(descriptor_, image, bytes, 0) != static_cast<ssize_t>(bytes))
      throw exchange::Refused("cannot write " + path_);
  }
  void load(char* image) override {
    if (!performs_) return;
    std::memset(image, 0, static_cast<std::size_t>(place_.remote_bytes));
    if (pread(descriptor_, image, static_cast<std::size_t>(place_.remote_bytes), 0) < 0)
      throw exchange::Refused("cannot read " + path_);
  }
  bool holds() const override { return performs_; }
  bool performs() const override { return performs_; }

 private:
  void set_view(const Call& call) {
    const bool derived = spec_.derived == Derived::kRemote;
    require(MPI_File_set_view(file_, 0, derived ? MPI_INT : MPI_BYTE, derived ? call.remote.type : MPI_BYTE, "native",
                              MPI_INFO_NULL),
            "MPI_File_set_view");
  }
  void transfer(char* memory, const Call& call) {
    MPI_Status status;
    const int code = spec_.out ? MPI_File_write_at(file_, 0, memory, call.local.count, call.local.type, &status)
                               : MPI_File_read_at(file_, 0, memory, call.local.count, call.local.type, &status);
    require(code, spec_.out ? "MPI_File_write_at" : "MPI_File_read_at");
  }

  OperationSpec spec_;
  Place place_;
  std::string path_;
  bool performs_;
  MPI_File file_ = MPI_FILE_NULL;
  int descriptor_ = -1;
};

}  // namespace

std::unique_ptr<Operation> make_file_operation(const OperationSpec& spec, const Place& place) {
  return std::make_unique<FileOperation>(spec, place);
}

}  // namespace gapless::lab::one_sided
