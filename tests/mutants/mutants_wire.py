"""Faults in what processes do with the memory that they share."""

from __future__ import annotations

from mutant import NOTHING, Check, Mutant

SCHEDULES = (Check("schedules_test"),)


def tests(cases: str) -> tuple[Check, ...]:
    """Return some of the tests with processes."""
    return (Check("wire_test", (f"--gtest_filter={cases}",)),)


SEGMENT, POOL, CHANNEL = tests("Segment.*:Wait.*"), tests("Pool*"), tests("Channel.*")


def planted(plants: str, file: str, before: str, after: str, noticed_by: tuple[Check, ...]) -> Mutant:
    """Return a mutant without settings."""
    return Mutant(plants, f"wire/{file}", before, after, NOTHING, noticed_by)


PROTOCOL = [
    planted(
        "a chunk is given back before its link is read",
        "message.hpp",
        "    ++parts_done_;\n    if (is_done()) {\n      memory_->chunk(process(), chunk_).give_back();\n",
        "    ++parts_done_;\n    memory_->chunk(process(), chunk_).give_back();\n    if (is_done()) {\n",
        SCHEDULES,
    ),
    planted(
        "a receiver gives back the chunk that it is about to read",
        "message.hpp",
        "if (!first) memory_->chunk(process(), chunk_).give_back();\n    chunk_ = link - 1;",
        "const auto before = chunk_;\n    chunk_ = link - 1;\n"
        "    if (!first) memory_->chunk(process(), parts_done_ == 1 ? chunk_ : before).give_back();",
        SCHEDULES,
    ),
    planted(
        "the last chunk is never given back",
        "message.hpp",
        "      memory_->chunk(process(), chunk_).give_back();\n      record",
        "      record",
        SCHEDULES,
    ),
    planted("the record is never given back", "message.hpp", "      record.give_back();\n", "", SCHEDULES),
    planted(
        "a link is no release",
        "control.hpp",
        "link.store(chunk + 1, std::memory_order_release)",
        "link.store(chunk + 1, std::memory_order_relaxed)",
        SCHEDULES,
    ),
    planted(
        "a link is read without acquire",
        "message.hpp",
        ".link.load(std::memory_order_acquire)",
        ".link.load(std::memory_order_relaxed)",
        SCHEDULES,
    ),
    planted(
        "giving back is no release",
        "control.hpp",
        "readers.fetch_sub(1, std::memory_order_release)",
        "readers.fetch_sub(1, std::memory_order_relaxed)",
        SCHEDULES,
    ),
    planted(
        "a free chunk is taken without acquire",
        "control.hpp",
        "readers.load(std::memory_order_acquire)",
        "readers.load(std::memory_order_relaxed)",
        SCHEDULES,
    ),
    planted(
        "a chunk is linked before it says who reads it",
        "message.hpp",
        "    before.link_to(turn);\n",
        "    before.link_to(turn);\n    memory_->chunk(process(), turn).occupy(readers_);\n",
        SCHEDULES,
    ),
    planted(
        "a chunk keeps its last link",
        "control.hpp",
        "    link.store(0, std::memory_order_relaxed);\n",
        "",
        SCHEDULES,
    ),
    planted(
        "a record keeps the count of its last message's receivers",
        "control.hpp",
        "    pulls.store(0, std::memory_order_relaxed);\n",
        "",
        SCHEDULES,
    ),
    planted(
        "the sender has patience with receivers that have not begun",
        "message.hpp",
        "patience && record.pulls.load(std::memory_order_relaxed) == readers_",
        "patience",
        SCHEDULES,
    ),
    planted(
        "the sender has patience when one of its receivers has begun",
        "message.hpp",
        "== readers_) return Step",
        "!= 0) return Step",
        SCHEDULES,
    ),
    planted("the sender always has patience", "message.hpp", "if (patience && record", "if (record", SCHEDULES),
    planted(
        "a chunk of the window is packed whoever reads it",
        "message.hpp",
        "!memory_->chunk(process(), turn).is_free()",
        "false",
        SCHEDULES,
    ),
    planted(
        "the chunk behind a broadcast's window is for one receiver",
        "message.hpp",
        "chunk(process(), turn).occupy(readers_)",
        "chunk(process(), turn).occupy(1)",
        SCHEDULES,
    ),
    planted(
        "the last part is as long as the others",
        "message.hpp",
        "unpack(position, static_cast<const char*>(memory_->data(process(), chunk_)), bytes);",
        "unpack(position, static_cast<const char*>(memory_->data(process(), chunk_)), ticket_.part_bytes);",
        SCHEDULES,
    ),
    planted(
        "a message alone has as few parts as others",
        "message.hpp",
        "sending == Sending::kAlone ? kUnit : kLeastAmongOthers",
        "kLeastAmongOthers",
        tests("Transfer.AMessageAlone*"),
    ),
    planted(
        "a part is longer than a chunk",
        "message.hpp",
        "std::clamp(part, sending == Sending::kAlone ? kUnit : kLeastAmongOthers, kChunkBytes)",
        "std::max(part, sending == Sending::kAlone ? kUnit : kLeastAmongOthers)",
        tests("Transfer.*"),
    ),
    planted(
        "a link to no chunk is followed",
        "message.hpp",
        "if (!memory_->is_known(process(), link - 1)) return Step::kBroken;",
        "memory_->is_known(process(), link - 1);",
        tests("Transfer.NonsenseIsNoticed"),
    ),
]

