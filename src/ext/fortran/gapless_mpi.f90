! What MPI lacks, on its own handles: the functions of gapless_mpi.h, which has their documentation, for Fortran 2018.
! Compile this file with the program's compiler (a module file fits one compiler only), and link with libgapless_mpi of
! the program's MPI ABI:
!
!   mpifort $(pkg-config --variable=fortran gapless-mpi-mpich) halo.f90 $(pkg-config --libs gapless-mpi-mpich)
!
! Handles are those of `use mpi` and mpif.h; with `use mpi_f08` give type%MPI_VAL. Counts are of kind MPI_COUNT_KIND,
! displacements of kind MPI_ADDRESS_KIND. The algorithm and the error code may be left out. For MPI_IN_PLACE and
! MPI_BOTTOM write gapless_in_place and gapless_bottom.
!
! A buffer of gapless_alltoall_init or gapless_alltoallv_init must be contiguous (of a section with gaps the compiler
! passes a copy, which is gone when the data are to move) and ASYNCHRONOUS from the start to the wait, as with MPI's own
! persistent procedures.
module gapless_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_intptr_t, c_null_char, c_null_ptr, c_ptr
  implicit none
  private

  integer, parameter, public :: gapless_count_kind = c_int64_t
  integer, parameter, public :: gapless_address_kind = c_intptr_t

  integer(c_int), bind(C, name="gapless_f_in_place"), public :: gapless_in_place(1)
  integer(c_int), bind(C, name="gapless_f_bottom"), public :: gapless_bottom(1)

  type, public :: gapless_request
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: gapless_type_create_vector_bounded
  public :: gapless_type_create_vector_circular
  public :: gapless_type_create_bucket
  public :: gapless_type_signature
  public :: gapless_type_normalize
  public :: gapless_type_equal
  public :: gapless_type_serialise
  public :: gapless_copy
  public :: gapless_pack_at
  public :: gapless_unpack_at
  public :: gapless_alltoall
  public :: gapless_alltoallv
  public :: gapless_alltoallw
  public :: gapless_alltoall_init
  public :: gapless_alltoallv_init
  public :: gapless_start
  public :: gapless_wait
  public :: gapless_request_free

  interface
    integer(c_int) function c_type_create_vector_bounded(bound, blocklength, stride, oldtype, newtype) &
        bind(C, name="gapless_f_type_create_vector_bounded")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(gapless_count_kind), value :: bound
      integer(gapless_count_kind), value :: blocklength
      integer(gapless_count_kind), value :: stride
      integer(c_int), value :: oldtype
      integer(c_int), intent(inout) :: newtype
    end function
    integer(c_int) function c_type_create_vector_circular(total, start, bound, blocklength, stride, oldtype, &
        newtype) &
        bind(C, name="gapless_f_type_create_vector_circular")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(gapless_count_kind), value :: total
      integer(gapless_count_kind), value :: start
      integer(gapless_count_kind), value :: bound
      integer(gapless_count_kind), value :: blocklength
      integer(gapless_count_kind), value :: stride
      integer(c_int), value :: oldtype
      integer(c_int), intent(inout) :: newtype
    end function
    integer(c_int) function c_type_create_bucket(count, stride, counts, oldtype, newtype) &
        bind(C, name="gapless_f_type_create_bucket")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(gapless_count_kind), value :: count
      integer(gapless_count_kind), value :: stride
      integer(gapless_count_kind), intent(in) :: counts(*)
      integer(c_int), value :: oldtype
      integer(c_int), intent(inout) :: newtype
    end function
    integer(c_int) function c_type_signature(datatype, newtype) &
        bind(C, name="gapless_f_type_signature")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(c_int), value :: datatype
      integer(c_int), intent(inout) :: newtype
    end function
    integer(c_int) function c_type_normalize(datatype, newtype) &
        bind(C, name="gapless_f_type_normalize")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(c_int), value :: datatype
      integer(c_int), intent(inout) :: newtype
    end function
    integer(c_int) function c_type_equal(type_a, type_b, equal) &
        bind(C, name="gapless_f_type_equal")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(c_int), value :: type_a
      integer(c_int), value :: type_b
      integer(c_int), intent(inout) :: equal
    end function
    integer(c_int) function c_type_serialise(type, buffer, capacity, needed) &
        bind(C, name="gapless_f_type_serialise")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      integer(c_int), value :: type
      type(*), intent(inout) :: buffer(*)
      integer(gapless_count_kind), value :: capacity
      integer(gapless_count_kind), intent(inout) :: needed
    end function
    integer(c_int) function c_copy(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype) &
        bind(C, name="gapless_f_copy")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: sendbuf(*)
      integer(gapless_count_kind), value :: sendcount
      integer(c_int), value :: sendtype
      type(*), intent(inout) :: recvbuf(*)
      integer(gapless_count_kind), value :: recvcount
      integer(c_int), value :: recvtype
    end function
    integer(c_int) function c_pack_at(inbuf, incount, datatype, position, outbuf, outsize, packed) &
        bind(C, name="gapless_f_pack_at")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: inbuf(*)
      integer(gapless_count_kind), value :: incount
      integer(c_int), value :: datatype
      integer(gapless_count_kind), value :: position
      type(*), intent(inout) :: outbuf(*)
      integer(gapless_count_kind), value :: outsize
      integer(gapless_count_kind), intent(inout) :: packed
    end function
    integer(c_int) function c_unpack_at(inbuf, insize, position, outbuf, outcount, datatype, unpacked) &
        bind(C, name="gapless_f_unpack_at")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: inbuf(*)
      integer(gapless_count_kind), value :: insize
      integer(gapless_count_kind), value :: position
      type(*), intent(inout) :: outbuf(*)
      integer(gapless_count_kind), value :: outcount
      integer(c_int), value :: datatype
      integer(gapless_count_kind), intent(inout) :: unpacked
    end function
    integer(c_int) function c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm) &
        bind(C, name="gapless_f_alltoall")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: sendbuf(*)
      integer(gapless_count_kind), value :: sendcount
      integer(c_int), value :: sendtype
      type(*), intent(inout) :: recvbuf(*)
      integer(gapless_count_kind), value :: recvcount
      integer(c_int), value :: recvtype
      integer(c_int), value :: comm
      character(kind=c_char), intent(in), optional :: algorithm(*)
    end function
    integer(c_int) function c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, algorithm) &
        bind(C, name="gapless_f_alltoallv")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: sendbuf(*)
      integer(gapless_count_kind), intent(in) :: sendcounts(*)
      integer(gapless_address_kind), intent(in) :: sdispls(*)
      integer(c_int), value :: sendtype
      type(*), intent(inout) :: recvbuf(*)
      integer(gapless_count_kind), intent(in) :: recvcounts(*)
      integer(gapless_address_kind), intent(in) :: rdispls(*)
      integer(c_int), value :: recvtype
      integer(c_int), value :: comm
      character(kind=c_char), intent(in), optional :: algorithm(*)
    end function
    integer(c_int) function c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, algorithm) &
        bind(C, name="gapless_f_alltoallw")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: sendbuf(*)
      integer(gapless_count_kind), intent(in) :: sendcounts(*)
      integer(gapless_address_kind), intent(in) :: sdispls(*)
      integer(c_int), intent(in) :: sendtypes(*)
      type(*), intent(inout) :: recvbuf(*)
      integer(gapless_count_kind), intent(in) :: recvcounts(*)
      integer(gapless_address_kind), intent(in) :: rdispls(*)
      integer(c_int), intent(in) :: recvtypes(*)
      integer(c_int), value :: comm
      character(kind=c_char), intent(in), optional :: algorithm(*)
    end function
    integer(c_int) function c_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        algorithm, request) &
        bind(C, name="gapless_f_alltoall_init")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: sendbuf(*)
      integer(gapless_count_kind), value :: sendcount
      integer(c_int), value :: sendtype
      type(*), intent(inout) :: recvbuf(*)
      integer(gapless_count_kind), value :: recvcount
      integer(c_int), value :: recvtype
      integer(c_int), value :: comm
      character(kind=c_char), intent(in), optional :: algorithm(*)
      type(c_ptr), intent(inout) :: request
    end function
    integer(c_int) function c_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, algorithm, request) &
        bind(C, name="gapless_f_alltoallv_init")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(*), intent(in) :: sendbuf(*)
      integer(gapless_count_kind), intent(in) :: sendcounts(*)
      integer(gapless_address_kind), intent(in) :: sdispls(*)
      integer(c_int), value :: sendtype
      type(*), intent(inout) :: recvbuf(*)
      integer(gapless_count_kind), intent(in) :: recvcounts(*)
      integer(gapless_address_kind), intent(in) :: rdispls(*)
      integer(c_int), value :: recvtype
      integer(c_int), value :: comm
      character(kind=c_char), intent(in), optional :: algorithm(*)
      type(c_ptr), intent(inout) :: request
    end function
    integer(c_int) function c_start(request) &
        bind(C, name="GAPLESS_Start")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(c_ptr), value :: request
    end function
    integer(c_int) function c_wait(request) &
        bind(C, name="GAPLESS_Wait")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(c_ptr), value :: request
    end function
    integer(c_int) function c_request_free(request) &
        bind(C, name="GAPLESS_Request_free")
      import :: c_char, c_int, c_ptr, gapless_address_kind, gapless_count_kind
      type(c_ptr), intent(inout) :: request
    end function
  end interface

