! use mpi_f08
program fortran_f08
   use mpi_f08
   implicit none
   type(MPI_Datatype) :: column
   type(MPI_Request) :: requests(2)
   type(MPI_Status) :: status, statuses(2)
   integer :: error, me, peer, i, k, n, stride, rounds, wrong, left, which, expected
   integer, asynchronous :: outgoing(400), incoming(400)
   logical :: flag
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
   peer = 1 - me
   include 'fortran_body.inc'
   call MPI_Finalize(error)
end program
