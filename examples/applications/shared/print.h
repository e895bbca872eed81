#ifndef EXAMPLES_APPLICATIONS_PRINT_H
#define EXAMPLES_APPLICATIONS_PRINT_H

#include "run.h"

/* What a run found, as a line of JSON or as one to read; `bytes` is what the rank that sends most sends. */
void print_run(const Application* application, const Options* options, const Domain* domain, const Run* run,
               long long bytes);

#endif
