// Tells memory that this processor may touch from memory of a GPU, before it is touched. No GPU library is linked.
#pragma once

namespace gapless::mpi {

// False if a GPU runtime that the process has loaded says that `address` is not plain host memory, or cannot say. It
// judges the one address: pass the first byte that would be touched, which lies at the true lower bound (MPI_BOTTOM is
// no address). Starts no runtime, makes no context, and leaves no error behind in one.
//
// CUDA (libcuda): device and managed memory are not host memory; pinned and registered memory is. Asked of the driver.
// ROCm (libhsa-runtime64, below HIP and OpenMP): memory of a GPU is not. HIP's own query is not used: it would
// start HIP, and for an ordinary pointer leave an error that the program's next hipGetLastError returns.
// Managed memory that the kernel migrates is unknown to HSA and counts as host memory, where it may be touched.
// Level Zero (libze_loader): its query needs a context, and the program's is unknown; making one would be a side
// effect, and the specification lets a context deny the allocations of another. So as soon as it is started, no address
// is taken for host memory.
// Runtimes in another linker namespace (dlmopen) are not seen.
//
// Cost without a GPU runtime: one call of dl_iterate_phdr, which ends at the first object (measured with glibc 2.36: 10
// to 20 ns with 4 as with 263 objects). It takes the loader's list lock for that time. Within some microseconds of one
// that found none: a look at the processor's counter. With CUDA: one or two of its queries more.
bool is_host(const void* address) noexcept;
// True if a GPU runtime is in the process, so that one message may lie in memory of two kinds.
bool has_gpu_runtime() noexcept;

}  // namespace gapless::mpi
