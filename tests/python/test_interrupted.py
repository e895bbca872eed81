"""A signal that interrupts a write of the layer's is no error."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from conftest import Compiler
from layered import find_layered

# Signals every 10 ms, whose handler does not restart what they interrupt.
PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
static void nothing(int number) { (void)number; }
int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = nothing};
  struct itimerval often = {{0, 10000}, {0, 10000}};
  MPI_Init(&argc, &argv);
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &often, 0);
  MPI_Finalize();
  return 0;
}
"""


def test_statistics_into_a_pipe_that_is_full_for_a_while(compile_c: Compiler, tmp_path: Path) -> None:
    layered = find_layered("mpich", compile_c)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        filled = os.write(end, b"\n" * (1 << 20))
        told = b""

        def drain() -> None:
            nonlocal told
            time.sleep(0.5)
            while not told.endswith(b"}\n"):
                try:
                    told += os.read(end, 1 << 16)
                except BlockingIOError:
                    time.sleep(0.01)

        reader = threading.Thread(target=drain, daemon=True)
        reader.start()
        answer = layered.run(1, [layered.program("interrupted", PROGRAM)], {"GAPLESS_STATS": f"json:{pipe}"})
        reader.join(timeout=10)
    finally:
        os.close(end)
    assert answer.returncode == 0, answer.stderr
    assert "cannot write" not in answer.stderr
    assert told[filled:].startswith(b'{"schema":1')
