/** @file
 * Layouts between the processes of several nodes, by libfabric, with MPI or without.
 *
 *     GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
 *     options.rank = 0, options.processes = 2, options.meeting = "10.0.0.1:7777", options.secret = "of this job";
 *     GAPLESS_Channel_open(&options, &channel);
 *     GAPLESS_Channel_send(channel, matrix, 1, column, 1, &transfer);
 *     GAPLESS_Channel_wait(channel, &transfer, -1, NULL);
 *     GAPLESS_Channel_close(&channel);
 *
 * Link with libgapless_fabric and libgapless (pkg-config gapless-fabric). Layouts are types of gapless.h; one of MPI
 * becomes one by GAPLESS_Type_serialise (gapless_mpi.h) and gapless_type_deserialise.
 * A job is a number of processes, each with a rank, that open a channel together. Messages of one process to another
 * are received in the order in which they are sent. A message is bytes in type-map order: the receiver's type may be
 * another, of at least as many bytes; signatures are not compared.
 * A channel is used by one thread at a time, and moves data in calls of it alone: a message longer than the eager limit
 * is complete once both sides are in such calls, and so is the first message to a peer, and one beyond 32 that it has
 * not received. Every function returns a GAPLESS_Channel_status and sets its outputs
 * on success only; GAPLESS_Channel_last_error() says, in the calling thread, what was wrong.
 */
#ifndef GAPLESS_CHANNEL_H
#define GAPLESS_CHANNEL_H

#include "gapless/gapless.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a function returns. The first four are those of gapless_status. */
typedef enum GAPLESS_Channel_status {
  GAPLESS_CHANNEL_SUCCESS = 0,
  GAPLESS_CHANNEL_ERR_ARG = 1,
  GAPLESS_CHANNEL_ERR_OVERFLOW = 2,
  GAPLESS_CHANNEL_ERR_NO_MEM = 3,
  GAPLESS_CHANNEL_ERR_TIMEOUT = 16,  /**< not done in time; the transfer goes on, and may be waited for again */
  GAPLESS_CHANNEL_ERR_PEER = 17,     /**< the peer has ended, or closed its channel */
  GAPLESS_CHANNEL_ERR_TRUNCATE = 18, /**< the message is longer than the receiver's memory; it is lost, on both sides */
  GAPLESS_CHANNEL_ERR_SECRET = 19,   /**< the other side does not know the job's secret */
  GAPLESS_CHANNEL_ERR_FABRIC = 20    /**< libfabric reports an error, or has no such provider */
} GAPLESS_Channel_status;

/** An open channel of this process to all others of its job. */
typedef struct GAPLESS_Channel_s* GAPLESS_Channel;
/** A send or a receive that has begun. */
typedef struct GAPLESS_Transfer_s* GAPLESS_Transfer;
/** No transfer. */
#define GAPLESS_TRANSFER_NULL ((GAPLESS_Transfer)0)

/** What a channel is opened with: GAPLESS_CHANNEL_OPTIONS, and then what differs. */
typedef struct GAPLESS_Channel_options {
  size_t size;            /**< sizeof(GAPLESS_Channel_options) */
  int rank;               /**< of this process, from 0 on */
  int processes;          /**< of the job: 1 to 65536 */
  const char* meeting;    /**< HOST:PORT, where rank 0 listens until all have come */
  const char* secret;     /**< of the job: who does not know it is refused. NULL: GAPLESS_JOB_SECRET */
  const char* provider;   /**< libfabric's: "cxi", "efa", "verbs", "tcp", "shm"; NULL: GAPLESS_FABRIC_PROVIDER, or the
                               first of these but shm that is there. The same in all processes */
  const char* address;    /**< of this process, for providers that use IP; NULL: that which leads to rank 0 */
  const char* domain;     /**< libfabric's, such as "mlx5_0"; NULL: GAPLESS_FABRIC_DOMAIN, or the first one */
  const char* way;        /**< "adaptive", "host", "lists" or "segments"; NULL: GAPLESS_FABRIC_WAY, or adaptive */
  double timeout_s;       /**< [s] of open and close, and of a wait where it gives none; negative: for ever */
} GAPLESS_Channel_options;
/** Options to begin with. */
#define GAPLESS_CHANNEL_OPTIONS {sizeof(GAPLESS_Channel_options), 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, 60.0}

