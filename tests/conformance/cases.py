"""What the conformance set runs: programs, their arguments and the layer's settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """One launch."""

    program: str
    arguments: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    ranks: int = 2
    exit_codes: tuple[int, ...] = (0,)
    is_long: bool = False
    """Only with --long: minutes, or gigabytes."""
    is_second: bool = False
    """Not with --few."""
    timeout_s: int = 120
    expects: str = ""
    """What must stand in the output."""
    tool: str = ""
    """Another tool is preloaded as well: "after" the layer or "before" it."""

    only: str = ""
    """The one library that this is about."""
    layer_on_first: bool = False
    """The layer is under rank 0 only."""
    pairs: int | None = None
    """At least so many calls, counted on each rank, go through the memory that processes share; 0: none may."""
    first: dict[str, str] = field(default_factory=dict)
    """Settings that only rank 0 has."""

    def name(self) -> str:
        """Return how the case is reported."""
        words = [self.program, *self.arguments, *(f"{k}={v}" for k, v in self.settings.items())]
        if self.ranks != 2:
            words.append("on 1 rank" if self.ranks == 1 else f"on {self.ranks} ranks")
        if self.layer_on_first:
            words.append("with the layer on rank 0 only")
        return " ".join([*words, *(f"with {k}={v} on rank 0" for k, v in self.first.items())])

    def is_paired_enough(self, calls: int) -> bool:
        """Say whether as many calls were paired as there should be."""
        return self.pairs is None or (calls >= self.pairs if self.pairs > 0 else calls == 0)

    def few(self) -> Case:
        """Return the case with a quarter of its seeds, as `make test` runs it; four or five call every procedure."""

        def quarter(word: str) -> str:
            return str(max(4, int(word) // 4)) if word.isdigit() and int(word) > 5 else word

        # Those of communicators are not seeds, and the first series are of every procedure.
        is_whole = self.program in ("paired_life", "paired_asking")
        return self if is_whole else replace(self, arguments=tuple(map(quarter, self.arguments)))

    def of_seeds(self, first: int, count: int) -> Case | None:
        """Return the case with these random programs, if it runs random programs and nothing else."""
        if self.program != "p2p_random" or len(self.arguments) != 2 or self.is_long or self.pairs == 0:
            return None
        return replace(self, arguments=(str(first), str(count)), timeout_s=self.timeout_s + count)


ANY_CODE = tuple(range(256))
ANY_FAILURE = tuple(range(1, 256))
FORCED = {"GAPLESS_FORCE": "1"}
RULES = Path(__file__).resolve().parent.parent / "preload"
# What is built in differs between libraries.
MESSAGES = {"GAPLESS_SMALLEST_PAIRED": "16384"}
# What is packed goes in two pieces, and nothing through shared memory.
SPLIT = {"GAPLESS_RULES": str(RULES / "split.rules"), "GAPLESS_SMALLEST_PAIRED": "1000000000"}
# The pool has next to nothing, and the reserve a page: a call that fits must not be refused its second buffer.
TIGHT = {"GAPLESS_POOL_BYTES": "1K", "GAPLESS_RESERVE_BYTES": "4K"}
# Open MPI's broadcasts in segments, cut at elements of each rank's own type.
SEGMENTED = {
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": "4096",
}


# Whatever the size, blocks go through the memory that the processes of a node share (tests/conformance/paired.cpp).
PAIRED = {"GAPLESS_SMALLEST_PAIRED": "1"}
# Two chunks a process: most messages find no room.
TINY = {**PAIRED, "GAPLESS_PAIRED_BYTES": "400K"}
# Ten of them.
FEW_CHUNKS = {**PAIRED, "GAPLESS_PAIRED_BYTES": "2M"}
THRESHOLD = {"GAPLESS_SMALLEST_PAIRED": "100"}
# Hardly any staging for what does not go there.
SCARCE = {**PAIRED, "GAPLESS_POOL_BYTES": "1", "GAPLESS_RESERVE_BYTES": "64K"}


# Every all-to-all that may be is run by the layer's own algorithms.
OWN = {"GAPLESS_ALLTOALL": "own"}


def _own_alltoall() -> Iterator[Case]:
    """Yield the cases of all-to-alls that are the layer's own."""
    for ranks in (2, 3):
        for what in ("completes", "independent"):
            yield Case("own_alltoall", (what,), OWN, ranks=ranks)
    yield Case("own_alltoall", ("completes",), OWN, ranks=1)
    yield Case("own_alltoall", ("completes",), OWN, ranks=5, is_second=True)
    yield Case("own_alltoall", ("ends",), OWN, ranks=3)
    yield Case("finalize", ("persistent",), OWN, ranks=3)
    yield Case("finalize", ("session",), OWN, is_second=True)
    yield Case("attributes", (), OWN, ranks=3, is_second=True)
    # As built in (src/alltoall/measured.cpp): between two processes on MPICH.
    yield Case("own_alltoall", ("choice",), only="mpich")
    for ranks, seeds in ((3, "4"), (2, "6"), (6, "4")):
        yield Case("collectives", (seeds,), OWN, ranks=ranks, timeout_s=300, is_second=ranks != 3)
    for what in ("undecoded", "contiguous", "errors"):
        yield Case("coll_faults", (what,), OWN, ranks=3, timeout_s=300, is_second=what != "undecoded")
    for what in ("outstanding", "threads"):
        yield Case("coll_mixed", (what, "8"), OWN, ranks=3, is_second=True)
    yield Case("coll_ends", (), OWN, is_second=True)
    for ranks in (2, 5, 9):
        yield Case("collectives", ("26",), OWN, ranks=ranks, is_long=True, timeout_s=1800)


