/* What the three programs have in common: options, time steps, times, and what is printed. A program adds what lies at
 * a site, how it begins, and how a step computes it. */
#ifndef EXAMPLES_APPLICATIONS_APPLICATION_H
#define EXAMPLES_APPLICATIONS_APPLICATION_H

#include "domain.h"

/* Sites of a block, [first, end), which may reach into its halo. */
typedef struct {
  int first_row, end_row, first_column, end_column;
} Region;

typedef struct {
  const char* name;
  const char* what; /* for --help */
  Site site;
  int periodic[2];   /* down, across */
  int corners;       /* whether a step reads sites diagonally */
  int rows, columns; /* unless told otherwise */
  int steps;
  /* What the program needs besides, made once; NULL: nothing. Returns 0 if there is not enough memory. */
  int (*make)(const Domain* domain);
  void (*end)(void);
  /* The first state: arrays[0], and what lies beyond the borders in both arrays. */
  void (*begin)(const Domain* domain);
  /* One step for the sites of a region; what it reads around them is there. It may set sites of `from` beyond a border.
   */
  void (*step)(const Domain* domain, void* from, void* to, Region region);
  /* One number that a reader can judge the result by: added over the ranks, or the greatest of them. */
  const char* gauge_name;
  int gauge_adds;
  double (*gauge)(const Domain* domain, void* array);
} Application;

/* Everything from MPI_Init to MPI_Finalize; returns the exit status. */
int run_application(int argc, char** argv, const Application* application);

/* Whether my block ends at a border of the field on that side: down and across as in grid_has. */
static inline int at_border(const Domain* domain, int down, int across) {
  return !grid_has(domain->grid, down, across);
}

#endif
