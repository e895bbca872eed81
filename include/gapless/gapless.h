/** @file
 * Gapless engine, C interface: datatypes as MPI describes them, packed and unpacked from any byte position.
 *
 *     gapless_type column, element;
 *     gapless_type_named("double", &element);
 *     gapless_type_vector(1000, 1, 1000, element, &column);
 *     gapless_pack(matrix, 1, column, 0, buffer, sizeof buffer, &moved);
 *
 * Types are immutable and may be used by any number of threads at once. Every function returns a gapless_status and
 * sets its outputs only on success; gapless_last_error() says, in the calling thread, what was wrong.
 * Sizes, extents and byte displacements are in bytes. Constructors follow MPI 4.1, section 5.1.
 */
#ifndef GAPLESS_H
#define GAPLESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GAPLESS_API __attribute__((visibility("default")))

/** What a function returns. */
typedef enum gapless_status {
  GAPLESS_SUCCESS = 0,
  GAPLESS_ERR_ARG = 1,      /**< an argument that no type can have */
  GAPLESS_ERR_OVERFLOW = 2, /**< a size or displacement beyond 63 bits */
  GAPLESS_ERR_NO_MEM = 3
} gapless_status;

/** A datatype. */
typedef struct gapless_type_s* gapless_type;

/** The order of an array's dimensions in memory: the last one is contiguous (C), or the first (Fortran). */
typedef enum gapless_order { GAPLESS_ORDER_C = 0, GAPLESS_ORDER_FORTRAN = 1 } gapless_order;

/** How a dimension is dealt out by gapless_type_darray(). */
typedef enum gapless_distribution {
  GAPLESS_DISTRIBUTE_NONE = 0,
  GAPLESS_DISTRIBUTE_BLOCK = 1,
  GAPLESS_DISTRIBUTE_CYCLIC = 2
} gapless_distribution;
/** The distribution's usual argument: equal blocks, or single elements in turn. */
#define GAPLESS_DISTRIBUTE_DFLT_DARG ((int64_t)-1)

/** What went wrong in the last call of this thread that failed: never NULL, valid until its next call. */
GAPLESS_API const char* gapless_last_error(void);
/** The library's version, such as "0.1.0". */
GAPLESS_API const char* gapless_version(void);

/** @name Constructors
 * Each makes a new type, which the caller frees.
 * @{ */
/** A named type: "byte", "int8", "uint64", "float", "double", "long_double", "float_complex", "2int" and their kin, all
 * of which docs/notation.md lists. */
GAPLESS_API gapless_status gapless_type_named(const char* name, gapless_type* type);
/** `count` elements one after the other. */
GAPLESS_API gapless_status gapless_type_contiguous(int64_t count, gapless_type old, gapless_type* type);
/** `count` blocks of equal length, `stride` extents of `old` apart. */
GAPLESS_API gapless_status gapless_type_vector(int64_t count, int64_t blocklength, int64_t stride, gapless_type old,
                                               gapless_type* type);
/** The same, `stride_bytes` apart. */
GAPLESS_API gapless_status gapless_type_hvector(int64_t count, int64_t blocklength, int64_t stride_bytes,
                                                gapless_type old, gapless_type* type);
/** Blocks, each of its own length, at displacements in extents of `old`; `count` entries in each list. */
GAPLESS_API gapless_status gapless_type_indexed(int64_t count, const int64_t* blocklengths,
                                                const int64_t* displacements, gapless_type old, gapless_type* type);
/** The same, at displacements in bytes. */
GAPLESS_API gapless_status gapless_type_hindexed(int64_t count, const int64_t* blocklengths,
                                                 const int64_t* displacements_bytes, gapless_type old,
                                                 gapless_type* type);
/** Blocks of one length at displacements in extents of `old`. */
GAPLESS_API gapless_status gapless_type_indexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                                      gapless_type old, gapless_type* type);
/** The same, at displacements in bytes. */
GAPLESS_API gapless_status gapless_type_hindexed_block(int64_t count, int64_t blocklength,
                                                       const int64_t* displacements_bytes, gapless_type old,
                                                       gapless_type* type);
/** Blocks, each of its own type and length; `count` entries in each list. */
GAPLESS_API gapless_status gapless_type_struct(int64_t count, const int64_t* blocklengths,
                                               const int64_t* displacements_bytes, const gapless_type* types,
                                               gapless_type* type);
/** A part of an array: `subsizes` elements from `starts` on. Extent: that of the whole array. */
GAPLESS_API gapless_status gapless_type_subarray(int dimensions, const int64_t* sizes, const int64_t* subsizes,
                                                 const int64_t* starts, gapless_order order, gapless_type old,
                                                 gapless_type* type);
