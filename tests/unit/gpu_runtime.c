// A library under the name of a GPU runtime: what mpi::is_host asks of the real one, about memory that the test names.
// Compiled once for each, with CUDA, HSA or LEVEL_ZERO defined.
#include <stdatomic.h>
#include <stdint.h>

static const char* regions[3];
static atomic_int started = 0;  // 0: not initialised; 1: it works; 2: it has a trouble of its own
static atomic_int questions = 0;

// Three regions of 4096 bytes: of the device, managed (CUDA) or pinned by the program (HSA), of the runtime on the
// host.
void test_regions(const char* device, const char* special, const char* host) {
  regions[0] = device;
  regions[1] = special;
  regions[2] = host;
}
void test_start(int how) {
  started = how;
}
int test_questions(void) {
  return questions;
}

int test_region_of(const char* address) {
  for (int k = 0; k < 3; ++k) {
    if (address >= regions[k] && address < regions[k] + 4096) return k;
  }
  return -1;
}

#ifdef CUDA
int cuPointerGetAttribute(void* value, int attribute, unsigned long long address) {
  ++questions;
  if (started == 0) return 3;
  if (started == 2) return 700;  // an error of an earlier kernel
  const int region = test_region_of((const char*)(uintptr_t)address);
  if (region < 0 || (attribute != 2 && attribute != 8)) return 1;
  if (attribute == 2) *(unsigned*)value = region == 0 ? 2 : 1;
  if (attribute == 8) *(unsigned char*)value = region == 1;
  return 0;
}
#endif

#ifdef HSA
typedef struct {
  uint32_t size;
  int type;
  void *agent_base, *host_base;
  uint64_t bytes;
  void* user_data;
  uint64_t owner;
} Info;

int hsa_amd_pointer_info(const void* address, Info* info, void* allocate, uint32_t* count, uint64_t** agents) {
  (void)allocate, (void)count, (void)agents;
  ++questions;
  if (started == 0) return 0x100b;
  if (started == 2 || info->size < sizeof(Info)) return 0x1000;
  const int region = test_region_of(address);
  const int types[] = {1, 2, 1};
  info->type = region < 0 ? 0 : types[region];
  info->owner = region == 0 ? 77 : 76;
  return 0;
}

int hsa_agent_get_info(uint64_t agent, int attribute, void* value) {
  if (attribute != 17 || agent < 76 || agent > 77) return 0x1004;
  *(int*)value = agent == 77;
  return 0;
}
#endif

#ifdef LEVEL_ZERO
unsigned zeDriverGet(uint32_t* count, void** drivers) {
  (void)drivers;
  ++questions;
  if (started == 0) return 0x78000001;
  *count = started == 1 ? 1 : 0;
  return 0;
}
#endif
