/* The exchange of halos. *How messages are described* (the way) and *how they are sent* (the call) are free of one
 * another: a way turns each message into a place, a count and a type, with work before and after the exchange if it
 * packs; a call sends and receives any such messages. Each has a file of its own beside this one. */
#ifndef EXAMPLES_APPLICATIONS_HALO_H
#define EXAMPLES_APPLICATIONS_HALO_H

#include <mpi.h>

#include "../shared/domain.h"

/* What MPI is told of one message: so many elements of a type, at so many bytes from the base (arrays[0]). */
typedef struct {
  MPI_Aint at;
  int count;
  MPI_Datatype type;
} Piece;

typedef struct Way Way;
typedef struct Call Call;

typedef struct {
  Domain* domain;
  const Way* way;
  const Call* call;
  /* For each of the two arrays. */
  Piece sends[2][DIRECTIONS], receives[2][DIRECTIONS];
  MPI_Request requests[2][2 * DIRECTIONS]; /* the persistent call's */
  /* What MPI_Neighbor_alltoallw takes, as it takes it. */
  int send_counts[2][DIRECTIONS], receive_counts[2][DIRECTIONS];
  MPI_Aint send_places[2][DIRECTIONS], receive_places[2][DIRECTIONS];
  MPI_Datatype send_types[2][DIRECTIONS], receive_types[2][DIRECTIONS];
} Halo;

struct Way {
  const char* name;
  void (*make)(Halo* halo);
  void (*pack)(const Halo* halo, int array);   /* NULL: nothing to do */
  void (*unpack)(const Halo* halo, int array); /* NULL: nothing to do */
  void (*end)(Halo* halo);
};

struct Call {
  const char* name;
  void (*make)(Halo* halo);
  void (*exchange)(Halo* halo, int array);
  void (*end)(Halo* halo);
};

extern const Way kHand, kVector, kSubarray;
extern const Call kWaitall, kNeighbor, kPersistent;

enum { WAYS = 3, CALLS = 3 };
extern const Way* const kWays[WAYS];
extern const Call* const kCalls[CALLS];

/* Makes types and requests: once, before the first exchange. */
void halo_make(Halo* halo, Domain* domain, const Way* way, const Call* call);
/* Fills the halo of array 0 or 1. */
void halo_exchange(Halo* halo, int array);
void halo_free(Halo* halo);

/* The bytes from the base to a place in the domain's memory. */
MPI_Aint halo_place(const Domain* domain, const void* at);
/* The first site of a patch in array 0 or 1. */
char* halo_patch(const Domain* domain, int array, const Patch* patch);
/* What both ways by datatypes have in common: a piece for each message of each array, and the types' end. */
void halo_describe(Halo* halo, Piece (*describe)(const Domain* domain, int array, const Patch* patch));
void halo_free_types(Halo* halo);
/* Nothing to make, or to end. */
void halo_nothing(Halo* halo);

#endif
