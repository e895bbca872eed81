// Preloaded: the process takes itself to be on a kernel with pages of 64 KiB, as AArch64 has. Memory is mapped, opened
// and given back in such pages, and an address within one is refused as that kernel refuses it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kPage = 64 << 10 };

static size_t rounded_up(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

static int on_whole_pages(long number, void* start, size_t bytes, int how) {
  if ((uintptr_t)start % kPage == 0) return (int)syscall(number, start, rounded_up(bytes), how);
  errno = EINVAL;
  return -1;
}

long sysconf(int name) {
  static long (*next)(int);
  if (name == _SC_PAGESIZE) return kPage;
  if (next == NULL) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return next(name);
}

void* mmap(void* start, size_t bytes, int protection, int flags, int file, off_t offset) {
  const size_t size = rounded_up(bytes);
  if (start != NULL || bytes == 0) return (void*)syscall(SYS_mmap, start, bytes, protection, flags, file, offset);
  char* const room =
      (char*)syscall(SYS_mmap, NULL, size + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return MAP_FAILED;
  char* const aligned = (char*)rounded_up((uintptr_t)room);
  if (aligned != room) syscall(SYS_munmap, room, aligned - room);
  if (aligned != room + kPage) syscall(SYS_munmap, aligned + size, room + kPage - aligned);
  void* const got = (void*)syscall(SYS_mmap, aligned, size, protection, flags | MAP_FIXED, file, offset);
  if (got == MAP_FAILED) syscall(SYS_munmap, aligned, size);
  return got;
}

int munmap(void* start, size_t bytes) {
  return on_whole_pages(SYS_munmap, start, bytes, 0);
}
int mprotect(void* start, size_t bytes, int protection) {
  return on_whole_pages(SYS_mprotect, start, bytes, protection);
}
int madvise(void* start, size_t bytes, int advice) {
  return on_whole_pages(SYS_madvise, start, bytes, advice);
}
