"""What a run of `gapless measure apps` measures and how long: the presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gapless.lab.apps.cases import DDTBENCH, TESTS, all_cases
from gapless.lab.apps.plan import HAND, chosen, plan_of
from gapless.lab.cases import SMALL_BYTES
from gapless.lab.experiment import Experiment, Repetitions
from gapless.lab.plan import Place, Plan
from gapless.lab.results import Line

# One or two sizes of each test.
QUICK = (
    "WRF_x/4x4", "WRF_x/8x8", "WRF_y/3x3", "WRF_y/8x8", "MILC_su3_zd/16x16x16x16", "MILC_su3_zd/8x8x8x16",
    "NAS_LU_x/N=102", "NAS_LU_x/N=1020", "NAS_LU_y/N=102", "NAS_LU_y/N=1020", "NAS_MG_x/34", "NAS_MG_x/130",
    "NAS_MG_y/130", "NAS_MG_y/258", "NAS_MG_z/130", "NAS_MG_z/258", "FFT2/N=256", "FFT2/N=512", "SPECFEM3D_mt/5600",
    "SPECFEM3D_mt/7600", "SPECFEM3D_oc/877", "SPECFEM3D_oc/3225", "SPECFEM3D_cm/1957", "SPECFEM3D_cm/3801",
    "LAMMPS_full/1662", "LAMMPS_full/3062", "LAMMPS_atomic/114", "LAMMPS_atomic/243",
)  # fmt: skip


@dataclass(frozen=True)
class AppsSettings(Experiment):
    """What a run of the applications measures, and how.

    Attributes
    ----------
    tests : sequence of str
        Names of DDTBench (`gapless.lab.apps.cases.TESTS`).
    larger : bool
        Whether also the sizes of the study of 2022.
    names : sequence of str
        Only these exchanges; empty: all.
    only : str
        A pattern that ``NAME BYTES`` must match, or empty.
    compilers : sequence of str
        Who compiles the loops by hand: hand_c, hand_clang, hand_fortran.
    data, cache : str
        fresh: the sender writes its data before each message; constant: never again. warm or cold.
    """

    experiment: str = "apps"
    tests: Sequence[str] = TESTS
    larger: bool = True
    names: Sequence[str] = ()
    only: str = ""
    compilers: Sequence[str] = HAND
    data: str = "fresh"
    cache: str = "warm"
    tolerance: float = 0.05
    small: Repetitions = Repetitions(10, 30, 5, 0.02, 8)
    large: Repetitions = Repetitions(5, 9, 1, 0.03, 25)

    def plan(self) -> Plan:
        """Return what is measured and judged."""
        cases = [case for case in all_cases() if self.larger or case.family == DDTBENCH]
        of = chosen(cases, self.tests, self.only, self.names)
        return plan_of(of, self.tests, self.layer, self.data, self.cache, self.compilers)

    def repetitions(self, place: Place, members: int) -> Line:
        """Return the repetitions of a group, as the job file has them."""
        if self.exact:
            return {"min": 20, "max": 20, "inner": 1, "precision": 0.0, "budget_ms": 0, "warmup": 0}
        reps = self.small if place.bytes <= SMALL_BYTES else self.large
        alone = place.pattern != "pingpong" or place.cache == "cold"
        # A walk through a buffer of the caches' size precedes every cold sample.
        times = 8 if place.cache == "cold" else 1
        return {
            "min": reps.fewest, "max": reps.most, "inner": 1 if alone else reps.together, "precision": reps.precision,
            "budget_ms": reps.member_ms * members * times, "warmup": 1,
        }  # fmt: skip


PRESETS = {
    settings.preset: settings
    for settings in (
        AppsSettings(
            preset="quick", larger=False, names=QUICK, small=Repetitions(6, 12, 5, 0.03, 3),
            large=Repetitions(3, 5, 1, 0.03, 10), budget_s=150, power=0.5,
        ),
        AppsSettings(preset="standard", budget_s=1740, fewest_launches=8),
        AppsSettings(preset="paper", larger=False, exact=True, launches=10, data="constant"),
    )
}  # fmt: skip
