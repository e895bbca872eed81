! use mpi
program fortran_usempi
   use mpi
   implicit none
   integer :: column, requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
   integer :: error, me, peer, i, k, n, stride, rounds, wrong, left, which, expected
   integer, asynchronous :: outgoing(400), incoming(400)
   logical :: flag
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
   peer = 1 - me
   include 'fortran_body.inc'
   call MPI_Finalize(error)
end program
