/* halo2d: a two-dimensional halo exchange with column datatypes.
 *
 * A field of n x n doubles is relaxed by a Jacobi iteration: every point becomes a weighted mean of its neighbours up
 * to W points away in the four directions (W = 1 is the classic five-point stencil; high-order stencils need more). The
 * domain is periodic from left to right; the W rows above and below the field are a fixed boundary.
 *
 * The ranks divide the field into strips of columns. C stores rows contiguously, so the W columns that a neighbour
 * needs are n short pieces of memory, one in each row: exactly what MPI_Type_vector describes. The program hands
 * that type to MPI_Sendrecv and leaves the rest to MPI.
 *
 *      one rank's strip, stored row by row:       W columns     my columns      W columns
 *                                                 from left                     from right
 *                                               | . . . . | x x x x x x x x x | . . . . |   row i
 *                                               | . . . . | x x x x x x x x x | . . . . |   row i + 1
 *
 * The result does not depend on the number of ranks, not even in its last bit: the checksum that is printed proves it.
 *
 *   mpicc -O3 halo2d.c -o halo2d
 *   mpiexec -n 2 ./halo2d --n 2048 --iterations 100 --width 4 --alloc-mem
 */
#include <mpi.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n; /* points in each direction */
  int iterations;
  int width;     /* W: reach of the stencil and width of the halo */
  int alloc_mem; /* the field is in memory of MPI_Alloc_mem */
} Options;

typedef struct {
  int n, width;
  int first_column;  /* global number of my first column */
  int columns;       /* number of my columns */
  size_t row_length; /* columns + 2 * width: doubles from one row to the next */
  int left, right;   /* neighbouring ranks */
  double* field;     /* current values, (n + 2 * width) rows */
  double* next;      /* values of the next iteration */
} Strip;

/* The value at row i, column j of my strip; both may reach `width` beyond it. */
static double* at(const Strip* s, double* field, int i, int j) {
  return field + (size_t)(i + s->width) * s->row_length + (size_t)(j + s->width);
}

static void print_usage(FILE* out) {
  fprintf(
      out,
      "usage: mpiexec -n RANKS halo2d [--n N] [--iterations I] [--width W] [--alloc-mem]\n"
      "\n"
      "Relaxes an N x N field of doubles, split into strips of columns, and prints one line of JSON with the whole\n"
      "time, the time in the halo exchange, and a checksum over every bit of the result.\n"
      "\n"
      "  --n N            points in each direction (default 2048)\n"
      "  --iterations I   number of iterations (default 100)\n"
      "  --width W        reach of the stencil = width of the halo in columns (default 4)\n"
      "  --alloc-mem      have the field in memory of MPI_Alloc_mem\n");
}

/* Returns 0 if all is well, 1 to stop with success (help), 2 for an argument that makes no sense. */
static int parse_options(int argc, char** argv, int rank, Options* options) {
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
      if (rank == 0) print_usage(stdout);
      return 1;
    }
    if (strcmp(argv[k], "--alloc-mem") == 0) {
      options->alloc_mem = 1;
      continue;
    }
    int* target = strcmp(argv[k], "--n") == 0            ? &options->n
                  : strcmp(argv[k], "--iterations") == 0 ? &options->iterations
                  : strcmp(argv[k], "--width") == 0      ? &options->width
                                                         : NULL;
    char* end = NULL;
    const long value = target != NULL && k + 1 < argc ? strtol(argv[k + 1], &end, 10) : 0;
    if (end == NULL || *end != '\0' || value < 1 || value > 1000000) {
      if (rank == 0) {
        fprintf(stderr,
                "halo2d: cannot make sense of '%s%s%s': expected --n, --iterations or --width and a number from 1\n\n",
                argv[k], k + 1 < argc ? " " : "", k + 1 < argc ? argv[k + 1] : "");
        print_usage(stderr);
      }
      return 2;
    }
    *target = (int)value;
    ++k;
  }
  return 0;
}

/* An uneven but exactly reproducible start: a function of the global row and column alone. */
static double initial_value(int i, int global_j) {
  return (double)((i * 31 + global_j * 17) % 101) / 101.0;
}

/* Zeros; NULL if there is not as much. */
static double* allocate(const Options* options, size_t points) {
  double* memory = NULL;
  if (!options->alloc_mem) return calloc(points, sizeof(double));
  MPI_Alloc_mem((MPI_Aint)(points * sizeof(double)), MPI_INFO_NULL, &memory);
  if (memory != NULL) memset(memory, 0, points * sizeof(double));
  return memory;
}

static int make_strip(const Options* options, int rank, int ranks, Strip* s) {
  s->n = options->n;
  s->width = options->width;
  s->first_column = (int)((int64_t)options->n * rank / ranks);
  s->columns = (int)((int64_t)options->n * (rank + 1) / ranks) - s->first_column;
  s->row_length = (size_t)s->columns + 2 * (size_t)s->width;
  s->left = (rank + ranks - 1) % ranks;
  s->right = (rank + 1) % ranks;
  const size_t points = ((size_t)s->n + 2 * (size_t)s->width) * s->row_length;
  s->field = allocate(options, points); /* the boundary above and below stays 0 in both */
  s->next = allocate(options, points);
  if (s->field == NULL || s->next == NULL) return 0;
  for (int i = 0; i < s->n; ++i)
    for (int j = 0; j < s->columns; ++j) *at(s, s->field, i, j) = initial_value(i, s->first_column + j);
  return 1;
}

