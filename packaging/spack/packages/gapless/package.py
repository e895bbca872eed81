"""Spack's recipe of Gapless."""

# spack repo add packaging/spack
# spack dev-build gapless@0.1.0          # in a checkout
# spack install gapless                  # from an archive of a version in a mirror

from spack.package import *


class Gapless(CMakePackage):
    """MPI derived datatypes at contiguous speed: an engine, and a layer under unmodified MPI programs."""

    maintainers = []
    license("BSD-3-Clause")

    # No archive is published yet: `dev-build`, or a mirror of one's own, gives the sources.
    version("0.1.0")

    variant("mpich", default=True, description="The layer for MPICH's ABI and that of MPI 5 (MPICH, Intel MPI)")
    variant("openmpi", default=True, description="The layer for Open MPI 5 and later")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("cli11@2.3:", type="build")
    # Their headers alone: what is built links no MPI library, and runs on whichever the program has.
    depends_on("mpich@4:", type="build", when="+mpich")
    depends_on("openmpi@5:", type="build", when="+openmpi")
    conflicts("%gcc@:10", msg="Gapless is written in C++20")
    conflicts("%clang@:13", msg="Gapless is written in C++20")
    generator("ninja")

    def cmake_args(self):
        """Return where the headers of each ABI are; an ABI that is not wanted gets a folder without one."""
        nowhere = self.stage.source_path
        return [
            self.define("GAPLESS_TESTS", False),
            self.define("GAPLESS_MPI_ROOT", self.spec["mpich"].prefix if "+mpich" in self.spec else nowhere),
            self.define("GAPLESS_OPENMPI_ROOT", self.spec["openmpi"].prefix if "+openmpi" in self.spec else nowhere),
        ]

    def setup_run_environment(self, env):
        """Let the `gapless` command (pip) and users find the layer."""
        env.set("GAPLESS_LIBDIR", self.prefix.lib)
        env.set("GAPLESS_PRELOAD", join_path(self.prefix.lib, "libgapless_preload.so"))
