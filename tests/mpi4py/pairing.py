"""Which modules of mpi4py's suite send something through shared memory; one that does so no longer is a failure."""

from __future__ import annotations

from layer import Layer
from suite import SuiteRun, module_of

# Those that pair where the layer is forced, on MPICH and Open MPI alike. All of it is collective calls: the suite's
# messages from point to point are shorter than a header (wire/header.hpp), so none of them may be paired. What test_io,
# test_win, test_comm_inter and test_p2p_obj pair is little, or is the library's own: they are not here.
PAIRING = (
    *("test_cco_buf", "test_cco_nb_buf", "test_cco_ngh_buf", "test_cco_ngh_obj", "test_cco_obj", "test_cco_pr_buf"),
    *("test_cco_pr_vec", "test_cco_vec", "test_util_pkl5", "test_util_sync"),
)
Counts = dict[str, tuple[int, int]]  # of a module: messages, and collective calls


def paired_by_module(run: SuiteRun) -> Counts:
    """Return how many calls of each module were paired, on all ranks."""
    counts: Counts = {}
    for test, entry in run.tests.items():
        messages, collective = counts.get(module_of(test), (0, 0))
        counts[module_of(test)] = messages + entry.paired[0], collective + entry.paired[1]
    return counts


def unpaired_modules(counts: Counts, ranks: int, layer: Layer) -> list[str]:
    """Return the modules of a run that should have paired something and did not."""
    if layer is not Layer.FORCE or ranks < 2:
        return []
    return [module for module in PAIRING if counts.get(module) == (0, 0)]
