! Blocks of doubles, equally far apart or listed, in Fortran (loops.h).
module gapless_loops_plain
  use iso_c_binding, only: c_double, c_int
  implicit none
contains

  subroutine strided_pack(n, list, a, packed) bind(c, name="gapless_loops_fortran_strided_pack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: a(n(3), *)
    real(c_double), intent(out) :: packed(n(2), n(1))
    integer :: i
    do i = 1, n(1)
      packed(:, i) = a(1:n(2), i)
    end do
  end subroutine

  subroutine strided_unpack(n, list, packed, a) bind(c, name="gapless_loops_fortran_strided_unpack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: packed(n(2), n(1))
    real(c_double), intent(inout) :: a(n(3), *)
    integer :: i
    do i = 1, n(1)
      a(1:n(2), i) = packed(:, i)
    end do
  end subroutine

  subroutine listed_pack(n, list, a, packed) bind(c, name="gapless_loops_fortran_listed_pack")
    integer(c_int), intent(in) :: n(2), list(n(1))
    real(c_double), intent(in) :: a(0:*)
    real(c_double), intent(out) :: packed(n(2), n(1))
    integer :: i
    do i = 1, n(1)
      packed(:, i) = a(list(i):list(i) + n(2) - 1)
    end do
  end subroutine

  subroutine listed_unpack(n, list, packed, a) bind(c, name="gapless_loops_fortran_listed_unpack")
    integer(c_int), intent(in) :: n(2), list(n(1))
    real(c_double), intent(in) :: packed(n(2), n(1))
    real(c_double), intent(inout) :: a(0:*)
    integer :: i
    do i = 1, n(1)
      a(list(i):list(i) + n(2) - 1) = packed(:, i)
    end do
  end subroutine
end module
