"""What is measured: MPI libraries by name or compiler wrapper, installed, built for on demand, on one or two nodes."""
