"""A seed gives the same cubes on every processor: nothing on the way to a drop goes through a library that chooses."""

import math
import os
import platform
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tower_sim.physics.release import _length  # pyright: ignore[reportPrivateUsage]


def test_a_length_is_added_with_products_and_sums_fused():
    """As the kernels do on which the shipped figures were measured; exactly, by fractions."""
    for vector in np.random.default_rng(1).normal(size=(300, 4)).tolist():
        total = 0.0
        for x in vector:
            total = float(Fraction(x) * Fraction(x) + Fraction(total))
        assert _length(vector) == math.sqrt(total)
    assert _length([0.0, 3.0, 4.0, 0.0]) == 5


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the kernels of OpenBLAS for x86-64"
)
def test_a_drop_is_the_same_whichever_kernels_the_processor_gets():
    """With those for AVX-512 12 % of the cubes once left the hand turned otherwise, in the last digit.

    A processor without AVX-512 can only try the others, which never differed; there the test above must do.
    """
    command = [sys.executable, "-m", "tower_sim", "drop", "amerigo", "--cubes", "blue=7,red=7", "--seed", "1", "--json"]
    wide = ("SkylakeX",) if "avx512vl" in Path("/proc/cpuinfo").read_text("utf-8") else ()
    found = {
        subprocess.run(
            command, env=os.environ | {"OPENBLAS_CORETYPE": kernels}, capture_output=True, text=True, check=True
        ).stdout
        for kernels in ("Nehalem", "Haswell", *wide)
    }
    assert len(found) == 1