def _paired() -> Iterator[Case]:
    """Yield the cases of collectives by shared memory: what other cases do, and what can only go wrong here."""
    for ranks, seeds in ((3, 6), (2, 8), (4, 4), (5, 2)):
        yield Case("collectives", (str(seeds),), PAIRED, ranks=ranks, timeout_s=300, pairs=1, is_second=ranks != 3)
    for settings in (TINY, THRESHOLD):
        yield Case("collectives", ("4",), settings, ranks=3, timeout_s=300, pairs=1, is_second=True)
    yield Case("collectives_c", ("4",), PAIRED, ranks=3, timeout_s=300, pairs=1, is_second=True)
    for what in ("outstanding", "threads", "intercomm"):
        yield Case("coll_mixed", (what, "8"), PAIRED, ranks=3, is_second=True)
    # Not "aliased": where the root alone refuses its arguments, an error, the others wait for it.
    for what in ("memory", "undecoded", "contiguous", "errors"):
        yield Case("coll_faults", (what,), PAIRED, ranks=3, timeout_s=300, is_second=True)
    # What the rules leave to the library, where it puts headers as types say.
    gathered = {"GAPLESS_RULES": str(RULES / "gathered_header.rules")}
    for ranks, is_second in ((3, False), (2, True)):
        yield Case("coll_messages", ("each",), MESSAGES, ranks=ranks, pairs=1, is_second=is_second)
        yield Case("coll_messages", ("kinds",), MESSAGES, ranks=ranks, pairs=1, is_second=is_second)
        yield Case("coll_messages", ("switched",), MESSAGES, ranks=ranks, pairs=1, is_second=is_second)
    for what in ("particles", "line", "too_long", "finalizing", "finalizing_in_session"):
        yield Case("coll_messages", (what,), MESSAGES, ranks=3, pairs=1, is_second=what == "too_long")
    yield Case("coll_messages", ("particles",), gathered, ranks=3, pairs=1, is_second=True)
    for settings in (FORCED, gathered):
        yield Case("coll_messages", ("kinds",), settings, ranks=3, pairs=1, is_second=settings is FORCED)
    for some, is_second in (("1M", False), ("2M", True)):
        few = {**MESSAGES, "GAPLESS_PAIRED_BYTES": some}
        yield Case("coll_messages", ("scarce",), few, ranks=3, pairs=1, is_second=is_second)
    yield Case("finalize", ("blocking",), PAIRED, ranks=3, pairs=1)
    yield Case("finalize", ("session",), PAIRED, pairs=1)
    for what in ("idle", "torus", "outstanding", "threads"):
        yield Case("paired", (what,), PAIRED, ranks=4 if what == "torus" else 3, pairs=1)
    # Where nothing is counted, a call without long blocks is left at once.
    yield Case("paired", ("idle",), {**PAIRED, "GAPLESS_STATS": "0"}, ranks=3, is_second=True)
    for settings in (PAIRED, SCARCE):
        yield Case("paired_routes", ("scarce",), settings, ranks=3, pairs=1, is_second=settings is PAIRED)
    # In the first series of each procedure nothing is asked after a while, in the second all is paired again.
    for settings, ranks, pairs in ((PAIRED, 3, 2500), (THRESHOLD, 4, 2500), (TINY, 2, 1)):
        yield Case("paired_asking", ("24",), settings, ranks=ranks, pairs=pairs, is_second=settings is not PAIRED)
    yield Case("paired_asking", ("400", "7"), PAIRED, ranks=3, pairs=1000, is_long=True, timeout_s=600)
    for what in ("bottom", "late", "switched", "sizes", "truncated"):
        yield Case("paired", (what,), PAIRED, ranks=3, pairs=1, is_second=True)
    yield Case("paired", ("sizes",), TINY, ranks=3, pairs=1, is_second=True)
    yield Case("paired", ("sizes",), THRESHOLD, pairs=1, is_second=True)
    for what in ("plain", "graph", "freed"):
        yield Case("paired_routes", (what,), PAIRED, ranks=3, pairs=1, is_second=what == "freed")
    yield Case("paired_routes", ("plain",), TINY, ranks=3, pairs=1, is_second=True)
    crowded = {**PAIRED, "GAPLESS_PAIRED_BYTES": "4M"}
    yield Case("paired_routes", ("crowded",), crowded, ranks=3, pairs=1, is_second=True)
    yield Case("paired_routes", ("spent",), FEW_CHUNKS, ranks=3, pairs=1, is_second=True)
    for settings in (PAIRED, THRESHOLD):
        yield Case("paired_routes", ("mixed",), settings, ranks=3, pairs=1, is_second=True)
    yield Case("paired_routes", ("early",), ranks=3, pairs=1, is_second=True)
    # Whether the others wait for a process that is refused is the library's own affair: in MPICH they do not.
    yield Case("paired_routes", ("refused",), PAIRED, ranks=3, pairs=1, is_second=True, only="mpich")
    for what, ranks in (("rooted", 3), ("neighbours", 4)):
        yield Case("paired_each", (what,), PAIRED, ranks=ranks, pairs=1)
        for settings in (THRESHOLD, TINY):
            yield Case("paired_each", (what,), settings, ranks=3, pairs=1, is_second=True)
        yield Case("paired_each", (what,), PAIRED, pairs=1, is_second=True)
        yield Case("paired_each", (what,), {"GAPLESS_PAIRED": "0"}, ranks=3, pairs=0, is_second=True)
    long_only = {"GAPLESS_SMALLEST_PAIRED": "10000"}
    yield Case("paired_each", ("one_way",), long_only, ranks=3, pairs=0)
    yield Case("paired_each", ("unequal",), long_only, ranks=3, pairs=1)
    yield Case("paired_each", ("refused",), PAIRED, ranks=3, pairs=1, is_second=True, only="mpich")
    # Of two calls on each communicator: while channels last, and where they come back.
    yield Case("paired_life", ("alive", "300"), PAIRED, ranks=3, pairs=2 * 3 * 250, is_second=True)
    yield Case("paired_life", ("in_turn", "400"), PAIRED, ranks=3, pairs=2 * 3 * 400)
    yield Case("paired_life", ("forks",), PAIRED, ranks=3, pairs=1)
    yield Case("paired_life", ("dying",), PAIRED, ranks=3, pairs=1)
    for words in (
        ("leaves_at_once",),
        ("closes", "late"),
        ("without_descriptors",),
        ("late_file_size", "one"),
        ("late_file_size", "all"),
    ):
        yield Case("paired_life", words, PAIRED, ranks=3, pairs=1, is_second=True)
    for words in (("closes", "early"), ("address_space", "all"), ("file_size", "all")):
        yield Case("paired_life", words, PAIRED, ranks=3, pairs=0, is_second=True)
    # Only the messages between the two others, for which nobody votes: four, counted at both ends.
    yield Case("paired_life", ("address_space", "one"), PAIRED, ranks=3, pairs=8, is_second=True)
    # It concerns only who makes the memory for all.
    yield Case("paired_life", ("file_size", "one"), PAIRED, ranks=3, is_second=True)
    # Settings that differ: what the others would do with that rank they leave.
    for first in ({"GAPLESS_PAIRED": "0"}, {"GAPLESS_SMALLEST_PAIRED": "3000"}):
        yield Case("paired_life", ("plain",), PAIRED, ranks=3, first=first, pairs=0, is_second=True)
    # For one kind of traffic only.
    yield Case("paired_life", ("plain",), ranks=3, first={"GAPLESS_SMALLEST_PAIRED": "16384"}, pairs=0, is_second=True)
    # With fault tolerance, of whichever library: it must tell what becomes of processes. (MPICH 5.0.2 itself aborts in
    # MPI_Init with its own.)
    for library, name in (("", "OMPI_MCA_mpi_ft_enable"), ("openmpi", "MPIR_CVAR_ENABLE_FT")):
        yield Case("paired_life", ("plain",), {**PAIRED, name: "1"}, ranks=3, pairs=0, is_second=True, only=library)
    yield Case("paired_life", ("many", "20"), PAIRED, ranks=16, pairs=1, is_second=True)
    yield Case("paired_life", ("many", "20"), {"GAPLESS_PAIRED": "0"}, ranks=16, pairs=0, is_second=True)
    yield Case("paired_life", ("in_turn", "5000"), PAIRED, ranks=3, is_long=True, pairs=2 * 3 * 5000, timeout_s=300)
    yield Case("paired_life", ("alive", "1000"), PAIRED, ranks=4, is_long=True, pairs=2 * 4 * 250, timeout_s=300)
    large = {**PAIRED, "GAPLESS_PAIRED_BYTES": "10G"}
    yield Case("paired", ("large",), large, ranks=3, is_long=True, timeout_s=300)
    yield Case("paired", ("large_c",), {}, ranks=2, is_long=True, timeout_s=300)
    for ranks in (2, 5, 8):
        yield Case("collectives", ("26",), PAIRED, ranks=ranks, is_long=True, timeout_s=1800, pairs=1)
        yield Case("coll_mixed", ("outstanding", "40"), PAIRED, ranks=ranks, is_long=True, timeout_s=600)
    for settings in (TINY, THRESHOLD):
        yield Case("collectives", ("26",), settings, ranks=4, is_long=True, timeout_s=1800, pairs=1)
    for what in ("undecoded", "contiguous"):
        yield Case("coll_faults", (what,), PAIRED, ranks=5, is_long=True, timeout_s=600)


