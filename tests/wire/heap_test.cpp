// The heap that the processes of a node can map: what they see in it, what is given back, and what fork makes of it.
#include "wire/heap.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "support/random_number.hpp"
#include "wire/node.hpp"

namespace gapless::wire::test {

namespace {

constexpr std::int64_t kSome = 320 << 10;  // whole pages, of 64 KiB too

void make(Heap& heap, Segment& segment) {
  std::string why;
  ASSERT_TRUE(heap.make(segment, why)) << why;
}

char* allocate(Heap& heap, std::int64_t bytes) {
  void* const memory = heap.allocate(bytes);
  EXPECT_NE(memory, nullptr);
  return static_cast<char*>(memory);
}

std::uint64_t address_of(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

bool is_filled(const char* memory, std::int64_t bytes, char with) {
  return std::all_of(memory, memory + bytes, [=](char byte) { return byte == with; });
}

}  // namespace

TEST(Heap, WhatOneStoresTheOtherReads) {
  SharedBoard board;
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self == 0) {
      Heap heap;
      make(heap, segment);
      char* const first = allocate(heap, kSome);
      std::memset(first, 'a', kSome);
      EXPECT_FALSE(heap.is_mapped_by(1, address_of(first), kSome));
      board->meet(2, 1);
      board->meet(2, 2);  // it has looked
      EXPECT_TRUE(heap.is_mapped_by(1, address_of(first), kSome));
      EXPECT_FALSE(heap.is_mapped_by(0, address_of(first), kSome));
      EXPECT_FALSE(heap.is_mapped_by(1, address_of(first) - 1, 1));
      EXPECT_FALSE(heap.is_mapped_by(1, address_of(first), kSome + 1));
      EXPECT_TRUE(is_filled(first, kSome, 'b'));
      char* const second = allocate(heap, kSome);
      EXPECT_FALSE(heap.is_mapped_by(1, address_of(second), kSome));
      std::memset(second, 'c', kSome);
      board->meet(2, 3);
      board->meet(2, 4);
      EXPECT_TRUE(heap.is_mapped_by(1, address_of(second), kSome));
      board->meet(2, 5);
      board->meet(2, 6);  // it has unmapped it
      EXPECT_FALSE(heap.is_mapped_by(1, address_of(first), kSome));
      return;
    }
    PeerHeaps heaps;
    board->meet(2, 1);
    heaps.look_at(segment, 0);
    const std::uint64_t begin = segment.heap_of(0).begin;
    char* const here = heaps.find(segment, 0, begin, kSome);
    ASSERT_NE(here, nullptr);
    EXPECT_TRUE(is_filled(here, kSome, 'a'));
    EXPECT_EQ(heaps.find(segment, 0, begin, kMega), nullptr);
    EXPECT_EQ(heaps.find(segment, 0, begin - 1, 1), nullptr);
    EXPECT_EQ(heaps.find(segment, 1, begin, 1), nullptr);
    std::memset(here, 'b', kSome);
    board->meet(2, 2);
    board->meet(2, 3);
    heaps.look_at(segment, 0);
    const std::int64_t end = segment.heap_of(0).end;
    char* const last = heaps.find(segment, 0, begin + static_cast<std::uint64_t>(end) - 4096, 4096);
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last[0], 'c');
    board->meet(2, 4);
    board->meet(2, 5);
    heaps.unmap(segment);
    EXPECT_EQ(heaps.find(segment, 0, begin, 1), nullptr);
    board->meet(2, 6);
  });
}

TEST(Heap, WhatIsFreedGoesBackToTheSystem) {
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self != 0) return;
    Heap heap;
    make(heap, segment);
    const int file = segment.heap_of(0).descriptor;
    char* const memory = allocate(heap, 5 * kMega);
    EXPECT_EQ(bytes_behind(file), 0);
    std::memset(memory, 1, 5 * kMega);
    EXPECT_GE(bytes_behind(file), 5 * kMega);
    EXPECT_EQ(heap.allocated_bytes(), 5 * kMega);
    EXPECT_FALSE(heap.release(memory + 4096));
    EXPECT_FALSE(heap.release(&segment));
    EXPECT_FALSE(heap.release(nullptr));
    EXPECT_TRUE(heap.release(memory));
    EXPECT_FALSE(heap.release(memory));
    EXPECT_EQ(bytes_behind(file), 0);
    EXPECT_EQ(heap.allocated_bytes(), 0);
    // The same place, with zeros.
    EXPECT_EQ(allocate(heap, 5 * kMega), memory);
    EXPECT_TRUE(is_filled(memory, 5 * kMega, 0));
    EXPECT_EQ(heap.allocate(0), nullptr);
    EXPECT_EQ(heap.allocate(INT64_MAX), nullptr);
    EXPECT_EQ(heap.allocate(segment.heap_of(0).reserved), nullptr);
  });
}

