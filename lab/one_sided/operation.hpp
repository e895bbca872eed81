// One way to carry a message between this process's memory and a window or a file.
#pragma once

#include "../mpi_handle.hpp"
#include "cases.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "plan/plan.hpp"

namespace gapless::lab::one_sided {

// What an operation gets for one end: the arguments of the call.
struct End {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// One way to describe the message of a group.
struct Call {
  End local, remote;
  const plan::Plan* packed_by = nullptr;  // the engine moves the local data between `staging` and the user's memory,
  std::int64_t packed_count = 0;          // `local` is of the staged bytes
};

class Operation {
 public:
  virtual ~Operation() = default;
  // What a call needs once and what is not timed.
  virtual void prepare(const Call&) {}
  // Starts and completes one transfer. Collective where the epochs are.
  virtual void perform(const Call& call) = 0;
  // The bytes of the window or file, on the rank that holds them; nothing on others. `image` has as many as it.
  virtual void store(const char* image) = 0;
  virtual void load(char* image) = 0;
  virtual bool holds() const = 0;
  virtual bool performs() const = 0;  // whether this rank has a part in perform()
};

struct Place {
  char* local = nullptr;    // the user's memory
  char* staging = nullptr;  // for the packed message
  std::int64_t remote_bytes = 0;
  std::string folder;  // of files
  int rank = 0;
};

// Collective over the two ranks; throws exchange::Refused where the library refuses.
std::unique_ptr<Operation> make_window_operation(const OperationSpec& spec, const Place& place);
std::unique_ptr<Operation> make_file_operation(const OperationSpec& spec, const Place& place);

// Throws exchange::Refused with what the library says.
void require(int code, const char* what);

}  // namespace gapless::lab::one_sided