def _messages() -> Iterator[Case]:
    """Yield the cases of messages by shared memory between two processes."""
    for ranks, settings in ((2, MESSAGES), (3, FORCED)):
        yield Case("p2p_paired", ("100",), settings, ranks=ranks, pairs=1, timeout_s=300)
        yield Case("p2p_order", (), settings, ranks=ranks, pairs=1, timeout_s=300)
        yield Case("p2p_random", ("1", "60"), settings, ranks=ranks, pairs=1, timeout_s=300)
        yield Case("p2p_random", ("1000", "300"), settings, ranks=ranks, pairs=1, timeout_s=1800, is_long=True)
        threaded = ("500", "20", "threads")
        yield Case("p2p_random", threaded, settings, ranks=ranks, pairs=1, timeout_s=900, is_second=True)
    # Each way by itself, wherever it can be taken.
    for way in ("kernel", "entries"):
        settings = {**MESSAGES, "GAPLESS_WAY": way}
        is_second = way != "kernel"
        yield Case("p2p_paired", ("100",), settings, pairs=1, timeout_s=300, is_second=is_second)
        yield Case("p2p_random", ("1", "60"), settings, pairs=1, timeout_s=300, is_second=is_second)
        yield Case("p2p_random", ("1000", "100"), settings, ranks=3, pairs=1, timeout_s=900, is_long=True)
        for words in (("p2p_order",), ("p2p_busy",), ("p2p_persistent",), ("p2p_ends", "truncated")):
            yield Case(words[0], words[1:], settings, pairs=1, timeout_s=300, is_second=True)
    for memory, is_second in (("alloc", False), ("window", True)):
        direct = {**MESSAGES, "GAPLESS_WAY": "direct", "GAPLESS_ALLOC_MEM": "shared", "CONFORMANCE_MEMORY": memory}
        yield Case("p2p_random", ("1", "60"), direct, pairs=1, timeout_s=300, is_second=is_second)
        yield Case("p2p_random", ("1000", "100"), direct, ranks=3, pairs=1, timeout_s=900, is_long=True)
        if memory == "alloc":  # a window is divided by one thread
            yield Case("p2p_random", ("500", "20", "threads"), direct, ranks=3, pairs=1, timeout_s=900, is_second=True)
        yield Case("p2p_paired", ("100",), direct, pairs=1, timeout_s=300, is_second=is_second)
        yield Case("p2p_busy", (), direct, pairs=1, timeout_s=300, is_second=True)
        for words in (("p2p_order",), ("p2p_persistent",), ("p2p_ends", "truncated")):
            yield Case(words[0], words[1:], direct, pairs=1, timeout_s=300, is_second=is_second)
        for what in ("cancelled_receives", "cancelled_sends", "freed"):
            only = "mpich" if what == "freed" else ""
            yield Case("p2p_ends", (what,), direct, pairs=1, only=only, is_second=is_second)
        yield Case("p2p_probes", ("1",), {**FORCED, **direct}, ranks=3, timeout_s=300, is_second=is_second)
    few = {**FORCED, "GAPLESS_PAIRED_BYTES": "32M"}
    for what in ("truncated", "truncated_often"):
        yield Case("p2p_ends", (what,), MESSAGES, pairs=1, timeout_s=300)
    yield Case("p2p_ends", ("finalizing",), MESSAGES, pairs=1)
    for what in ("made", "synchronous"):
        yield Case("p2p_unasked", (what,), MESSAGES, pairs=1)
    for what in ("buffer", "types", "probes", "started", "tags"):
        yield Case("p2p_arguments", (what,), MESSAGES, pairs=0 if what == "tags" else 1)
    for what in ("cancelled_receives", "cancelled_sends", "freed"):
        only = "mpich" if what == "freed" else ""
        yield Case("p2p_ends", (what,), MESSAGES, pairs=1, only=only)
        yield Case("p2p_ends", (what,), few, ranks=4, pairs=1, is_second=True, only=only)
    yield Case("p2p_busy", (), MESSAGES, pairs=1, timeout_s=300)
    yield Case("p2p_persistent", (), MESSAGES, pairs=1, timeout_s=300)
    yield Case("p2p_busy", (), few, ranks=4, pairs=1, timeout_s=300, is_second=True)
    for what, number, most in (("unreceived", "4000", "20000"), ("soak", "8000", "200000")):
        yield Case("p2p_volume", (what, number), {**MESSAGES, "GAPLESS_PAIRED_BYTES": "32M"}, pairs=1)
        # Of packed messages, too, it keeps only so much.
        scarce = {**MESSAGES, "GAPLESS_PAIRED_BYTES": "32M", "GAPLESS_POOL_BYTES": "64M"}
        yield Case("p2p_volume", (what, most), scarce, pairs=1, is_long=True, timeout_s=600)
    yield Case("p2p_volume", ("ring", "65536", "40"), MESSAGES, ranks=8, pairs=1, is_second=True)
    # No process pairs after a probe: one program each.
    for seed in range(1, 6):
        yield Case("p2p_random", (str(seed), "1", "probes"), FORCED, ranks=2 + seed % 2, pairs=1, is_second=seed > 2)
    for seed in range(4):
        yield Case("p2p_probes", (str(seed),), FORCED, ranks=3, pairs=1, only="mpich")
        yield Case("p2p_probes", (str(seed + 4),), MESSAGES, pairs=1, is_second=True, only="mpich")
    for seed in range(8, 24):
        yield Case("p2p_probes", (str(seed),), FORCED, ranks=2 + seed % 3, pairs=1, is_long=True, only="mpich")
    for program in ("p2p_paired_c", "p2p_order_c"):
        yield Case(program, ("100",), FORCED, pairs=1, timeout_s=300, is_second=True)
    for words in (("p2p_paired", "100"), ("p2p_order",), ("p2p_busy",), ("p2p_random", "1", "60")):
        yield Case(
            words[0], words[1:], {**MESSAGES, "GAPLESS_PAIRED": "0"}, ranks=3, pairs=0, timeout_s=300, is_second=True
        )


