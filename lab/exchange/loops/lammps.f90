! LAMMPS's loops in Fortran (loops.h): the arrays lie one behind the other, three coordinates first.
module gapless_loops_lammps
  use iso_c_binding, only: c_int, c_double
  implicit none
contains

  subroutine full_pack(n, list, array, packed) bind(c, name="gapless_loops_fortran_lammps_full_pack")
    integer(c_int), intent(in) :: n(2), list(n(1))
    real(c_double), intent(in) :: array(n(1) + n(2), 8)
    real(c_double), intent(out) :: packed(8, n(1))
    call gather(n, list, array, array(1, 4), 5, [4, 5, 6, 8, 7], packed)
  end subroutine

  subroutine atomic_pack(n, list, array, packed) bind(c, name="gapless_loops_fortran_lammps_atomic_pack")
    integer(c_int), intent(in) :: n(2), list(n(1))
    real(c_double), intent(in) :: array(n(1) + n(2), 6)
    real(c_double), intent(out) :: packed(6, n(1))
    call gather(n, list, array, array(1, 4), 3, [4, 5, 6], packed)
  end subroutine

  subroutine gather(n, list, x, property, properties, order, packed)
    integer(c_int), intent(in) :: n(2), list(n(1)), properties, order(properties)
    real(c_double), intent(in) :: x(3, n(1) + n(2)), property(n(1) + n(2), 4:3 + properties)
    real(c_double), intent(out) :: packed(3 + properties, n(1))
    integer :: i, j, p
    do i = 1, n(1)
      j = list(i) + 1
      packed(1, i) = x(1, j)
      packed(2, i) = x(2, j)
      packed(3, i) = x(3, j)
      do p = 1, properties
        packed(3 + p, i) = property(j, order(p))
      end do
    end do
  end subroutine

  subroutine full_unpack(n, list, packed, array) bind(c, name="gapless_loops_fortran_lammps_full_unpack")
    integer(c_int), intent(in) :: n(2), list(*)
    real(c_double), intent(in) :: packed(8, n(1))
    real(c_double), intent(inout) :: array(n(1) + n(2), 8)
    call scatter(n, packed, array, array(1, 4), 5, [4, 5, 6, 8, 7])
  end subroutine

  subroutine atomic_unpack(n, list, packed, array) bind(c, name="gapless_loops_fortran_lammps_atomic_unpack")
    integer(c_int), intent(in) :: n(2), list(*)
    real(c_double), intent(in) :: packed(6, n(1))
    real(c_double), intent(inout) :: array(n(1) + n(2), 6)
    call scatter(n, packed, array, array(1, 4), 3, [4, 5, 6])
  end subroutine

  subroutine scatter(n, packed, x, property, properties, order)
    integer(c_int), intent(in) :: n(2), properties, order(properties)
    real(c_double), intent(in) :: packed(3 + properties, n(1))
    real(c_double), intent(inout) :: x(3, n(1) + n(2)), property(n(1) + n(2), 4:3 + properties)
    integer :: i, j, p
    do i = 1, n(1)
      j = n(2) + i
      x(1, j) = packed(1, i)
      x(2, j) = packed(2, i)
      x(3, j) = packed(3, i)
      do p = 1, properties
        property(j, order(p)) = packed(3 + p, i)
      end do
    end do
  end subroutine
end module
