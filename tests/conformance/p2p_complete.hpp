// Every way to complete a list of requests.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "p2p_data.hpp"

namespace conformance {

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
inline constexpr int kCompletions = 12;
#else
inline constexpr int kCompletions = 9;
#endif
// Those after which the requests are still there are left out if they do not tell what is asked here.
inline constexpr int kTellingFrom = 8;
// "MPI_Wait", for instance.
const char* name_of_completion(int how);
// `how`, or another way that the library has.
int possible_completion(int how);
// The same for a list with persistent operations.
int for_persistent(int how);

// Completes all requests of a list, null, inactive and generalised ones among them. `done(k, status)` is called for
// each operation when it has completed; before that, `told(k, status)` where only a question was asked. The statuses
// are null where they are `ignored`.
using Seen = std::function<void(int k, const MPI_Status* status)>;
void complete_all(int how, std::vector<MPI_Request>& list, bool ignored, const Seen& done, const Seen& told);

// The same for one request, in a list with null ones around it where a procedure takes lists. `told` may be empty.
void complete_one(int how, MPI_Request& request, bool ignored, const Seen& done, const Seen& told);

}  // namespace conformance
