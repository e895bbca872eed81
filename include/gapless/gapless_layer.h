/** @file
 * What a program may ask of the layer under its MPI library.
 *
 * The layer is put under a program from outside (`gapless run`, or LD_PRELOAD=libgapless_preload.so), so a program need
 * neither link it nor know of it. One that wants to look for it does so at run time:
 *
 *   int (*gapless_switch)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "GAPLESS_Switch");
 *   if (gapless_switch != NULL) gapless_switch(0);   // from here on every call is the MPI library's own
 */
#ifndef GAPLESS_GAPLESS_LAYER_H
#define GAPLESS_GAPLESS_LAYER_H

#ifdef __cplusplus
extern "C" {
#endif

/** Turns the layer off (0) or on (not 0) in this process, for all threads, and returns the previous state. Calls that
 * are in progress end as they began. May be called at any time, before MPI_Init too. Other processes need not do the
 * same: it concerns point-to-point calls, MPI_Pack and MPI_Unpack, and MPI_(Neighbor_)alltoallw. With 2 it is on, and
 * packs all that it sends past the caches, whatever the rules say: for measurements (docs/tuning.md). */
int GAPLESS_Switch(int on);

/** The same for all other collective calls. These change on every process or on none, so this must be called like a
 * collective: by all processes of MPI_COMM_WORLD, between the same collective calls, with none of them in progress.
 * With 2 they are on, but none is run by an algorithm of Gapless's own (docs/alltoall.md): for measurements. */
int GAPLESS_Switch_collectives(int on);

/** The same for pairing: with 0, what would go through memory that the processes of a node share goes as it does where
 * they share none. To be called like GAPLESS_Switch_collectives. */
int GAPLESS_Switch_paired(int on);

/** The ways of a message from point to point between two processes of a node that both have the layer, in place of the
 * setting GAPLESS_WAY: for measurements. */
enum {
  GAPLESS_WAY_ADAPTIVE = 0, /**< whichever is fastest */
  GAPLESS_WAY_HOST = 1,     /**< packed into memory that both share */
  GAPLESS_WAY_KERNEL = 2,   /**< read by the kernel out of the sender's memory, close runs at once */
  GAPLESS_WAY_ENTRIES = 3,  /**< the same, each run by itself */
  GAPLESS_WAY_DIRECT = 4    /**< copied by loads and stores, where both have mapped its memory */
};

/** Sets the way that this process would take from now on, and returns the one before, or -1 where it was the setting's.
 * The sender's says whether its memory is read, the receiver's how. Any other number changes nothing. */
int GAPLESS_Switch_way(int way);

/** What was counted for one procedure ("MPI_Send") in this process, both its MPI_ and its PMPI_ name together. */
typedef struct GAPLESS_Counters {
  long long calls;       /**< of the procedure */
  long long accelerated; /**< calls in which the layer changed at least one buffer's description */
  long long bytes;       /**< of data described anew, as given (a partial receive counts what it could have received) */
  long long paired;      /**< calls of which data went through memory that the processes of a node share */
} GAPLESS_Counters;

/** Returns 0 and fills `counters`, or returns 1 and leaves it: GAPLESS_STATS is not on, the layer is disabled or has
 * not met an MPI library yet, or it does not wrap that procedure. In place of a procedure, "kernel" or "direct": then
 * `calls` are the messages that this process has received by that way (GAPLESS_WAY_*; of "kernel" those by entries,
 * too), and the rest is 0. */
int GAPLESS_Count(const char* procedure, GAPLESS_Counters* counters);

#ifdef __cplusplus
}
#endif

#endif
