#ifndef EXAMPLES_APPLICATIONS_RUN_H
#define EXAMPLES_APPLICATIONS_RUN_H

#include <stdint.h>

#include "application.h"
#include "options.h"

/* One run: one way by one call, from the first state on. Times are the slowest rank's, known on rank 0. */
typedef struct {
  const Way* way;
  const Call* call;
  int round, exchanges;
  double total_s, exchange_s;
  double* exchange_each_s; /* of each exchange */
  uint64_t hash;
  double gauge;
  long long wrong; /* bytes of halos; -1: not looked at */
} Run;

void run_once(const Application* application, const Options* options, Domain* domain, Run* run);

#endif
