/* Two processes exchange the columns at their common edge, with no MPI:
 *   ./edges 0 127.0.0.1:7777 & ./edges 1 127.0.0.1:7777
 * Each has 6 rows of 4 columns; rank 0 is on the left. The secret of the job is in GAPLESS_JOB_SECRET. */
#include <gapless/gapless_channel.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 6, kColumns = 4 };

static void check(int status) {
  if (status == GAPLESS_CHANNEL_SUCCESS) return;
  fprintf(stderr, "edges: %s\n", GAPLESS_Channel_last_error());
  exit(EXIT_FAILURE);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: edges RANK HOST:PORT\n");
    return EXIT_FAILURE;
  }
  GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
  options.rank = atoi(argv[1]);
  options.processes = 2;
  options.meeting = argv[2];
  options.provider = "tcp";

  double field[kRows][kColumns];
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) field[row][column] = 100 * options.rank + 10 * row + column;
  }
  gapless_type element, column;
  check((int)gapless_type_named("double", &element));
  check((int)gapless_type_vector(kRows, 1, kColumns, element, &column));
  check((int)gapless_type_free(&element));

  GAPLESS_Channel channel;
  check(GAPLESS_Channel_open(&options, &channel));
  const int peer = 1 - options.rank;
  double* const mine = options.rank == 0 ? &field[0][kColumns - 2] : &field[0][1];
  double* const halo = options.rank == 0 ? &field[0][kColumns - 1] : &field[0][0];
  GAPLESS_Transfer received, sent;
  check(GAPLESS_Channel_receive(channel, halo, 1, column, peer, &received));
  check(GAPLESS_Channel_send(channel, mine, 1, column, peer, &sent));
  check(GAPLESS_Channel_wait(channel, &received, -1, NULL));
  check(GAPLESS_Channel_wait(channel, &sent, -1, NULL));
  check(GAPLESS_Channel_close(&channel));
  check((int)gapless_type_free(&column));

  printf("rank %d:", options.rank);
  for (int row = 0; row < kRows; ++row) printf(" %g", halo[row * kColumns]);
  printf("\n");
  return EXIT_SUCCESS;
}