def _collectives() -> Iterator[Case]:
    """Yield the cases of collectives, on 2 to 8 ranks."""
    for ranks, seeds in ((2, 8), (3, 6), (4, 6)):
        yield Case("collectives", (str(seeds),), ranks=ranks, timeout_s=300)
    yield Case("collectives", ("4",), FORCED, ranks=3, timeout_s=300)
    yield Case("collectives", ("2",), TIGHT, ranks=3, timeout_s=300)
    yield Case("collectives_c", ("5",), ranks=3, timeout_s=300)
    for what in ("outstanding", "threads", "intercomm"):
        yield Case("coll_mixed", (what, "8"))
    for what in ("outstanding", "intercomm"):
        yield Case("coll_mixed", (what, "8"), ranks=3)
    for what in ("memory", "undecoded", "contiguous", "errors", "aliased"):
        yield Case("coll_faults", (what,), ranks=3, timeout_s=300)
    yield Case("coll_ends")
    yield Case("attributes", ranks=3)
    yield Case("attributes", (), PAIRED, ranks=3, is_second=True)
    yield Case("coll_ends", (), FORCED, ranks=3)
    yield Case("coll_faults", ("apart",), layer_on_first=True)
    yield Case("coll_faults", ("apart",), ranks=3, first=FORCED)
    for algorithm in ("3", "5", "6"):
        settings = {**SEGMENTED, "OMPI_MCA_coll_tuned_bcast_algorithm": algorithm}
        yield Case("coll_faults", ("segments",), settings, ranks=4, only="openmpi")
        for ranks in (2, 3, 5, 8):
            yield Case("coll_faults", ("segments",), settings, ranks=ranks, only="openmpi", is_long=True, timeout_s=300)
    for ranks in (2, 4, 5, 7, 8):
        yield Case("collectives", ("26",), ranks=ranks, is_long=True, timeout_s=1800)
        yield Case("collectives_c", ("13",), ranks=ranks, is_long=True, timeout_s=1800)
        yield Case("coll_mixed", ("outstanding", "40"), ranks=ranks, is_long=True, timeout_s=600)
    for what in ("undecoded", "contiguous"):
        yield Case("coll_faults", (what,), ranks=5, is_long=True, timeout_s=600)
    yield Case("coll_faults", ("apart",), ranks=5, first=FORCED, is_long=True, timeout_s=600)


