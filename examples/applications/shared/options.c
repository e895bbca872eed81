#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000 };

static void print_usage(FILE* out, const char* program, const char* what, const Options* defaults) {
  fprintf(out,
          "usage: mpiexec -n RANKS %s [options]\n\n%s\n\n"
          "  --size N | RxC   sites down and across (default: %dx%d)\n"
          "  --weak           the size is that of each rank's block, and not of the whole field\n"
          "  --steps K        time steps (default: %d)\n"
          "  --depth D        rows and columns of halo: one exchange for D steps, in which sites near the edge of a\n"
          "                   block are computed on both sides (default: %d)\n"
          "  --way NAMES      how halos are described: hand (packed by loops), vector, subarray (default: vector)\n"
          "  --call NAMES     how they are sent: waitall (MPI_Irecv, MPI_Isend, MPI_Waitall), neighbor\n"
          "                   (MPI_Neighbor_alltoallw), persistent (MPI_Startall, MPI_Waitall) (default: waitall)\n",
          program, what, defaults->rows, defaults->columns, defaults->steps, defaults->depth);
  fprintf(
      out,
      "                   Several names with commas, or all: each way by each call in turn, from the same start\n"
      "  --rounds R       so often, in an order drawn anew each time (default: 1)\n"
      "  --seed S         of that order (default: 1)\n"
      "  --verify         before each run compare halos with arithmetic\n"
      "  --together       a barrier before each exchange: its time then holds no waiting for slower ranks\n"
      "  --json           one line of JSON for each run\n"
      "  --samples        with --json, also the time of each exchange\n"
      "  --help           this text\n\n"
      "Example: mpiexec -n 4 %s --size 1024 --steps 100 --way hand,vector --call all --verify\n\n"
      "Exit status: 0; 1 if halos are wrong or two runs differ in their result; 2 for arguments that make no sense.\n",
      program);
}

/* A whole number from 1; 0 if the text is none, with what follows it in `rest`. */
static int number(const char* text, const char** rest) {
  char* end;
  const long value = strtol(text, &end, 10);
  *rest = end;
  return end != text && value >= 1 && value <= MOST ? (int)value : 0;
}

static int whole_number(const char* text, int* value) {
  const char* rest;
  const int found = number(text, &rest);
  if (found == 0 || *rest != '\0') return 0;
  *value = found;
  return 1;
}

static int size(const char* text, Options* options) {
  const char* rest;
  const int rows = number(text, &rest);
  int columns = rows;
  if (rows == 0 || (*rest == 'x' ? !whole_number(rest + 1, &columns) : *rest != '\0')) return 0;
  options->rows = rows;
  options->columns = columns;
  return 1;
}

/* Calls `take` with each word between commas, or with each of `names` for "all"; 0 if one is unknown or there is none.
 */
static int each_word(const char* text, const char* const* names, int count, void (*take)(Options*, int),
                     Options* options) {
  if (strcmp(text, "all") == 0) {
    for (int i = 0; i < count; ++i) take(options, i);
    return 1;
  }
  for (const char* word = text;; word += strcspn(word, ",") + 1) {
    const size_t length = strcspn(word, ",");
    int i = 0;
    while (i < count && !(strlen(names[i]) == length && strncmp(names[i], word, length) == 0)) ++i;
    if (i == count) return 0;
    take(options, i);
    if (word[length] == '\0') return 1;
  }
}

static void take_way(Options* options, int i) {
  for (int k = 0; k < options->way_count; ++k)
    if (options->ways[k] == kWays[i]) return;
  options->ways[options->way_count++] = kWays[i];
}

static void take_call(Options* options, int i) {
  for (int k = 0; k < options->call_count; ++k)
    if (options->calls[k] == kCalls[i]) return;
  options->calls[options->call_count++] = kCalls[i];
}

static int ways(const char* text, Options* options) {
  const char* names[WAYS];
  for (int i = 0; i < WAYS; ++i) names[i] = kWays[i]->name;
  options->way_count = 0;
  return each_word(text, names, WAYS, take_way, options);
}

static int calls(const char* text, Options* options) {
  const char* names[CALLS];
  for (int i = 0; i < CALLS; ++i) names[i] = kCalls[i]->name;
  options->call_count = 0;
  return each_word(text, names, CALLS, take_call, options);
}

static const struct option kOptions[] = {
    {"size", required_argument, NULL, 'n'},   {"weak", no_argument, NULL, 'w'},
    {"steps", required_argument, NULL, 'k'},  {"depth", required_argument, NULL, 'd'},
    {"way", required_argument, NULL, 'y'},    {"call", required_argument, NULL, 'c'},
    {"rounds", required_argument, NULL, 'r'}, {"seed", required_argument, NULL, 's'},
    {"verify", no_argument, NULL, 'v'},       {"together", no_argument, NULL, 't'},
    {"samples", no_argument, NULL, 'm'},      {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
};

/* Takes one option; NULL, or what was expected. */
static const char* take(int option, Options* options) {
  int seed = 0;
  switch (option) {
    case 'n':
      return size(optarg, options) ? NULL : "a number of sites from 1, or two as 512x2048";
    case 'k':
      return whole_number(optarg, &options->steps) ? NULL : "a number of steps from 1";
    case 'd':
      return whole_number(optarg, &options->depth) ? NULL : "a depth from 1";
    case 'y':
      return ways(optarg, options) ? NULL : "hand, vector, subarray, some of them with commas, or all";
    case 'c':
      return calls(optarg, options) ? NULL : "waitall, neighbor, persistent, some of them with commas, or all";
    case 'r':
      return whole_number(optarg, &options->rounds) ? NULL : "a number of rounds from 1";
    case 's':
      if (!whole_number(optarg, &seed)) return "a number from 1";
      options->seed = (unsigned)seed;
      return NULL;
    case 'w':
      options->weak = 1;
      return NULL;
    case 'v':
      options->verify = 1;
      return NULL;
    case 't':
      options->together = 1;
      return NULL;
    case 'm':
      options->samples = 1;
      return NULL;
    default:
      options->json = 1;
      return NULL;
  }
}

Parsed parse_options(int argc, char** argv, int rank, const char* program, const char* what, Options* options) {
  const Options defaults = *options;
  opterr = 0; /* one rank says what is wrong, not each */
  for (int at; at = optind, optind < argc;) {
    int chosen = -1;
    const int option = getopt_long(argc, argv, "h", kOptions, &chosen);
    if (option == 'h') {
      if (rank == 0) print_usage(stdout, program, what, &defaults);
      return HELP;
    }
    const char* expected = option == -1    ? "no argument without an option"
                           : option == '?' ? "an option of this program, with its value"
                                           : take(option, options);
    if (expected != NULL) {
      if (rank == 0)
        fprintf(stderr, "%s: cannot make sense of '%s%s%s': expected %s; '%s --help' says more\n", program, argv[at],
                option != -1 && optarg != NULL && argv[at + 1] == optarg ? " " : "",
                option != -1 && optarg != NULL && argv[at + 1] == optarg ? optarg : "", expected, program);
      return WRONG;
    }
  }
  return RUN;
}