TEST(Heap, NoTwoHaveTheSameMemory) {
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self != 0) return;
    Heap heap;
    make(heap, segment);
    struct One {
      char* memory;
      std::int64_t bytes;
      char with;
    };
    std::vector<One> all;
    gapless::test::Random random(7);
    for (int k = 0; k < 2000; ++k) {
      if (random.chance(40) && !all.empty()) {
        std::swap(all[random.next() % all.size()], all.back());
        ASSERT_TRUE(is_filled(all.back().memory, all.back().bytes, all.back().with));
        ASSERT_TRUE(heap.release(all.back().memory));
        all.pop_back();
        continue;
      }
      const std::int64_t bytes = random.between(1, random.chance(5) ? 5 * kMega : 30'000);
      all.push_back({allocate(heap, bytes), bytes, static_cast<char>(random.between(1, 100))});
      ASSERT_TRUE(is_filled(all.back().memory, bytes, 0));
      std::memset(all.back().memory, all.back().with, static_cast<std::size_t>(bytes));
    }
    for (const One& one : all) ASSERT_TRUE(is_filled(one.memory, one.bytes, one.with));
  });
}

TEST(Heap, AChildOfForkHasACopy) {
  SharedBoard board;
  SharedBoard forked;
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self == 1) {
      PeerHeaps heaps;
      board->meet(2, 1);
      heaps.look_at(segment, 0);
      char* const here = heaps.find(segment, 0, segment.heap_of(0).begin, 2 * kSome);
      ASSERT_NE(here, nullptr);
      board->meet(2, 2);
      board->meet(2, 3);  // it has forked, and both have stored
      EXPECT_EQ(here[0], 'a');
      board->meet(2, 4);
      return;
    }
    Heap heap;
    make(heap, segment);
    char* const memory = allocate(heap, 2 * kSome);
    std::memset(memory, 'a', 2 * kSome);
    board->meet(2, 1);
    board->meet(2, 2);
    EXPECT_TRUE(heap.is_mapped_by(1, address_of(memory), kSome));
    // Another thread stores all the while, and loses nothing.
    std::atomic<bool> goes_on{true};
    const std::atomic_ref<long> counter(*reinterpret_cast<long*>(memory + kSome));
    counter = 0;
    long counted = 0;
    std::thread other([&] {
      while (goes_on) counter.store(++counted, std::memory_order_relaxed);
    });
    while (counter < 1000) {
    }
    const pid_t child = begin([&] {
      const long found = counter;
      memory[1] = 'c';
      forked->meet(2, 1);
      forked->meet(2, 2);
      EXPECT_EQ(memory[0], 'a');
      EXPECT_EQ(memory[1], 'c');
      EXPECT_EQ(counter, found);
      in_child([&] { EXPECT_EQ(memory[1], 'c'); });
    });
    forked->meet(2, 1);
    memory[0] = 'b';
    EXPECT_EQ(memory[1], 'a');
    forked->meet(2, 2);
    expect_good_end(child);
    goes_on = false;
    other.join();
    EXPECT_EQ(counter, counted);
    EXPECT_EQ(memory[0], 'b');
    EXPECT_TRUE(is_filled(memory + 1, kSome - 1, 'a'));
    EXPECT_FALSE(heap.is_mapped_by(1, address_of(memory), kSome));
    EXPECT_EQ(heap.allocate(kSome), nullptr);
    in_child([&] { EXPECT_EQ(memory[0], 'b'); });
    board->meet(2, 3);
    board->meet(2, 4);
    EXPECT_TRUE(heap.release(memory));
  });
}