CASES = (
    Case("blocking", ("24",)),
    Case("blocking", ("9",), FORCED),
    Case("blocking_c", ("9",)),
    Case("files", ("16",)),
    Case("files", ("9",), FORCED),
    Case("files_c", ("9",)),
    Case("nonblocking", ("16",)),
    Case("nonblocking", ("9",), FORCED),
    Case("nonblocking_c", ("9",)),
    Case("matched", ("16",)),
    Case("matched_c", ("8",)),
    Case("completion", ("6",)),
    Case("completion", ("8",), is_long=True, timeout_s=600),
    Case("completion", ("3",), FORCED),
    Case("free_cancel", ("16",)),
    Case("free_cancel", ("8",), FORCED),
    Case("persistent", ("8",)),
    Case("persistent", ("4",), FORCED),
    Case("persistent_c", ("4",)),
    Case("persistent_ends", ("16",)),
    Case("persistent_ends", ("8",), FORCED),
    Case("persistent_ends_c", ("8",)),
    # Where calls are counted, each is decided.
    *(Case("repeated", (ints,), {"GAPLESS_STATS": "0", **MESSAGES}) for ints in ("96", "960", "2000")),
    Case("repeated", ("2000",), {"GAPLESS_STATS": "0", **SPLIT}),
    *(
        Case("repeated", (ints,), {"GAPLESS_STATS": "0", "GAPLESS_SMALLEST_BYTES": "100000", **MESSAGES})
        for ints in ("96", "960", "2000")
    ),
    Case("partitioned", ("8",)),
    Case("partitioned", ("4",), FORCED),
    *(Case(program, ("9",), SPLIT) for program in ("blocking", "nonblocking", "persistent", "odd")),
    Case("p2p_random", ("1", "20"), SPLIT, ranks=3, pairs=0, timeout_s=300),
    Case("errors"),
    Case("errors", (), FORCED),
    Case("odd", ("16",)),
    Case("odd", ("9",), FORCED),
    Case("threads", ("32",)),
    Case("threads", ("24", "large"), MESSAGES, pairs=1, timeout_s=300),
    Case("threads", ("24", "large", "probes"), MESSAGES, pairs=1, timeout_s=300),
    Case("handles", ("threads", "400"), {"GAPLESS_PAIRED": "0"}),
    Case("handles", ("threads", "400"), {"GAPLESS_SMALLEST_PAIRED": "4096"}, pairs=1),
    Case("handles", ("callback",)),
    Case("handles", ("asked",), {"GAPLESS_PAIRED": "0"}),
    Case("handles", ("asked",), pairs=1),
    # Open MPI may change the handle when it is started.
    *(Case("handles", ("started",), {"GAPLESS_PAIRED": "0"}, only=library) for library in ("mpich", "intel")),
    Case("handles", ("started",), pairs=1, only="mpich"),
    Case("handles", ("shared",), ranks=1),
    # Each process for itself: on two MPICH 5.0.2 itself fails or hangs now and then, without the layer too, when one is
    # in another epoch than the other (5 runs of 30 on a loaded machine).
    Case("sessions", ("1",), ranks=1),
    Case("sessions", ("3",), ranks=1),
    Case("process", ("fork",)),
    Case("process", ("exhausted",), {"GAPLESS_POOL_BYTES": "128K", "GAPLESS_FORCE": "1"}),
    Case("process", ("no_finalize",), exit_codes=ANY_CODE, expects="leaves without MPI_Finalize"),
    # What it prints before may be lost with it; its code is not.
    Case("process", ("abort",), exit_codes=(3,)),
    Case("plugin_host"),
    Case("tools", ("after",), tool="after"),
    Case("tools", ("before",), tool="before"),
    *_collectives(),
    *_own_alltoall(),
    *_paired(),
    *_messages(),
    Case("spawn", ranks=1, is_long=True),
    Case("huge", (), {"GAPLESS_POOL_BYTES": "8G", "GAPLESS_LONGEST_RUN": "1024G"}, is_long=True, timeout_s=300),
    Case("blocking", ("200",), is_long=True, timeout_s=600),
    Case("nonblocking", ("200",), is_long=True, timeout_s=600),
    Case("completion", ("64",), is_long=True, timeout_s=600),
    Case("persistent", ("64",), is_long=True, timeout_s=600),
    Case("partitioned", ("64",), is_long=True, timeout_s=600),
    Case("threads", ("400",), is_long=True, timeout_s=600),
)
# Those that a library offers: libraries.py.
FORTRAN_CASES = tuple(Case(f"fortran_{flavour}") for flavour in ("mpif", "usempi", "f08"))