CHANNELS = [
    planted(
        "a letter is written over one that nobody has read",
        "channels.cpp",
        "if (box.taken.load(std::memory_order_acquire) != posted) return false;",
        "",
        CHANNEL,
    ),
    planted(
        "a letter is read twice",
        "channels.cpp",
        "letter = box.letter;\n  box.taken.store(++taken",
        "letter = box.letter;\n  box.taken.store(taken + 1",
        CHANNEL,
    ),
    planted(
        "a channel's number comes back with the first end",
        "channels.cpp",
        "!= 1) return;",
        "== 0) return;",
        CHANNEL,
    ),
    planted(
        "a channel that has no memory stays taken",
        "channels.cpp",
        "      taken[number / kWordBits].fetch_and(~bit, std::memory_order_release);\n      return -1;",
        "      return -1;",
        SEGMENT,
    ),
    planted(
        "a channel is as large as one of all processes",
        "channels.cpp",
        "const std::int64_t bytes = bytes_of_channel(members);",
        "const std::int64_t bytes = bytes_of_channel(segment.processes());",
        CHANNEL,
    ),
    planted(
        "what a channel has is never given back",
        "channels.cpp",
        "  segment_.shrink_channel(number_, bytes_of_channel(members_));\n",
        "",
        CHANNEL,
    ),
    planted(
        "members share a letterbox",
        "channels.hpp",
        "boxes_[from * members_ + to]",
        "boxes_[from * (members_ - 1) + to]",
        CHANNEL,
    ),
]

LEASES = [
    planted(
        "a chunk that is with a receiver is taken",
        "pool.cpp",
        "chunks_[chunk] == State::kTaken || !segment_.chunk(segment_.self(), chunk).is_free()",
        "chunks_[chunk] == State::kTaken",
        POOL,
    ),
    planted(
        "a record that is with a receiver is taken",
        "pool.cpp",
        "(records_[k] == State::kLent && segment_.record(segment_.self(), k).is_free())",
        "records_[k] == State::kLent",
        POOL,
    ),
    planted(
        "one peer may have all chunks",
        "pool.cpp",
        "const std::uint32_t limit = segment_.max_chunks() / 2;",
        "const std::uint32_t limit = segment_.max_chunks();",
        POOL,
    ),
    planted(
        "chunks that came back count as a peer's",
        "pool.cpp",
        "  if (peers_[chunk] != kNoPeer) --with_[static_cast<std::size_t>(peers_[chunk])];\n  return true;",
        "  return true;",
        POOL,
    ),
    planted(
        "chunks that were not used count as a peer's",
        "pool.cpp",
        "    if (k >= used && peers_[chunk] != kNoPeer) --with_[static_cast<std::size_t>(peers_[chunk])];\n",
        "",
        POOL,
    ),
    planted(
        "chunks that were not used stay taken",
        "pool.cpp",
        "k < used ? State::kLent : State::kFree;",
        "k < used ? State::kLent : State::kTaken;",
        POOL,
    ),
    planted(
        "a record without a part stays lent",
        "pool.cpp",
        "used == 0 ? State::kFree : State::kLent;",
        "used == 0 ? State::kTaken : State::kLent;",
        POOL,
    ),
    planted(
        "a message gets fewer chunks than it has parts",
        "pool.cpp",
        "    if (lease.chunks.size() < chunks) return false;\n",
        "",
        POOL,
    ),
]

