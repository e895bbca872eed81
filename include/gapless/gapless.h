/* Gapless engine, C interface: datatypes as MPI describes them, packed and unpacked from any byte position.
 *
 *   gapless_type column, element;
 *   gapless_type_named("double", &element);
 *   gapless_type_vector(1000, 1, 1000, element, &column);
 *   gapless_pack(matrix, 1, column, 0, buffer, sizeof buffer, &moved);
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

typedef enum gapless_status {
  GAPLESS_SUCCESS = 0,
  GAPLESS_ERR_ARG = 1,      /* an argument that no type can have */
  GAPLESS_ERR_OVERFLOW = 2, /* a size or displacement beyond 63 bits */
  GAPLESS_ERR_NO_MEM = 3
} gapless_status;

typedef struct gapless_type_s* gapless_type;

typedef enum gapless_order { GAPLESS_ORDER_C = 0, GAPLESS_ORDER_FORTRAN = 1 } gapless_order;

/* What went wrong in the last call of this thread that failed: never NULL, valid until its next call. */
GAPLESS_API const char* gapless_last_error(void);
GAPLESS_API const char* gapless_version(void);

/* A named type: "byte", "int8" .. "uint64", "float", "double", "long_double", "float_complex", "2int", .. */
GAPLESS_API gapless_status gapless_type_named(const char* name, gapless_type* type);
GAPLESS_API gapless_status gapless_type_contiguous(int64_t count, gapless_type old, gapless_type* type);
/* stride in extents of `old` */
GAPLESS_API gapless_status gapless_type_vector(int64_t count, int64_t blocklength, int64_t stride, gapless_type old,
                                               gapless_type* type);
GAPLESS_API gapless_status gapless_type_hvector(int64_t count, int64_t blocklength, int64_t stride_bytes,
                                                gapless_type old, gapless_type* type);
/* displacements in extents of `old`; `count` entries in each list */
GAPLESS_API gapless_status gapless_type_indexed(int64_t count, const int64_t* blocklengths,
                                                const int64_t* displacements, gapless_type old, gapless_type* type);
GAPLESS_API gapless_status gapless_type_hindexed(int64_t count, const int64_t* blocklengths,
                                                 const int64_t* displacements_bytes, gapless_type old,
                                                 gapless_type* type);
GAPLESS_API gapless_status gapless_type_indexed_block(int64_t count, int64_t blocklength, const int64_t* displacements,
                                                      gapless_type old, gapless_type* type);
GAPLESS_API gapless_status gapless_type_hindexed_block(int64_t count, int64_t blocklength,
                                                       const int64_t* displacements_bytes, gapless_type old,
                                                       gapless_type* type);
GAPLESS_API gapless_status gapless_type_struct(int64_t count, const int64_t* blocklengths,
                                               const int64_t* displacements_bytes, const gapless_type* types,
                                               gapless_type* type);
GAPLESS_API gapless_status gapless_type_subarray(int dimensions, const int64_t* sizes, const int64_t* subsizes,
                                                 const int64_t* starts, gapless_order order, gapless_type old,
                                                 gapless_type* type);
GAPLESS_API gapless_status gapless_type_resized(int64_t lower_bound, int64_t extent, gapless_type old,
                                                gapless_type* type);
GAPLESS_API gapless_status gapless_type_dup(gapless_type old, gapless_type* type);
/* Frees the handle and sets it to NULL; types made from it keep what they need. */
GAPLESS_API gapless_status gapless_type_free(gapless_type* type);

GAPLESS_API gapless_status gapless_type_size(gapless_type type, int64_t* size);
GAPLESS_API gapless_status gapless_type_extent(gapless_type type, int64_t* lower_bound, int64_t* extent);
GAPLESS_API gapless_status gapless_type_true_extent(gapless_type type, int64_t* true_lower_bound, int64_t* true_extent);

/* Builds the plan of a type, which the first pack or unpack otherwise does. Cost: linear in the description. */
GAPLESS_API gapless_status gapless_type_commit(gapless_type type);

/* Writes bytes [position, position + budget) of the packed stream of (count, type) at `buffer` to `packed`, in
 * type-map order, or as many as there are; *moved says how many. `packed` is where the byte at `position` goes. */
GAPLESS_API gapless_status gapless_pack(const void* buffer, int64_t count, gapless_type type, int64_t position,
                                        void* packed, int64_t budget, int64_t* moved);
/* The reverse. Writes no byte outside the type's runs; where runs overlap, the last in type-map order wins. */
GAPLESS_API gapless_status gapless_unpack(const void* packed, int64_t budget, int64_t position, void* buffer,
                                          int64_t count, gapless_type type, int64_t* moved);

/* Type signatures: the sequence of basic types of (count, type), without displacements (MPI 4.1, section 5.1). A pair
 * type is two basic types; "packed", "byte", "char", "int8" and "uint8" are five different ones.
 * Unequal hashes prove unequal signatures, equal hashes prove nothing. Cost: linear in the description. */
GAPLESS_API gapless_status gapless_signature_hash(gapless_type type, int64_t count, uint64_t* hash);
/* *equal: 1 or 0, exactly. The cost depends on the descriptions, never in proportion on counts. */
GAPLESS_API gapless_status gapless_signature_equal(gapless_type type_a, int64_t count_a, gapless_type type_b,
                                                   int64_t count_b, int* equal);
/* The signature type: the basic types of `type` one after the other without a gap. Its size and extent are the size of
 * `type`, its lower bounds 0, its signature that of `type`: serialised data can be allocated and received with it. */
GAPLESS_API gapless_status gapless_type_signature(gapless_type type, gapless_type* signature_type);

#ifdef __cplusplus
}
#endif
#endif