/** What process `rank` of `process_count` owns of an array that is dealt out to a grid of processes, dimension by
 * dimension. `arguments`: elements a block, or GAPLESS_DISTRIBUTE_DFLT_DARG. Ranks are in C order in the grid, whatever
 * the order of the array. Parts may be empty. Extent: that of the whole array. Cost: linear in `dimensions`. */
GAPLESS_API gapless_status gapless_type_darray(int64_t process_count, int64_t rank, int dimensions,
                                               const int64_t* sizes, const gapless_distribution* distributions,
                                               const int64_t* arguments, const int64_t* grid, gapless_order order,
                                               gapless_type old, gapless_type* type);
/** One of three types that MPI lacks; all numbers in extents of `old`.
 * The elements t in [0, bound) with t mod stride < blocklength, each at t. 0 <= bound, 1 <= blocklength <= stride. */
GAPLESS_API gapless_status gapless_type_bounded_vector(int64_t bound, int64_t blocklength, int64_t stride,
                                                       gapless_type old, gapless_type* type);
/** The elements of a bounded vector, each at (start + t) mod total. bound <= total, 0 <= start < total (total 0:
 * start 0). Extent: total. */
GAPLESS_API gapless_status gapless_type_circular_vector(int64_t total, int64_t start, int64_t bound,
                                                        int64_t blocklength, int64_t stride, gapless_type old,
                                                        gapless_type* type);
/** counts[b] elements at b * stride, 0 <= counts[b] <= stride. Extent: count * stride. */
GAPLESS_API gapless_status gapless_type_bucket(int64_t count, int64_t stride, const int64_t* counts, gapless_type old,
                                               gapless_type* type);
/** The same data under other bounds [bytes]. */
GAPLESS_API gapless_status gapless_type_resized(int64_t lower_bound, int64_t extent, gapless_type old,
                                                gapless_type* type);
/** Another handle of the same type. */
GAPLESS_API gapless_status gapless_type_dup(gapless_type old, gapless_type* type);
/** A number of this handle that no other one of this process has or had: what a cache of layouts knows it by, also
 * when a freed handle's address is in use again. */
GAPLESS_API gapless_status gapless_type_id(gapless_type type, uint64_t* id);
/** Frees the handle and sets it to NULL; types made from it keep what they need. */
GAPLESS_API gapless_status gapless_type_free(gapless_type* type);
/** @} */

/** @name Bounds
 * In bytes.
 * @{ */
/** The bytes of data in one element. */
GAPLESS_API gapless_status gapless_type_size(gapless_type type, int64_t* size);
/** Where an element begins, and how far on the next one does. */
GAPLESS_API gapless_status gapless_type_extent(gapless_type type, int64_t* lower_bound, int64_t* extent);
/** The same of the bytes of data alone. */
GAPLESS_API gapless_status gapless_type_true_extent(gapless_type type, int64_t* true_lower_bound, int64_t* true_extent);
/** @} */

/** @name Types as text
 * For example "vector(1000, 2, 4, int32)": docs/notation.md.
 * @{ */
/** Reads a type. Any text is safe to read; gapless_last_error() says what was expected, where, and shows the place.
 * Cost: linear in the text and the numbers of its lists. */
GAPLESS_API gapless_status gapless_type_parse(const char* text, gapless_type* type);
/** Writes a type, in the form that gapless_type_parse() reads. Writes what fits into `capacity` bytes, always ended by
 * a NUL; *needed is what all of it takes, the NUL included, so that a first call may pass (NULL, 0). */
GAPLESS_API gapless_status gapless_type_print(gapless_type type, char* buffer, size_t capacity, size_t* needed);
/** A JSON document on (count, type), handed out like the text above: its tree, bounds, normal form and plan, the runs
 * and cache lines that it touches, and the first of its runs. Meant for people and tools: it takes up to a second for a
 * message of many runs, which are counted exactly up to a million. docs/notation.md lists the fields. */
GAPLESS_API gapless_status gapless_type_explain(gapless_type type, int64_t count, char* buffer, size_t capacity,
                                                size_t* needed);
/** @} */

/** @name Moving data
 * @{ */
/** Builds the plan of a type, which the first pack or unpack otherwise does. Cost: linear in the description. */
GAPLESS_API gapless_status gapless_type_commit(gapless_type type);

/** Writes bytes [position, position + budget) of the packed stream of (count, type) at `buffer` to `packed`, in
 * type-map order, or as many as there are; *moved says how many. `packed` is where the byte at `position` goes.
 * `buffer` is NULL under a type whose displacements are addresses (MPI_BOTTOM). The two buffers may overlap, here and
 * below: the result is as if the source had been read completely first. That costs a temporary copy of the bytes moved,
 * and GAPLESS_ERR_NO_MEM, with nothing written, where there is no memory for it. */