MEMORY = [
    planted(
        "the cap is not looked at",
        "segment.cpp",
        "+ bytes <= header().cap) return true;",
        "+ bytes > 0) return true;",
        SEGMENT,
    ),
    planted(
        "what lies in memory that cannot be cut out of its mapping is not read",
        "segment.cpp",
        "return open(at, bytes) || open(0, bytes_);",
        "return open(at, bytes);",
        SEGMENT,
    ),
    planted(
        "what was not to be had stays in use",
        "segment.cpp",
        "if (grown < then) header()",
        "if (false) header()",
        SEGMENT,
    ),
    planted(
        "a pool grows with no promise of memory",
        "segment.cpp",
        "do code = fallocate(descriptor_, 0, at, bytes);",
        "do code = bytes < kChunkBytes ? fallocate(descriptor_, 0, at, bytes) : 0;",
        SEGMENT,
    ),
    planted(
        "a file of the program grows",
        "segment.cpp",
        "if (!is_own_descriptor()) return false;",
        "",
        SEGMENT,
    ),
    planted(
        "a file of the program is closed",
        "segment.cpp",
        "descriptor_ >= 0 && is_own_descriptor()",
        "descriptor_ >= 0",
        SEGMENT,
    ),
    planted(
        "a child of fork unmaps what it has in the segment's place",
        "segment.cpp",
        "base_ != nullptr && is_mapped_here()",
        "base_ != nullptr",
        SEGMENT,
    ),
    planted(
        "a child of fork has the mapping",
        "segment.cpp",
        "  madvise(base_, static_cast<std::size_t>(bytes_), MADV_DONTFORK);\n",
        "",
        SEGMENT,
    ),
    planted(
        "a program that locks its memory gets all of it",
        "segment.cpp",
        "PROT_NONE, MAP_SHARED | MAP_NORESERVE",
        "PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE",
        SEGMENT,
    ),
    planted(
        "a limit on files is not looked at",
        "segment.cpp",
        "is_limited(RLIMIT_FSIZE, plan.bytes_)",
        "false",
        SEGMENT,
    ),
    planted(
        "a limit on address space is not looked at",
        "segment.cpp",
        "is_limited(RLIMIT_AS, INT64_MAX)",
        "false",
        SEGMENT,
    ),
    planted(
        "the descriptor stays where the program may count on it",
        "memory_file.hpp",
        "kLowest = 200",
        "kLowest = 3",
        SEGMENT,
    ),
    planted(
        "the table of descriptors grows when there are threads",
        "segment.cpp",
        "close(with_high_number(any))",
        "close(any)",
        SEGMENT,
    ),
    planted(
        "another file is taken for the segment",
        "segment.cpp",
        "header.magic != kMagic ||",
        "false ||",
        SEGMENT,
    ),
    planted(
        "only the chunks that were there first are seen",
        "segment.hpp",
        "chunk < opened_[process].load(std::memory_order_acquire) || open_pool",
        "opened_[process].load(std::memory_order_acquire) > 0 || open_pool",
        SEGMENT,
    ),
    planted(
        "chunks overlap",
        "segment.hpp",
        "static_cast<std::int64_t>(number % group_) * kChunkBytes",
        "static_cast<std::int64_t>(number % group_) * (kChunkBytes - 64)",
        tests("Transfer.*"),
    ),
    planted(
        "two processes have the same groups",
        "segment.hpp",
        "* processes_ + process) * group_bytes_",
        "* processes_ + process / 2) * group_bytes_",
        tests("Transfer.*"),
    ),
    planted(
        "who reads a pool opens eight chunks more each time",
        "segment.cpp",
        "for_groups(process, before, chunks,",
        "for_groups(process, before, std::min(chunks, before + kLeastGroup),",
        tests("Transfer.*"),
    ),
    planted(
        "a large pool has as many groups as it has eights of chunks",
        "segment.cpp",
        "(max_chunks + kMaxGroups - 1) / kMaxGroups",
        "std::min(max_chunks, kMaxGroups) / kMaxGroups",
        SEGMENT,
    ),
    planted(
        "what the system has refused counts as grown",
        "segment.cpp",
        "commit(at, bytes) && open(at, bytes)",
        "(commit(at, bytes), open(at, bytes))",
        SEGMENT,
    ),
    planted(
        "anybody may change the segment's size",
        "segment.cpp",
        "F_SEAL_SHRINK | F_SEAL_GROW",
        "0",
        SEGMENT,
    ),
    planted(
        "who waits never asks whether the other still runs",
        "wait.cpp",
        "if (now - asked_ns_ < kAskNs) return true;",
        "if (now - asked_ns_ < 1000 * kAskNs) return true;",
        SEGMENT,
    ),
    planted(
        "who waits lets nobody make progress",
        "wait.cpp",
        "if (meanwhile_ != nullptr) meanwhile_();",
        "if (meanwhile_ == nullptr) meanwhile_ = [] () noexcept {};",
        SEGMENT,
    ),
    planted(
        "what a process did before it ended is not looked for",
        "wait.cpp",
        "has_ended_ = !segment_.is_running(process);\n  return true;",
        "return segment_.is_running(process);",
        SEGMENT,
    ),
    planted(
        "a process that runs is taken for another one that has ended",
        "wait.hpp",
        "    has_ended_ = false;\n",
        "",
        SEGMENT,
    ),
    Mutant(
        "a process has ended with its first thread",
        "base/process.cpp",
        "std::atoi(state.c_str() + threads) > 1",
        "threads == 0",
        NOTHING,
        tests("Process.*"),
    ),
    Mutant(
        "without /proc all others seem to have ended",
        "base/process.cpp",
        "return beginning_of(getpid()) == 0;",
        "return false;",
        NOTHING,
        tests("Process.*"),
    ),
    Mutant("a zombie runs", "base/process.cpp", "state[at] != 'Z'", "state[at] != 0", NOTHING, SEGMENT),
]

