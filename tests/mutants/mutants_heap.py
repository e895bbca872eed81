"""Faults in memory that other processes can map, and in sends that are offered until their operation completes."""

from __future__ import annotations

import mutants_wire
from layer_checks import conformance, planted
from mutants_wire import tests

SETTINGS = {
    "GAPLESS_SMALLEST_PAIRED": "16384",
    "GAPLESS_WAY": "direct",
    "GAPLESS_ALLOC_MEM": "shared",
    "CONFORMANCE_MEMORY": "alloc",
}
RANDOM = (conformance("p2p_random", "1", "60", **SETTINGS),)
PERSISTENT = (conformance("p2p_persistent", **SETTINGS),)
PROBED = (conformance("p2p_probes", "1", ranks=3, **SETTINGS | {"CONFORMANCE_MEMORY": "window", "GAPLESS_FORCE": "1"}),)

# Of the engine's set: no MPI is needed to see them.
HEAP = [
    mutants_wire.planted(plants, "heap.cpp", before, after, tests(cases))
    for plants, before, after, cases in (
        (
            "memory of a heap is handed out twice",
            "used_.emplace(place, bytes)",
            "used_.emplace(place, base::page_bytes())",
            "Heap.*",
        ),
        (
            "a hole is taken that is too short",
            "if (offset - place >= bytes) break;",
            "if (offset > place) break;",
            "Heap.*",
        ),
        (
            "what is freed stays in the file",
            "    if (!is_own_descriptor() ||\n",
            "    if (false &&\n",
            "Heap.*",
        ),
        (
            "a descriptor is taken for the heap's own without a look",
            "FileIdentity::of(file) == FileIdentity{heap.device, heap.inode}",
            "true",
            "Heap.*",
        ),
        (
            "a peer maps no more than what was there first",
            "looked_at_[process].store(end,",
            "looked_at_[process].store(INT64_MAX,",
            "Heap.*",
        ),
        ("what a peer has unmapped counts as mapped", "    segment.set_heap_mapped(process, 0);\n", "", "Heap.*"),
        ("a child of fork has a share in the memory", "if (heap.is_shared()) heap.become_private();", "", "Heap.*"),
        (
            "memory that is private is offered",
            "  is_shared_.store(false, std::memory_order_release);\n",
            "",
            "Heap.*",
        ),
        (
            "the locks of a child of fork are its parent's",
            "        std::construct_at(&heap.mutex_);\n        std::construct_at(&heap.lending_);\n",
            "        heap.mutex_.unlock();\n",
            "Heap.*",
        ),
        (
            "the end of a message may lie beyond what a peer has mapped",
            "return place < static_cast<std::uint64_t>(end) && bytes <= end - static_cast<std::int64_t>(place);",
            "return place < static_cast<std::uint64_t>(end);",
            "Heap.*",
        ),
        (
            "what one process frees after a fork is gone in the other",
            "  if (is_shared()) {\n    // Locked",
            "  if (true) {\n    // Locked",
            "Heap.*",
        ),
        (
            "a core has all of the heap",
            "  madvise(begin_, static_cast<std::size_t>(bytes), MADV_DONTDUMP);\n",
            "",
            "Heap.*",
        ),
        (
            "without the descriptor a child of fork has a share in the memory",
            "    std::memcpy(copy, at, bytes);\n    mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);\n",
            "",
            "Heap.*",
        ),
    )
]

MUTANTS = [
    planted(plants, file, before, after, noticed_by)
    for plants, file, before, after, noticed_by in (
        (
            "a message that is offered has completed",
            "requests/completion.cpp",
            "    held[index_of(one)]->sent.end_offer(rest);\n",
            "",
            (conformance("p2p_random", "1", "20", **SETTINGS),),
        ),
        (
            "a call that tests takes a message that is offered for complete",
            "requests/request_entry.cpp",
            "  if (!try_end_offer()) return false;\n",
            "",
            PERSISTENT,
        ),
        (
            "a combined send returns before its message is copied",
            "p2p/sendrecv.cpp",
            "  sent.end_offer();\n  return code == MPI_SUCCESS ? sending : code;",
            "  return code == MPI_SUCCESS ? sending : code;",
            RANDOM,
        ),
        (
            "a message that is offered has the request that the library shares among all",
            "requests/start.hpp",
            "    entry_->stand_in = made_;\n    made_ = own;\n",
            "",
            RANDOM,
        ),
        (
            "layouts of MPI's own types are taken from the board",
            "paired/layouts.cpp",
            "return !is_lasting && type.expired();",
            "return type.expired();",
            PROBED,
        ),
    )
]
