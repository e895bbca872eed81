! The module gapless_mpi, each of its procedures once and against values known beforehand. Any number of ranks.
program fortran_test
  use, intrinsic :: iso_c_binding, only: c_int
  use gapless_mpi
  implicit none

  interface
    integer(c_int) function begin_mpi() bind(C)
      import :: c_int
    end function
    integer(c_int) function end_mpi() bind(C)
      import :: c_int
    end function
    integer(c_int) function rank_of_world() bind(C)
      import :: c_int
    end function
    integer(c_int) function size_of_world() bind(C)
      import :: c_int
    end function
    integer(c_int) function handle_of_world() bind(C)
      import :: c_int
    end function
    integer(c_int) function handle_of_int() bind(C)
      import :: c_int
    end function
    integer(c_int) function handle_of_null() bind(C)
      import :: c_int
    end function
    subroutine commit_type(handle) bind(C)
      import :: c_int
      integer(c_int), value :: handle
    end subroutine
    subroutine free_type(handle) bind(C)
      import :: c_int
      integer(c_int), value :: handle
    end subroutine
  end interface

  integer, parameter :: ck = gapless_count_kind, ak = gapless_address_kind
  integer :: failures = 0, rank, ranks, world, int_type

  if (begin_mpi() /= 0) error stop "MPI_Init failed"
  rank = rank_of_world()
  ranks = size_of_world()
  world = handle_of_world()
  int_type = handle_of_int()
  call test_types()
  call test_comparisons()
  call test_errors()
  call test_alltoall()
  call test_alltoallv()
  if (end_mpi() /= 0) failures = failures + 1
  if (failures > 0) error stop 1
  if (rank == 0) print '(a)', "passed"

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (.not. holds) then
      failures = failures + 1
      print '(a, i0, 2a)', "rank ", rank, " failed: ", what
    end if
  end subroutine

  ! What a type picks of 0, 1, 2, ...
  function picked(datatype, elements) result(out)
    integer, intent(in) :: datatype, elements
    integer :: out(elements)
    integer :: field(0:63), i
    integer(ck) :: packed

    field = [(i, i=0, 63)]
    packed = -1
    call gapless_pack_at(field, 1_ck, datatype, 0_ck, out, 4_ck * elements, packed)
    call check(packed == 4 * elements, "GAPLESS_Pack_at packs all")
  end function

  subroutine test_types()
    integer :: datatype, signature, ierror, field(0:15), i
    integer(ck) :: unpacked

    call gapless_type_create_vector_bounded(8_ck, 2_ck, 3_ck, int_type, datatype, ierror)
    call check(ierror == 0, "bounded vector")
    call commit_type(datatype)
    call check(all(picked(datatype, 6) == [0, 1, 3, 4, 6, 7]), "bounded vector: elements")
    call gapless_type_signature(datatype, signature)
    call commit_type(signature)
    call check(all(picked(signature, 6) == [0, 1, 2, 3, 4, 5]), "signature: elements")
    field = -1
    call gapless_copy([(10 + i, i=0, 5)], 1_ck, signature, field, 1_ck, datatype, ierror)
    call check(ierror == 0, "copy")
    call check(all(field(0:8) == [10, 11, -1, 12, 13, -1, 14, 15, -1]), "copy: elements")
    ! The second element and the third.
    call gapless_unpack_at([91, 92], 8_ck, 4_ck, field, 1_ck, datatype, unpacked, ierror)
    call check(ierror == 0 .and. unpacked == 8, "unpack")
    call check(all(field(0:3) == [10, 91, -1, 92]), "unpack: elements")
    call free_type(signature)
    call free_type(datatype)

    call gapless_type_create_vector_circular(8_ck, 5_ck, 6_ck, 2_ck, 3_ck, int_type, datatype)
    call commit_type(datatype)
    call check(all(picked(datatype, 4) == [5, 6, 0, 1]), "circular vector: elements")
    call free_type(datatype)

    call gapless_type_create_bucket(3_ck, 4_ck, [1_ck, 0_ck, 2_ck], int_type, datatype)
    call commit_type(datatype)
    call check(all(picked(datatype, 3) == [0, 8, 9]), "bucket: elements")
    call free_type(datatype)
  end subroutine

  subroutine test_comparisons()
    integer :: bounded, bucket, normal, ierror
    character :: form(64), other_form(64)
    integer(ck) :: needed, other_needed
    logical :: equal

    equal = .false.
    call gapless_type_create_vector_bounded(8_ck, 2_ck, 4_ck, int_type, bounded)
    call gapless_type_create_bucket(2_ck, 4_ck, [2_ck, 1_ck], int_type, bucket)
    call gapless_type_normalize(bounded, normal)
    call gapless_type_equal(bounded, normal, equal)
    call check(equal, "a type is equal to its normal form")
    call gapless_type_equal(bounded, bucket, equal)
    call check(.not. equal, "different types are not equal")
    call gapless_type_serialise(bounded, form, 64_ck, needed)
    call gapless_type_serialise(normal, other_form, 64_ck, other_needed, ierror)
    call check(ierror == 0 .and. needed > 8 .and. needed <= 64 .and. needed == other_needed, "serialised")
    call check(all(form(:needed) == other_form(:needed)), "one layout is the same bytes")
    call free_type(bounded)
    call free_type(bucket)
    call free_type(normal)
  end subroutine

  subroutine test_errors()
    integer :: datatype, ierror, nothing(1)
    integer(ck) :: packed

    datatype = 4711
    call gapless_type_create_vector_bounded(8_ck, 0_ck, 3_ck, int_type, datatype, ierror)
    call check(ierror /= 0, "a block length of 0 is refused")
    call check(datatype == 4711, "what fails sets nothing")
    packed = 4711
    call gapless_pack_at([1], 1_ck, handle_of_null(), 0_ck, nothing, 0_ck, packed, ierror)
    call check(ierror /= 0 .and. packed == 4711, "MPI_DATATYPE_NULL is refused")
  end subroutine

  integer function value(from, to, k)
    integer, intent(in) :: from, to, k
    value = 10000 * from + 100 * to + k
  end function

  subroutine test_alltoall()
    integer :: sent(3, 0:ranks - 1), received(3, 0:ranks - 1), ierror, i, k, times
    type(gapless_request) :: request

    do i = 0, ranks - 1
      sent(:, i) = [(value(rank, i, k), k=1, 3)]
    end do
    received = -1
    call gapless_alltoall(sent, 3_ck, int_type, received, 3_ck, int_type, world, ierror=ierror)
    call check(ierror == 0 .and. arrived(received), "all-to-all")
    received = -1
    call gapless_alltoall(sent, 3_ck, int_type, received, 3_ck, int_type, world, "basic", ierror)
    call check(ierror == 0 .and. arrived(received), "all-to-all by name")
    received = sent
    call gapless_alltoall(gapless_in_place, 0_ck, int_type, received, 3_ck, int_type, world, ierror=ierror)
    call check(ierror == 0 .and. arrived(received), "all-to-all in place")
    call gapless_alltoall(sent, 3_ck, int_type, received, 3_ck, int_type, world, "no such", ierror)
    call check(ierror /= 0, "an unknown algorithm is refused")

    call gapless_alltoall_init(sent, 3_ck, int_type, received, 3_ck, int_type, world, request=request)
    do times = 1, 2
      received = -1
      call gapless_start(request)
      call gapless_wait(request)
      call check(arrived(received), "persistent all-to-all")
    end do
    call gapless_request_free(request)
  end subroutine

  logical function arrived(received)
    integer, intent(in) :: received(3, 0:ranks - 1)
    integer :: i, k

    arrived = .true.
    do i = 0, ranks - 1
      arrived = arrived .and. all(received(:, i) == [(value(i, rank, k), k=1, 3)])
    end do
  end function

  ! From process a to process b: a + b elements.
  subroutine test_alltoallv()
    integer(ck) :: counts(0:ranks - 1)
    integer(ak) :: places(0:ranks - 1)
    integer :: sent(0:3 * ranks * ranks), received(0:3 * ranks * ranks), types(0:ranks - 1), ierror, i, k, times
    type(gapless_request) :: request

    counts = [(rank + i, i=0, ranks - 1)]
    do i = 0, ranks - 1
      places(i) = sum(counts(:i - 1))
      do k = 1, int(counts(i))
        sent(places(i) + k - 1) = value(rank, i, k)
      end do
    end do
    received = -1
    call gapless_alltoallv(sent, counts, places, int_type, received, counts, places, int_type, world, ierror=ierror)
    call check(ierror == 0 .and. arrived_all(received, counts, places), "all-to-all v")
    received = -1
    types = int_type
    call gapless_alltoallw(sent, counts, 4 * places, types, received, counts, 4 * places, types, world, ierror=ierror)
    call check(ierror == 0 .and. arrived_all(received, counts, places), "all-to-all w")
    call gapless_alltoallv_init(sent, counts, places, int_type, received, counts, places, int_type, world, &
        request=request)
    do times = 1, 2
      received = -1
      call gapless_start(request)
      call gapless_wait(request)
      call check(arrived_all(received, counts, places), "persistent all-to-all v")
    end do
    call gapless_request_free(request, ierror)
    call check(ierror == 0, "request freed")
  end subroutine

  logical function arrived_all(received, counts, places)
    integer, intent(in) :: received(0:)
    integer(ck), intent(in) :: counts(0:)
    integer(ak), intent(in) :: places(0:)
    integer :: i, k

    arrived_all = .true.
    do i = 0, ranks - 1
      do k = 1, int(counts(i))
        arrived_all = arrived_all .and. received(places(i) + k - 1) == value(i, rank, k)
      end do
    end do
  end function

end program
