! The same loops in Fortran (loops.h says what the sizes are), as the applications have them: arrays with their own
! bounds, the first index fastest. What C calls passes the arrays on to routines that declare their shape.
module gapless_loops
  use iso_c_binding, only: c_char, c_int, c_long, c_float, c_double, c_double_complex, c_loc, c_null_char, c_ptr
  use iso_fortran_env, only: compiler_version
  implicit none
  character(len=*), parameter :: version = compiler_version()
  character(kind=c_char, len=len(version) + 1), target, save :: told = version // c_null_char
contains

  type(c_ptr) function told_version() bind(c, name="gapless_loops_fortran_compiler")
    told_version = c_loc(told)
  end function

  subroutine wrf_pack(n, list, array, packed) bind(c, name="gapless_loops_fortran_wrf_pack")
    integer(c_int), intent(in) :: n(7), list(*)
    real(c_float), intent(in) :: array(*)
    real(c_float), intent(out) :: packed(*)
    integer(c_long) :: plane, cube, at, m
    plane = int(n(1), c_long) * n(3)
    cube = plane * n(2)
    at = 1
    do m = 0, 3
      call pack_box(n(1), 1, n(3), n(4:7), array(1 + m * plane), packed, at)
    end do
    do m = 0, 2
      call pack_box(n(1), n(2), n(3), n(4:7), array(1 + 4 * plane + m * cube), packed, at)
    end do
    do m = 0, 1
      call pack_box(n(1), n(2), n(3), n(4:7), array(1 + 4 * plane + (4 + 2 * m) * cube), packed, at)
    end do
  end subroutine

  subroutine pack_box(d1, d2, d3, box, a, buffer, at)
    integer(c_int), intent(in) :: d1, d2, d3, box(4)
    real(c_float), intent(in) :: a(d1, d2, d3)
    real(c_float), intent(inout) :: buffer(*)
    integer(c_long), intent(inout) :: at
    integer :: i, j, k
    do j = box(2) + 1, box(2) + box(4)
      do k = 1, d2
        do i = box(1) + 1, box(1) + box(3)
          buffer(at) = a(i, k, j)
          at = at + 1
        end do
      end do
    end do
  end subroutine

  subroutine wrf_unpack(n, list, packed, array) bind(c, name="gapless_loops_fortran_wrf_unpack")
    integer(c_int), intent(in) :: n(7), list(*)
    real(c_float), intent(in) :: packed(*)
    real(c_float), intent(inout) :: array(*)
    integer(c_long) :: plane, cube, at, m
    plane = int(n(1), c_long) * n(3)
    cube = plane * n(2)
    at = 1
    do m = 0, 3
      call unpack_box(n(1), 1, n(3), n(4:7), packed, array(1 + m * plane), at)
    end do
    do m = 0, 2
      call unpack_box(n(1), n(2), n(3), n(4:7), packed, array(1 + 4 * plane + m * cube), at)
    end do
    do m = 0, 1
      call unpack_box(n(1), n(2), n(3), n(4:7), packed, array(1 + 4 * plane + (4 + 2 * m) * cube), at)
    end do
  end subroutine

  subroutine unpack_box(d1, d2, d3, box, buffer, a, at)
    integer(c_int), intent(in) :: d1, d2, d3, box(4)
    real(c_float), intent(in) :: buffer(*)
    real(c_float), intent(inout) :: a(d1, d2, d3)
    integer(c_long), intent(inout) :: at
    integer :: i, j, k
    do j = box(2) + 1, box(2) + box(4)
      do k = 1, d2
        do i = box(1) + 1, box(1) + box(3)
          a(i, k, j) = buffer(at)
          at = at + 1
        end do
      end do
    end do
  end subroutine

  subroutine milc_pack(n, list, v, packed) bind(c, name="gapless_loops_fortran_milc_pack")
    integer(c_int), intent(in) :: n(4), list(*)
    real(c_float), intent(in) :: v(6, n(1), n(2), n(3), n(4))
    real(c_float), intent(out) :: packed(*)
    integer(c_long) :: at
    integer :: c, x, y, z, t
    at = 1
    do t = 1, n(4)
      do z = 1, n(3), n(3) / 2
        do y = 1, n(2) / 2
          do x = 1, n(1)
            do c = 1, 6
              packed(at) = v(c, x, y, z, t)
              at = at + 1
            end do
          end do
        end do
      end do
    end do
  end subroutine

  subroutine milc_unpack(n, list, packed, v) bind(c, name="gapless_loops_fortran_milc_unpack")
    integer(c_int), intent(in) :: n(4), list(*)
    real(c_float), intent(in) :: packed(*)
    real(c_float), intent(inout) :: v(6, n(1), n(2), n(3), n(4))
    integer(c_long) :: at
    integer :: c, x, y, z, t
    at = 1
    do t = 1, n(4)
      do z = 1, n(3), n(3) / 2
        do y = 1, n(2) / 2
          do x = 1, n(1)
            do c = 1, 6
              v(c, x, y, z, t) = packed(at)
              at = at + 1
            end do
          end do
        end do
      end do
    end do
  end subroutine

  subroutine lu_x_pack(n, list, u, packed) bind(c, name="gapless_loops_fortran_lu_x_pack")
    integer(c_int), intent(in) :: n(1), list(*)
    real(c_double), intent(in) :: u(5, n(1))
    real(c_double), intent(out) :: packed(5, n(1))
    integer :: k, l
    do k = 1, n(1)
      do l = 1, 5
        packed(l, k) = u(l, k)
      end do
    end do
  end subroutine

  subroutine lu_x_unpack(n, list, packed, u) bind(c, name="gapless_loops_fortran_lu_x_unpack")
    integer(c_int), intent(in) :: n(1), list(*)
    real(c_double), intent(in) :: packed(5, n(1))
    real(c_double), intent(inout) :: u(5, n(1))
    integer :: k, l
    do k = 1, n(1)
      do l = 1, 5
        u(l, k) = packed(l, k)
      end do
    end do
  end subroutine

  subroutine lu_y_pack(n, list, u, packed) bind(c, name="gapless_loops_fortran_lu_y_pack")
    integer(c_int), intent(in) :: n(1), list(*)
    real(c_double), intent(in) :: u(5, n(1) + 2, *)
    real(c_double), intent(out) :: packed(5, n(1))
    integer :: k, l
    do k = 1, n(1)
      do l = 1, 5
        packed(l, k) = u(l, 1, k)
      end do
    end do
  end subroutine

  subroutine lu_y_unpack(n, list, packed, u) bind(c, name="gapless_loops_fortran_lu_y_unpack")
    integer(c_int), intent(in) :: n(1), list(*)
    real(c_double), intent(in) :: packed(5, n(1))
    real(c_double), intent(inout) :: u(5, n(1) + 2, *)
    integer :: k, l
    do k = 1, n(1)
      do l = 1, 5
        u(l, 1, k) = packed(l, k)
      end do
    end do
  end subroutine

  subroutine mg_x_pack(n, list, r, packed) bind(c, name="gapless_loops_fortran_mg_x_pack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: r(n(1), n(2), *)
    real(c_double), intent(out) :: packed(n(2) - 2, n(3) - 2)
    integer :: j, k
    do k = 1, n(3) - 2
      do j = 1, n(2) - 2
        packed(j, k) = r(1, j, k)
      end do
    end do
  end subroutine

  subroutine mg_x_unpack(n, list, packed, r) bind(c, name="gapless_loops_fortran_mg_x_unpack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: packed(n(2) - 2, n(3) - 2)
    real(c_double), intent(inout) :: r(n(1), n(2), *)
    integer :: j, k
    do k = 1, n(3) - 2
      do j = 1, n(2) - 2
        r(1, j, k) = packed(j, k)
      end do
    end do
  end subroutine

  subroutine mg_y_pack(n, list, r, packed) bind(c, name="gapless_loops_fortran_mg_y_pack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: r(n(1), n(2), *)
    real(c_double), intent(out) :: packed(n(1) - 2, n(3) - 2)
    integer :: i, k
    do k = 1, n(3) - 2
      do i = 1, n(1) - 2
        packed(i, k) = r(i, 1, k)
      end do
    end do
  end subroutine

  subroutine mg_y_unpack(n, list, packed, r) bind(c, name="gapless_loops_fortran_mg_y_unpack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: packed(n(1) - 2, n(3) - 2)
    real(c_double), intent(inout) :: r(n(1), n(2), *)
    integer :: i, k
    do k = 1, n(3) - 2
      do i = 1, n(1) - 2
        r(i, 1, k) = packed(i, k)
      end do
    end do
  end subroutine

  subroutine mg_z_pack(n, list, r, packed) bind(c, name="gapless_loops_fortran_mg_z_pack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: r(n(1), *)
    real(c_double), intent(out) :: packed(n(1) - 2, n(2) - 2)
    integer :: i, j
    do j = 1, n(2) - 2
      do i = 1, n(1) - 2
        packed(i, j) = r(i, j)
      end do
    end do
  end subroutine

  subroutine mg_z_unpack(n, list, packed, r) bind(c, name="gapless_loops_fortran_mg_z_unpack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_double), intent(in) :: packed(n(1) - 2, n(2) - 2)
    real(c_double), intent(inout) :: r(n(1), *)
    integer :: i, j
    do j = 1, n(2) - 2
      do i = 1, n(1) - 2
        r(i, j) = packed(i, j)
      end do
    end do
  end subroutine

  subroutine fft_pack(n, list, matrix, packed) bind(c, name="gapless_loops_fortran_fft_pack")
    integer(c_int), intent(in) :: n(2), list(*)
    complex(c_double_complex), intent(in) :: matrix(n(1), n(1) / n(2))
    complex(c_double_complex), intent(out) :: packed(n(1) / n(2), n(1) / n(2), n(2))
    integer :: block, l, r
    block = n(1) / n(2)
    do r = 1, n(2)
      do l = 1, block
        packed(:, l, r) = matrix((r - 1) * block + 1:r * block, l)
      end do
    end do
  end subroutine

  subroutine fft_unpack(n, list, packed, matrix) bind(c, name="gapless_loops_fortran_fft_unpack")
    integer(c_int), intent(in) :: n(2), list(*)
    complex(c_double_complex), intent(in) :: packed(n(1) / n(2), n(1))
    complex(c_double_complex), intent(inout) :: matrix(n(1), n(1) / n(2))
    integer :: k, l
    do k = 1, n(1) / n(2)
      do l = 1, n(1)
        matrix(l, k) = packed(k, l)
      end do
    end do
  end subroutine

  subroutine specfem_mt_pack(n, list, s, packed) bind(c, name="gapless_loops_fortran_specfem_mt_pack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_float), intent(in) :: s(n(1), n(2), *)
    real(c_float), intent(out) :: packed(n(1), n(3))
    integer :: c, k
    do k = 1, n(3)
      do c = 1, n(1)
        packed(c, k) = s(c, 1, k)
      end do
    end do
  end subroutine

  subroutine specfem_oc_pack(n, list, a, packed) bind(c, name="gapless_loops_fortran_specfem_oc_pack")
    integer(c_int), intent(in) :: n(1), list(n(1))
    real(c_float), intent(in) :: a(0:*)
    real(c_float), intent(out) :: packed(n(1))
    integer :: k
    do k = 1, n(1)
      packed(k) = a(list(k))
    end do
  end subroutine

  subroutine specfem_oc_unpack(n, list, packed, a) bind(c, name="gapless_loops_fortran_specfem_oc_unpack")
    integer(c_int), intent(in) :: n(1), list(n(1))
    real(c_float), intent(in) :: packed(n(1))
    real(c_float), intent(inout) :: a(0:*)
    integer :: k
    do k = 1, n(1)
      a(list(k)) = packed(k)
    end do
  end subroutine

  subroutine specfem_cm_pack(n, list, array, packed) bind(c, name="gapless_loops_fortran_specfem_cm_pack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_float), intent(in) :: array(3, 0:*)
    real(c_float), intent(out) :: packed(3, *)
    integer :: k
    do k = 1, n(1)
      packed(:, k) = array(:, list(k))
    end do
    do k = n(1) + 1, n(1) + n(2)
      packed(:, k) = array(:, n(3) + list(k))
    end do
  end subroutine

  subroutine specfem_cm_unpack(n, list, packed, array) bind(c, name="gapless_loops_fortran_specfem_cm_unpack")
    integer(c_int), intent(in) :: n(3), list(*)
    real(c_float), intent(in) :: packed(3, *)
    real(c_float), intent(inout) :: array(3, 0:*)
    integer :: k
    do k = 1, n(1)
      array(:, list(k)) = packed(:, k)
    end do
    do k = n(1) + 1, n(1) + n(2)
      array(:, n(3) + list(k)) = packed(:, k)
    end do
  end subroutine
end module
