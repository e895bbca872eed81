/* How a library's creation of irregular types is measured; each library fills in four functions. For C and C++.
 *
 * Per case: one creation to verify by packing, then, in each repetition, the time of create + commit and the time of
 * free. Every case runs once before the first is measured: malloc returns the pages of its first large blocks to the
 * system and later keeps them, so that otherwise the case that comes first would pay for page faults alone.
 * `bytes_kept` is what malloc has given out more after a commit than before the creation: the lists passed in belong to
 * the caller and are there before.
 */
#ifndef GAPLESS_BENCH_COMMIT_H
#define GAPLESS_BENCH_COMMIT_H

#include <malloc.h>

#include "irregular.h"
#include "samples.h"

typedef struct Library {
  /* Turns the lists into those that the library's constructor takes; not measured. */
  void (*prepare)(const Irregular* list);
  void (*create)(const Irregular* list);
  void (*release)(void);
  void (*pack)(const double* from, double* to, int64_t bytes);
} Library;

static inline int64_t given_out(void) {
  const struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

/* `first_ns`: where not 0, printed as the time of the process's very first creation. Returns that of its own first. */
static inline double measure_commit(const Library* library, int which, int blocks, int repetitions, int print,
                                    double first_ns) {
  Irregular list = make_irregular(which, blocks);
  library->prepare(&list);
  double* places = make_places(list.span);
  double* packed = (double*)calloc((size_t)list.elements, sizeof(double));
  double* create_ns = (double*)calloc((size_t)repetitions, sizeof(double));
  double* free_ns = (double*)calloc((size_t)repetitions, sizeof(double));
  if (packed == NULL || create_ns == NULL || free_ns == NULL) fail("out of memory");

  const int64_t before = given_out();
  const double begin = now_ns();
  library->create(&list);
  const double own_first_ns = now_ns() - begin;
  const int64_t kept = given_out() - before;
  library->pack(places, packed, list.elements * (int64_t)sizeof(double));
  if (!is_packed(&list, packed)) fail("the library packs something else");
  library->release();

  for (int i = 0; i < repetitions; ++i) {
    const double start = now_ns();
    library->create(&list);
    const double made = now_ns();
    library->release();
    create_ns[i] = made - start;
    free_ns[i] = now_ns() - made;
  }
  if (print) {
    printf("{\"case\": \"%s\", \"blocks\": %d, \"bytes_kept\": %lld, \"verified\": true", list.name, blocks,
           (long long)kept);
    if (first_ns > 0) printf(", \"first_ns\": %.1f", first_ns);
    print_samples("create_ns", create_ns, repetitions);
    print_samples("free_ns", free_ns, repetitions);
    printf("}\n");
    fflush(stdout);
  }
  free(free_ns);
  free(create_ns);
  free(packed);
  free(places);
  free_irregular(&list);
  return own_first_ns;
}

static inline void measure_commits(const Library* library, Arguments arguments) {
  double first_ns = 0;
  for (int i = 0; i < kIrregularCases; ++i) {
    const double ns = measure_commit(library, (arguments.first + i) % kIrregularCases, arguments.blocks, 1, 0, 0);
    if (i == 0) first_ns = ns;
  }
  for (int i = 0; i < kIrregularCases; ++i)
    measure_commit(library, (arguments.first + i) % kIrregularCases, arguments.blocks, arguments.repetitions, 1,
                   i == 0 ? first_ns : 0);
}

#endif
