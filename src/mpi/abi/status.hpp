// What the layer reads in, and writes into, the statuses of the library.
#pragma once

#include <cstdint>

#include "mpi/abi/abi.hpp"

namespace gapless::mpi {

// The source of a status that the library has not set: no rank, and none of MPI's negative constants.
inline constexpr int kUnsetSource = -0x47415053;

// Returns the bytes of a status that the library has set; 0 if the receive was cancelled.
std::int64_t received_bytes(const MPI_Status& status) noexcept;
// True if it is of an operation that was cancelled; false if the library has not set it.
bool was_cancelled(const MPI_Status& status) noexcept;
void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept;

// Copies a status that tells of a message to the program's, unless that is MPI_STATUS_IGNORE; it keeps its MPI_ERROR.
void give_status(const MPI_Status& status, MPI_Status* users) noexcept;

}  // namespace gapless::mpi