GAPLESS_API gapless_status gapless_pack(const void* buffer, int64_t count, gapless_type type, int64_t position,
                                        void* packed, int64_t budget, int64_t* moved);
/** The reverse. Writes no byte outside the type's runs; where runs overlap, the last in type-map order wins. */
GAPLESS_API gapless_status gapless_unpack(const void* packed, int64_t budget, int64_t position, void* buffer,
                                          int64_t count, gapless_type type, int64_t* moved);

/** Typed copy: bytes [position, position + budget) of the packed stream of (source_count, source_type) at `source` go
 * to where (destination_count, destination_type) at `destination` has them, or as many as there are; *moved says how
 * many. As gapless_pack() and gapless_unpack() one after the other, without the buffer in between, and with loops that
 * suit both sides; short runs that fit no common loop go by way of 64 KB on the stack. The two messages have equal
 * signatures: that is the caller's promise (gapless_signature_equal() checks it); unequal sizes in bytes are
 * GAPLESS_ERR_ARG. Two messages whose memory meets are copied by way of a temporary buffer, as if the source had been
 * read completely first. Cost: for a pair that this thread has not copied lately, linear in the two plans, and bounded;
 * then that of the bytes. */
GAPLESS_API gapless_status gapless_copy(const void* source, int64_t source_count, gapless_type source_type,
                                        void* destination, int64_t destination_count, gapless_type destination_type,
                                        int64_t position, int64_t budget, int64_t* moved);

/** A run of bytes in memory. */
typedef struct gapless_iov {
  void* base;     /**< its first byte */
  int64_t length; /**< [bytes] */
} gapless_iov;
/** The runs of (count, type) at `buffer` from byte `position` of its packed stream on, in type-map order and maximally
 * fused, `limit` entries at most; *entries and *bytes say how much there is in them. The next call goes on at
 * position + *bytes. Cost: logarithmic to find the position, then linear in the entries. */
GAPLESS_API gapless_status gapless_iov_export(const void* buffer, int64_t count, gapless_type type, int64_t position,
                                              gapless_iov* iov, int64_t limit, int64_t* entries, int64_t* bytes);
/** @} */

/** @name Comparing
 * @{ */
/** Whether two types are the same layout: the same sequence of bytes in memory, lower bound and extent, however each
 * was described, and whatever its signature. Exact; the runs are compared lazily, regular parts never one by one. */
GAPLESS_API gapless_status gapless_layout_equal(gapless_type a, gapless_type b, int* equal);
/** Whether two messages at one address are the same sequence of bytes in memory. */
GAPLESS_API gapless_status gapless_message_equal(int64_t count_a, gapless_type a, int64_t count_b, gapless_type b,
                                                 int* equal);
/** @} */

/** @name Types as bytes
 * A layout for another process: docs/serialised.md has the format. What travels is the lower bound, the extent and the
 * normal form: a regular type takes tens of bytes, and equal normal forms with equal bounds have equal bytes. The
 * signature does not travel: send gapless_signature_hash() beside it where it matters.
 * @{ */
/** Writes all of it, or nothing where `capacity` is too small; *needed is what it takes, so that a first call may pass
 * (NULL, 0). Commits the type. Cost: linear in the normal form. */
GAPLESS_API gapless_status gapless_type_serialise(gapless_type type, void* buffer, size_t capacity, size_t* needed);
/** Makes a type of all `length` bytes, and commits it: the same layout, its bounds set as by gapless_type_resized(),
 * its basic types "byte". Any bytes are safe to read: gapless_last_error() says at which byte what was wrong. Cost:
 * linear in `length`. */
GAPLESS_API gapless_status gapless_type_deserialise(const void* bytes, size_t length, gapless_type* type);
/** @} */

/** @name Signatures
 * A type signature is the sequence of basic types of (count, type), without displacements (MPI 4.1, section 5.1). A
 * pair type is two basic types; "packed", "byte", "char", "int8" and "uint8" are five different ones.
 * @{ */
/** Unequal hashes prove unequal signatures, equal hashes prove nothing. Cost: linear in the description. */
GAPLESS_API gapless_status gapless_signature_hash(gapless_type type, int64_t count, uint64_t* hash);
/** *equal: 1 or 0, exactly. The cost depends on the descriptions, never in proportion on counts. */
GAPLESS_API gapless_status gapless_signature_equal(gapless_type type_a, int64_t count_a, gapless_type type_b,
                                                   int64_t count_b, int* equal);
/** The signature type: the basic types of `type` one after the other without a gap. Its size and extent are the size of
 * `type`, its lower bounds 0, its signature that of `type`: serialised data can be allocated and received with it. */
GAPLESS_API gapless_status gapless_type_signature(gapless_type type, gapless_type* signature_type);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
