#include "print.h"

#include <inttypes.h>
#include <stdio.h>

static void print_json(const Application* application, const Options* options, const Grid* grid, const Run* run,
                       long long bytes) {
  printf("{\"program\":\"%s\",\"way\":\"%s\",\"call\":\"%s\",\"round\":%d,\"rows\":%d,\"columns\":%d,\"steps\":%d,",
         application->name, run->way->name, run->call->name, run->round, grid->rows, grid->columns, options->steps);
  printf("\"depth\":%d,\"ranks\":%d,\"grid\":[%d,%d],\"sent_bytes\":%lld,\"together\":%s,\"verified\":%s,",
         options->depth, grid->ranks, grid->dims[0], grid->dims[1], bytes, options->together ? "true" : "false",
         run->wrong == 0 ? "true" : "false");
  printf("\"exchanges\":%d,\"total_s\":%.9f,\"exchange_s\":%.9f,\"hash\":\"%016" PRIx64 "\",\"%s\":%.17g",
         run->exchanges, run->total_s, run->exchange_s, run->hash, application->gauge_name, run->gauge);
  if (options->samples) {
    printf(",\"exchange_ns\":[");
    for (int k = 0; k < run->exchanges; ++k) printf("%s%.0f", k > 0 ? "," : "", 1e9 * run->exchange_each_s[k]);
    printf("]");
  }
  printf("}\n");
}

void print_run(const Application* application, const Options* options, const Domain* domain, const Run* run,
               long long bytes) {
  const Grid* grid = domain->grid;
  if (options->json)
    print_json(application, options, grid, run, bytes);
  else
    printf(
        "%-5s %5d x %-5d on %d x %d ranks, %-8s %-10s total %.4f s, exchanges %.4f s, step %.1f us, %s %.6g, hash "
        "%016" PRIx64 "\n",
        application->name, grid->rows, grid->columns, grid->dims[0], grid->dims[1], run->way->name, run->call->name,
        run->total_s, run->exchange_s, 1e6 * run->total_s / options->steps, application->gauge_name, run->gauge,
        run->hash);
  fflush(stdout);
}