contains

  subroutine gapless_type_create_vector_bounded(bound, blocklength, stride, oldtype, newtype, ierror)
    integer(gapless_count_kind), intent(in) :: bound
    integer(gapless_count_kind), intent(in) :: blocklength
    integer(gapless_count_kind), intent(in) :: stride
    integer, intent(in) :: oldtype
    integer, intent(inout) :: newtype
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_type_create_vector_bounded(bound, blocklength, stride, oldtype, newtype)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_type_create_vector_circular(total, start, bound, blocklength, stride, oldtype, newtype, ierror)
    integer(gapless_count_kind), intent(in) :: total
    integer(gapless_count_kind), intent(in) :: start
    integer(gapless_count_kind), intent(in) :: bound
    integer(gapless_count_kind), intent(in) :: blocklength
    integer(gapless_count_kind), intent(in) :: stride
    integer, intent(in) :: oldtype
    integer, intent(inout) :: newtype
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_type_create_vector_circular(total, start, bound, blocklength, stride, oldtype, newtype)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_type_create_bucket(count, stride, counts, oldtype, newtype, ierror)
    integer(gapless_count_kind), intent(in) :: count
    integer(gapless_count_kind), intent(in) :: stride
    integer(gapless_count_kind), intent(in) :: counts(*)
    integer, intent(in) :: oldtype
    integer, intent(inout) :: newtype
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_type_create_bucket(count, stride, counts, oldtype, newtype)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_type_signature(datatype, newtype, ierror)
    integer, intent(in) :: datatype
    integer, intent(inout) :: newtype
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_type_signature(datatype, newtype)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_type_normalize(datatype, newtype, ierror)
    integer, intent(in) :: datatype
    integer, intent(inout) :: newtype
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_type_normalize(datatype, newtype)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_type_equal(type_a, type_b, equal, ierror)
    integer, intent(in) :: type_a
    integer, intent(in) :: type_b
    logical, intent(inout) :: equal
    integer, intent(out), optional :: ierror
    integer(c_int) :: is_equal
    integer(c_int) :: code

    is_equal = 0
    code = c_type_equal(type_a, type_b, is_equal)
    if (code == 0) equal = is_equal /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_type_serialise(datatype, buffer, capacity, needed, ierror)
    integer, intent(in) :: datatype
    type(*), intent(inout) :: buffer(*)
    integer(gapless_count_kind), intent(in) :: capacity
    integer(gapless_count_kind), intent(inout) :: needed
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_type_serialise(datatype, buffer, capacity, needed)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_copy(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer(gapless_count_kind), intent(in) :: sendcount
    integer, intent(in) :: sendtype
    type(*), intent(inout) :: recvbuf(*)
    integer(gapless_count_kind), intent(in) :: recvcount
    integer, intent(in) :: recvtype
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_copy(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_pack_at(inbuf, incount, datatype, position, outbuf, outsize, packed, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(gapless_count_kind), intent(in) :: incount
    integer, intent(in) :: datatype
    integer(gapless_count_kind), intent(in) :: position
    type(*), intent(inout) :: outbuf(*)
    integer(gapless_count_kind), intent(in) :: outsize
    integer(gapless_count_kind), intent(inout) :: packed
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_pack_at(inbuf, incount, datatype, position, outbuf, outsize, packed)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_unpack_at(inbuf, insize, position, outbuf, outcount, datatype, unpacked, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(gapless_count_kind), intent(in) :: insize
    integer(gapless_count_kind), intent(in) :: position
    type(*), intent(inout) :: outbuf(*)
    integer(gapless_count_kind), intent(in) :: outcount
    integer, intent(in) :: datatype
    integer(gapless_count_kind), intent(inout) :: unpacked
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_unpack_at(inbuf, insize, position, outbuf, outcount, datatype, unpacked)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer(gapless_count_kind), intent(in) :: sendcount
    integer, intent(in) :: sendtype
    type(*), intent(inout) :: recvbuf(*)
    integer(gapless_count_kind), intent(in) :: recvcount
    integer, intent(in) :: recvtype
    integer, intent(in) :: comm
    character(len=*), intent(in), optional :: algorithm
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    if (present(algorithm)) then
      code = c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, to_c(algorithm))
    else
      code = c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
    end if
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
      comm, algorithm, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer(gapless_count_kind), intent(in) :: sendcounts(*)
    integer(gapless_address_kind), intent(in) :: sdispls(*)
    integer, intent(in) :: sendtype
    type(*), intent(inout) :: recvbuf(*)
    integer(gapless_count_kind), intent(in) :: recvcounts(*)
    integer(gapless_address_kind), intent(in) :: rdispls(*)
    integer, intent(in) :: recvtype
    integer, intent(in) :: comm
    character(len=*), intent(in), optional :: algorithm
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    if (present(algorithm)) then
      code = c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
          to_c(algorithm))
    else
      code = c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
    end if
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, &
      comm, algorithm, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer(gapless_count_kind), intent(in) :: sendcounts(*)
    integer(gapless_address_kind), intent(in) :: sdispls(*)
    integer, intent(in) :: sendtypes(*)
    type(*), intent(inout) :: recvbuf(*)
    integer(gapless_count_kind), intent(in) :: recvcounts(*)
    integer(gapless_address_kind), intent(in) :: rdispls(*)
    integer, intent(in) :: recvtypes(*)
    integer, intent(in) :: comm
    character(len=*), intent(in), optional :: algorithm
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    if (present(algorithm)) then
      code = c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
          to_c(algorithm))
    else
      code = c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
    end if
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm, &
      request, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer(gapless_count_kind), intent(in) :: sendcount
    integer, intent(in) :: sendtype
    type(*), intent(inout) :: recvbuf(*)
    integer(gapless_count_kind), intent(in) :: recvcount
    integer, intent(in) :: recvtype
    integer, intent(in) :: comm
    character(len=*), intent(in), optional :: algorithm
    type(gapless_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    if (present(algorithm)) then
      code = c_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, to_c(algorithm), &
          request%handle)
    else
      code = c_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
          request=request%handle)
    end if
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
      comm, algorithm, request, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer(gapless_count_kind), intent(in) :: sendcounts(*)
    integer(gapless_address_kind), intent(in) :: sdispls(*)
    integer, intent(in) :: sendtype
    type(*), intent(inout) :: recvbuf(*)
    integer(gapless_count_kind), intent(in) :: recvcounts(*)
    integer(gapless_address_kind), intent(in) :: rdispls(*)
    integer, intent(in) :: recvtype
    integer, intent(in) :: comm
    character(len=*), intent(in), optional :: algorithm
    type(gapless_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    if (present(algorithm)) then
      code = c_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
          to_c(algorithm), request%handle)
    else
      code = c_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
          request=request%handle)
    end if
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_start(request, ierror)
    type(gapless_request), intent(in) :: request
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_start(request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_wait(request, ierror)
    type(gapless_request), intent(in) :: request
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_wait(request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine gapless_request_free(request, ierror)
    type(gapless_request), intent(inout) :: request
    integer, intent(out), optional :: ierror
    integer(c_int) :: code

    code = c_request_free(request%handle)
    if (present(ierror)) ierror = code
  end subroutine

  ! With the end that C looks for.
  pure function to_c(text) result(characters)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: characters(len_trim(text) + 1)
    integer :: i

    do i = 1, len_trim(text)
      characters(i) = text(i:i)
    end do
    characters(len_trim(text) + 1) = c_null_char
  end function

end module
