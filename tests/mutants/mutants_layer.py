"""Faults in the layer that its tests must notice."""

from __future__ import annotations

import mutants_block_messages
import mutants_collectives
import mutants_heap
import mutants_messages
import mutants_own_alltoall
import mutants_p2p
import mutants_paired
import mutants_types
import mutants_watch
import mutants_ways

MUTANTS = [
    *mutants_p2p.MUTANTS,
    *mutants_block_messages.MUTANTS,
    *mutants_collectives.MUTANTS,
    *mutants_messages.MUTANTS,
    *mutants_heap.MUTANTS,
    *mutants_own_alltoall.MUTANTS,
    *mutants_paired.MUTANTS,
    *mutants_types.MUTANTS,
    *mutants_watch.MUTANTS,
    *mutants_ways.MUTANTS,
]