/* Every rank sends its last columns to the right while it receives from the left, and then the other way round. */
static void exchange_halos(const Strip* s, MPI_Datatype halo_columns) {
  double* f = s->field;
  MPI_Sendrecv(at(s, f, 0, s->columns - s->width), 1, halo_columns, s->right, 0, at(s, f, 0, -s->width), 1,
               halo_columns, s->left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(at(s, f, 0, 0), 1, halo_columns, s->left, 1, at(s, f, 0, s->columns), 1, halo_columns, s->right, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One Jacobi step. Row by row, one distance after the other: each inner loop runs along memory. */
static void relax(const Strip* s, const double* weights) {
  for (int i = 0; i < s->n; ++i) {
    double* out = at(s, s->next, i, 0);
    const double* row = at(s, s->field, i, 0);
    for (int d = 1; d <= s->width; ++d) {
      const double* up = at(s, s->field, i - d, 0);
      const double* down = at(s, s->field, i + d, 0);
      const double weight = weights[d];
      if (d == 1)
        for (int j = 0; j < s->columns; ++j) out[j] = weight * ((row[j - d] + row[j + d]) + (up[j] + down[j]));
      else
        for (int j = 0; j < s->columns; ++j) out[j] += weight * ((row[j - d] + row[j + d]) + (up[j] + down[j]));
    }
  }
}

/* Scrambles 64 bits (the finaliser of splitmix64). */
static uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Hashes the bits of every point together with its place in the global field. The sum modulo 2^64 is the same
 * in whatever order and on however many ranks the points are added, yet no two points can be swapped unnoticed. */
static uint64_t local_checksum(const Strip* s, double* sum) {
  uint64_t hash = 0;
  *sum = 0.0;
  for (int i = 0; i < s->n; ++i)
    for (int j = 0; j < s->columns; ++j) {
      const double value = *at(s, s->field, i, j);
      uint64_t bits;
      memcpy(&bits, &value, sizeof bits);
      const uint64_t place = (uint64_t)i * (uint64_t)s->n + (uint64_t)(s->first_column + j);
      hash += scramble(bits + scramble(place + 1));
      *sum += value;
    }
  return hash;
}

static int run(const Options* options, int rank, int ranks) {
  Strip s;
  /* The narrowest strip must hold the columns that its neighbours need. */
  if (options->n / ranks < options->width) {
    if (rank == 0)
      fprintf(stderr, "halo2d: %d columns on %d ranks leave strips narrower than the halo of %d\n", options->n, ranks,
              options->width);
    return 2;
  }
  int fits = make_strip(options, rank, ranks, &s);
  MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  double* weights = malloc(((size_t)options->width + 1) * sizeof(double));
  if (!fits || weights == NULL) {
    if (rank == 0) fprintf(stderr, "halo2d: not enough memory for %d x %d points\n", options->n, options->n);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }

  /* Weights fall with the square of the distance and add up to one over the 4 * W neighbours. */
  double total_weight = 0.0;
  for (int d = 1; d <= options->width; ++d) total_weight += 4.0 / ((double)d * d);
  for (int d = 1; d <= options->width; ++d) weights[d] = 1.0 / ((double)d * d) / total_weight;

  /* W columns: in each of the n rows W neighbouring doubles, one row length apart. */
  MPI_Datatype halo_columns;
  MPI_Type_vector(s.n, s.width, (int)s.row_length, MPI_DOUBLE, &halo_columns);
  MPI_Type_commit(&halo_columns);

  /* The first messages between two ranks also set up their connection: exchange once before the clock starts. The first
   * iteration receives the same values again. */
  exchange_halos(&s, halo_columns);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  double seconds[2] = {0.0, 0.0}; /* whole time, time in the exchange */
  for (int iteration = 0; iteration < options->iterations; ++iteration) {
    const double exchange_start_s = MPI_Wtime();
    exchange_halos(&s, halo_columns);
    seconds[1] += MPI_Wtime() - exchange_start_s;
    relax(&s, weights);
    double* old = s.field;
    s.field = s.next;
    s.next = old;
  }
  seconds[0] = MPI_Wtime() - start_s;

  /* Times of the slowest rank. The sum is for the eye: its last digits depend on the number of ranks. */
  double slowest[2], local_sum, sum = 0.0;
  uint64_t local_hash = local_checksum(&s, &local_sum), hash = 0;
  MPI_Reduce(seconds, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&local_hash, &hash, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&local_sum, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf(
        "{\"n\":%d,\"iterations\":%d,\"ranks\":%d,\"width\":%d,\"total_s\":%.6f,\"exchange_s\":%.6f,"
        "\"checksum\":\"%016" PRIx64 "\",\"sum\":%.12g}\n",
        options->n, options->iterations, ranks, options->width, slowest[0], slowest[1], hash, sum);

  MPI_Type_free(&halo_columns);
  free(weights);
  if (options->alloc_mem) {
    MPI_Free_mem(s.field);
    MPI_Free_mem(s.next);
  } else {
    free(s.field);
    free(s.next);
  }
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  Options options = {2048, 100, 4, 0};
  int status = parse_options(argc, argv, rank, &options);
  if (status == 0)
    status = run(&options, rank, ranks);
  else if (status == 1)
    status = 0;
  MPI_Finalize();
  return status;
}
