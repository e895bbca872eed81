! What `gapless profile` must find in a Fortran program: columns, rows and a block of a matrix between two ranks.
program profiled
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 64
  double precision :: field(n, n)
  integer :: ierror, rank, other, row, block, k, requests(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  other = 1 - rank
  field = rank
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierror)
  call MPI_Type_commit(row, ierror)
  call MPI_Type_create_subarray(2, (/n, n/), (/4, 8/), (/2, 0/), MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, block, ierror)
  call MPI_Type_commit(block, ierror)
  do k = 1, 5
    if (rank == 0) then
      call MPI_Send(field(3, 1), 1, row, 1, 7, MPI_COMM_WORLD, ierror)
    else
      call MPI_Recv(field(10, 1), 1, row, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
  end do
  do k = 1, 3
    call MPI_Irecv(field(1, 33), 1, block, other, 8, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(field, 1, block, other, 8, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  call MPI_Type_free(row, ierror)
  call MPI_Type_free(block, ierror)
  if (rank == 1 .and. any(field(10, :32) /= 0)) print *, 'wrong row'
  if (any(field(3:6, 33:40) /= other)) print *, 'wrong block'
  call MPI_Finalize(ierror)
end program profiled
