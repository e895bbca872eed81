"""All-to-all by every algorithm that libgapless_mpi has, and by the MPI library: `gapless measure alltoall`."""
