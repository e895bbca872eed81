"""The layouts of MPI-Datatybe as text: what is measured, in every description."""