KINDS = [
    planted(
        "the kind of a message's stores is any number",
        "header.cpp",
        "!StoresKind::is_valid(word_at(bytes, kKind)) || ",
        "",
        tests("Header.*"),
    ),
]

STORES = [
    planted(plants, "stores.hpp", before, after, (Check("stores_test"),))
    for plants, before, after in (
        ("the stores that cost more are preferred", "_relaxed) < costs.near", "_relaxed) > costs.near"),
        ("only one kind of stores is tried", "return (message % 2 != 0) != swap ?", "return swap && !swap ?"),
        ("which stores are tried first is no chance", "(message % 2 != 0) != swap ?", "(message % 2 != 0) ?"),
        (
            "what stores cost is never measured again",
            "message % period_of(costs) >= 2)",
            "message >= 16)",
        ),
        ("nothing is watched between trials", "message * 0x9e3779b9u >> 29 == 0", "message == 0"),
        ("one message whose ends are interrupted has all tried anew", "kMost = 5;", "kMost = 4;"),
        ("dear ones of an hour ago count", "std::max(before - 1, 0)", "before"),
        ("dear is what takes as long as usual", "kDear = 3,", "kDear = 1,"),
        ("long messages seem to cost more", "ns * kUnit / std::max<std::int64_t>(bytes, 1)", "ns * 16"),
        ("one interrupted trial decides", "std::min(more, before / 2)", "more"),
        ("all sizes are one", "std::clamp(bits - kLeastBits, 0, kSizes - 1)", "0"),
        ("messages that meet cold memory are trials", "kCold = 2, k", "kCold = 0, k"),
        ("all runs are one", "(size * kRuns + run) * 2", "(size * kRuns) * 2"),
        ("blocking sends and others are one", "sending == Sending::kAlone ? 0 : 1", "0"),
        ("trials are as many however much they lose", "std::bit_ceil(static_cast<std::uint32_t>(row))", "kLeast"),
    )
]

TRIALS = [
    planted(plants, "message.hpp", before, after, tests("Transfer.BothEnds*"))
    for plants, before, after in (
        ("of a trial the last part alone counts", "ns_ += base::now_ns()", "ns_ = base::now_ns()"),
        ("nobody says what a trial took", "if (is_last) memory", "if (!is_last) memory"),
    )
]

MUTANTS = [*PROTOCOL, *KINDS, *STORES, *TRIALS, *CHANNELS, *LEASES, *MEMORY]