/** What went wrong in the last call of this thread that failed: never NULL, valid until its next call. */
GAPLESS_API const char* GAPLESS_Channel_last_error(void);

/** Opens a channel. Collective: all processes of the job call it, within the timeout. Cost: a connection to rank 0. */
GAPLESS_API int GAPLESS_Channel_open(const GAPLESS_Channel_options* options, GAPLESS_Channel* channel);

/** Begins to send (count, type) at `buffer` to `peer`, which may be this process itself. The memory stays as it is
 * until the transfer has been waited for; the type may be freed at once. */
GAPLESS_API int GAPLESS_Channel_send(GAPLESS_Channel channel, const void* buffer, int64_t count, gapless_type type,
                                     int peer, GAPLESS_Transfer* transfer);
/** Begins to receive the next message of `peer` that no earlier receive takes. The memory is not touched until the
 * transfer has been waited for. */
GAPLESS_API int GAPLESS_Channel_receive(GAPLESS_Channel channel, void* buffer, int64_t count, gapless_type type,
                                        int peer, GAPLESS_Transfer* transfer);
/** Waits up to `timeout_s` [s] (0: looks once; negative: the channel's) until a transfer has ended, and moves data of
 * all transfers meanwhile. Then, or if it has failed, frees it and sets it to GAPLESS_TRANSFER_NULL; *bytes (unless
 * NULL) says how much was moved. GAPLESS_CHANNEL_ERR_TIMEOUT leaves it as it is. */
GAPLESS_API int GAPLESS_Channel_wait(GAPLESS_Channel channel, GAPLESS_Transfer* transfer, double timeout_s,
                                     int64_t* bytes);
/** To be called before memory that messages were in is given back to the system while the channel is open: what the
 * network knows of it is withdrawn. Needed where registered memory is pinned (verbs, efa, cxi), harmless elsewhere. */
GAPLESS_API int GAPLESS_Channel_forget(GAPLESS_Channel channel, void* base, int64_t bytes);
/** Closes a channel, once every process that it has exchanged messages with does so too, or has ended, or the channel's
 * timeout is over (then GAPLESS_CHANNEL_ERR_TIMEOUT). It is closed in any case, and set to NULL; transfers that nobody
 * has waited for are lost. */
GAPLESS_API int GAPLESS_Channel_close(GAPLESS_Channel* channel);

/** What a channel has done so far. Transfers of one process to itself are not counted. */
typedef struct GAPLESS_Channel_counters {
  int64_t eager;            /**< messages sent inside their first frame */
  int64_t host;             /**< messages sent by way of buffers */
  int64_t lists;            /**< messages sent straight from memory to memory by gather and scatter lists */
  int64_t segments;         /**< messages sent in chunks of the shorter side's shortest run */
  int64_t bytes;            /**< [bytes] sent */
  int64_t writes;           /**< one-sided writes, or sends of chunks */
  int64_t layouts_shown;    /**< layouts sent to a peer in full */
  int64_t layouts_known;    /**< messages whose layouts the peer knew by number */
  int64_t registrations;    /**< regions of memory registered */
  int64_t registered_bytes; /**< [bytes] in them */
  int64_t registration_ns;  /**< [ns] that took, stated costs included */
  int64_t registered_aside; /**< regions registered by the thread beside */
  int64_t frames_refused;   /**< frames that were no frames of this job */
  int64_t endpoints;        /**< of libfabric: one for all peers */
  int64_t queued;           /**< requests to send that waited for a free target */
  int64_t memory_bytes;     /**< [bytes] that this channel holds now */
  int64_t peer_bytes;       /**< [bytes] of them for each peer, before the first message */
} GAPLESS_Channel_counters;
/** Fills `counters`, of which `size` bytes are known to the caller. */
GAPLESS_API int GAPLESS_Channel_count(GAPLESS_Channel channel, GAPLESS_Channel_counters* counters, size_t size);
/** The name of the provider that a channel uses, such as "tcp;ofi_rxm"; valid until it is closed. */
GAPLESS_API const char* GAPLESS_Channel_provider(GAPLESS_Channel channel);

#ifdef __cplusplus
}
#endif
#endif
