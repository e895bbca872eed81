#ifndef EXAMPLES_APPLICATIONS_OPTIONS_H
#define EXAMPLES_APPLICATIONS_OPTIONS_H

#include "../halo/halo.h"

typedef struct {
  int rows, columns; /* of the field; of each rank's block if `weak` */
  int weak;
  int steps, depth, rounds;
  unsigned seed;
  const Way* ways[WAYS];
  const Call* calls[CALLS];
  int way_count, call_count;
  int verify, together, samples, json;
} Options;

typedef enum { RUN, HELP, WRONG } Parsed;

/* Reads the command line; `options` holds the defaults. Rank 0 prints help, or what is wrong with it. */
Parsed parse_options(int argc, char** argv, int rank, const char* program, const char* what, Options* options);

#endif
