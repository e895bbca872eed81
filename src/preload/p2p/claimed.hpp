// Receives while messages may have been claimed (paired/claims.hpp): by the call that the program made, with what it
// would have got from the library.
#pragma once

#include <memory>

#include "preload/paired/claims.hpp"
#include "preload/requests/requests.hpp"
#include "preload/requests/start.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

// MPI_Recv, of a claimed message or one of the library's.
int receive_claiming(MessageBuffer& data, bool large, int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept;
// Of a claimed message. `comm`: whose error handler is called.
int receive_claimed(MessageBuffer& data, bool large, Claim& claim, MPI_Comm comm, MPI_Status* status) noexcept;
// MPI_Irecv, likewise.
int start_claiming(MessageBuffer& data, bool large, int source, int tag, MPI_Comm comm, MPI_Request* request) noexcept;
int start_claimed(MessageBuffer& data, bool large, Claim& claim, MPI_Comm comm, MPI_Request* request) noexcept;
// MPI_Isendrecv: if a message was claimed for it, receives that, and sends as MPI_Isend does. False: none was. `copy`:
// of the data, if what comes replaces them.
bool exchange_claimed(MessageBuffer& sent, int dest, int send_tag, MessageBuffer& received, int source, int receive_tag,
                      MPI_Comm comm, MPI_Request* request, int& code, std::unique_ptr<char[]> copy = nullptr) noexcept;

// Before the library starts a persistent receive. True if a claimed message is received instead; it completes as if the
// library had started it.
bool start_persistent_claimed(RequestEntry& entry) noexcept;

}  // namespace gapless::preload