TEST(Heap, WhatOneProcessFreesAfterAForkTheOtherStillHas) {
  SharedBoard board;
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self != 0) return;
    Heap heap;
    make(heap, segment);
    char* const first = allocate(heap, kSome);
    char* const second = allocate(heap, kSome);
    std::memset(first, 'a', kSome);
    std::memset(second, 'b', kSome);
    const pid_t child = begin([&] {
      EXPECT_TRUE(heap.release(second));
      board->meet(2, 1);
      board->meet(2, 2);
      EXPECT_TRUE(is_filled(first, kSome, 'a'));
      EXPECT_EQ(heap.allocate(kSome), nullptr);
    });
    board->meet(2, 1);
    EXPECT_TRUE(is_filled(second, kSome, 'b'));
    EXPECT_TRUE(heap.release(first));
    board->meet(2, 2);
    expect_good_end(child);
    EXPECT_TRUE(heap.is_private(address_of(second)));
    EXPECT_FALSE(heap.is_private(address_of(&board)));
  });
}

TEST(Heap, AChildOfForkHasACopyWithoutTheDescriptorToo) {
  SharedBoard board;
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self != 0) return;
    Heap heap;
    make(heap, segment);
    char* const memory = allocate(heap, kSome);
    std::memset(memory, 'a', kSome);
    close(segment.heap_of(0).descriptor);
    const pid_t child = begin([&] {
      memory[0] = 'c';
      board->meet(2, 1);
      board->meet(2, 2);
      EXPECT_TRUE(is_filled(memory + 1, kSome - 1, 'a'));
      EXPECT_EQ(heap.allocate(kSome), nullptr);
    });
    board->meet(2, 1);
    EXPECT_EQ(memory[0], 'a');
    std::memset(memory, 'b', kSome);
    board->meet(2, 2);
    expect_good_end(child);
  });
}

TEST(Heap, ACoreHasWhatIsAllocatedAlone) {
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self != 0) return;
    // Those of /proc/self/smaps from this address on.
    const auto is_dumped = [](const void* address) {
      std::ifstream file("/proc/self/smaps");
      bool is_here = false;
      for (std::string line; std::getline(file, line);) {
        unsigned long long from = 0, to = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2)
          is_here = from <= address_of(address) && address_of(address) < to;
        if (is_here && line.rfind("VmFlags:", 0) == 0) return line.find(" dd") == std::string::npos;
      }
      ADD_FAILURE() << "no mapping";
      return false;
    };
    Heap heap;
    make(heap, segment);
    char* const memory = allocate(heap, kSome);
    EXPECT_TRUE(is_dumped(memory));
    EXPECT_FALSE(is_dumped(memory + 100 * kMega));
    EXPECT_TRUE(heap.release(memory));
    EXPECT_FALSE(is_dumped(memory));
  });
}

TEST(Heap, WhatCannotBeMappedIsNot) {
  SharedBoard board;
  on_node(2, kMega, [&](Segment& segment, int self) {
    if (self == 0) {
      Heap heap;
      make(heap, segment);
      char* const memory = allocate(heap, kSome);
      // A program that closes what it has not opened, and opens something else.
      const int file = segment.heap_of(0).descriptor;
      close(file);
      const int other = memfd_create("other", 0);
      ASSERT_EQ(ftruncate(other, segment.heap_of(0).reserved), 0);
      ASSERT_EQ(dup2(other, file), file);
      board->meet(2, 1);
      board->meet(2, 2);
      EXPECT_FALSE(heap.is_mapped_by(1, address_of(memory), 1));
      memory[0] = 1;  // it is still the program's
      EXPECT_TRUE(heap.release(memory));
      return;
    }
    board->meet(2, 1);
    PeerHeaps heaps;
    heaps.look_at(segment, 0);
    EXPECT_EQ(heaps.find(segment, 0, segment.heap_of(0).begin, 1), nullptr);
    board->meet(2, 2);
  });
}

TEST(Heap, IsNotMadeWhereTheSystemSaysNo) {
  on_node(2, kMega, [&](Segment& segment, int) {
    const rlimit most{1 << 20, 1 << 20};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &most), 0);
    Heap heap;
    std::string why;
    EXPECT_FALSE(heap.make(segment, why));
    EXPECT_NE(why.find("RLIMIT_FSIZE"), std::string::npos) << why;
    EXPECT_EQ(heap.allocate(kSome), nullptr);
    EXPECT_FALSE(heap.release(&why));
  });
}

}  // namespace gapless::wire::test
