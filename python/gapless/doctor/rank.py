"""What ranks run where the doctor's program is an object: the MPI library, opened for all, and then the program."""

import ctypes
import sys

ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
sys.exit(ctypes.CDLL(sys.argv[2]).gapless_doctor_probe())
