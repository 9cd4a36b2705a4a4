"""A seed gives the same cubes on every machine: nothing on the way to a drop goes through what may differ."""

import ast
import os
import platform
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.support.bytes import digests
from tower_sim.apparatus import names

PACKAGE = Path(__file__).parents[2] / "tower_sim"

# made anew by `python -m tests.support.bytes`: of a profile when its numbers change, of the rest only with a reason
DIGESTS = {
    "hands": "987e8250d52f59b549e12a5521022b98",
    "knocks": "20d2d29d26525a57fababe39ebba71ff",
    "places": "3009498f7660c4aaf044224a1097893d",
    "amerigo": "e3f2b1c5d5817aa3e74dbb77b94f9bf9",
    "amerigo-club": "e2177575a269a7a69b21618a0185fdd5",
    "amerigo-rulebook": "967c8a40d99d5ce1b0193096d881ccd2",
    "dead_reckoning": "70b3c56f23f1140d61d4ff9db55b8385",
    "rulebook.toml": "29ca68159faef93099a0842a130aec5e",
    "club.toml": "cddbbe218ee7e0500d8daf8fa4fa1748",
    "wallenstein": "f5f17fe5c1c3b16b1b982f83b2020c57",
}

# what decides a drop before an engine runs, and where cubes are when it has run; pictures need not be the same, nor
# the numbers of a tower by design before they are written into its profile
# the import of a mesh is done once: its results stand in the profile and in the file of solids
ONCE = "importing.py", "package.py", "prisms.py", "reading.py", "space.py"
ON_PLANS = {
    "apparatus/amerigo/__init__.py: sum",
    "apparatus/tower_parts.py: math.cos",
}  # counts holes; where a word stands
DECIDES = [
    *(
        path
        for path in PACKAGE.glob("apparatus/**/*.py")
        if not path.name.endswith(("dimensions.py", "printing.py", *ONCE))
    ),
    *(PACKAGE / "physics" / f"{name}.py" for name in ("scene",)),
    *(PACKAGE / f"{name}.py" for name in ("simulator", "tools/portable")),
]
CORE = sorted((PACKAGE / "physics/core").glob("*.py"))
# of math: rounded as IEEE 754 says, or exact; of numpy: one such operation an element, or none at all
SAFE_IN_CORE = {
    "math": "pi sqrt floor ceil inf",
    "np": "abs rint array zeros ascontiguousarray flatnonzero int64 float64 dtype number void",
}
UNSAFE = ("sum", "pow", "fastmath", "parallel", "prange")
SAFE = {
    "math": "pi inf isfinite sqrt fsum floor ceil frexp ldexp copysign factorial degrees",  # degrees: told in messages
    "np": "array float64 bool_ random abs sqrt ceil clip maximum where isnan all any zeros ones arange roll stack "
    "concatenate tile moveaxis triu_indices tril_indices flatnonzero argsort argmin intp",
    "rng": "random bit_generator",
}


def unsafe(text: str, safe: dict[str, str]) -> list[str]:
    """Return what may give another last digit elsewhere: the system's library, BLAS, numpy's laws, threads, `sum`."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name not in safe.get(module, name).split():
                found.append(f"line {node.lineno}: {module}.{name}")
            case ast.BinOp(op=ast.Pow() | ast.MatMult()):
                found.append(f"line {node.lineno}: {type(node.op).__name__}")
            case ast.Name(id=name) | ast.keyword(arg=name) if name in UNSAFE:
                found.append(f"line {node.lineno}: {name}")
            case _:
                pass
    return found


def test_what_decides_a_drop_calls_no_function_whose_last_digit_may_differ():
    assert len(DECIDES) >= 20
    assert len(CORE) > 10
    both = [*((path, SAFE) for path in DECIDES), *((path, SAFE_IN_CORE) for path in CORE)]
    found = {
        f"{path.relative_to(PACKAGE)}: {line.rpartition(' ')[2]}"
        for path, safe in both
        for line in unsafe(path.read_text("utf-8"), safe)
    }
    assert found == ON_PLANS
    text = "math.sin(1)\nx = 2**y\nx = a @ b\nsum(x)\nnp.dot(x, y)\njit(fastmath=True)\nmath.sqrt(2)\n"
    assert sorted(line.split()[1] for line in unsafe(text, SAFE_IN_CORE)) == ["1:", "2:", "3:", "4:", "5:", "6:"]


def test_hands_knocks_places_and_boxes_are_to_the_last_digit_those_of_every_other_machine():
    assert digests() == DIGESTS
    assert {*names()} <= {*DIGESTS}


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told which of its functions to take")
def test_they_do_not_depend_on_which_functions_the_processor_gets():
    """Without those that fuse products and sums glibc's sin differs in one value of a thousand."""
    unfused = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable"}
    ask = "import numpy._core._multiarray_umath as it; print(*it.__cpu_dispatch__)"
    wide = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.bytes"]
    narrow = unfused | {"NPY_DISABLE_CPU_FEATURES": wide.strip(), "OPENBLAS_CORETYPE": "Nehalem"}
    for environment in (unfused, narrow):
        run = partial(subprocess.run, env=os.environ | environment, cwd=PACKAGE.parent, capture_output=True)
        assert ast.literal_eval("{" + run(command, text=True, check=True).stdout + "}") == DIGESTS


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the kernels of OpenBLAS for x86-64"
)
def test_a_drop_is_the_same_whichever_kernels_the_processor_gets():
    """With those for AVX-512 12 % of the cubes once left the hand turned otherwise; others never differed."""
    throw = ["throw", "amerigo", "--cubes", "blue=7,red=7", "--seed", "1", "--json"]
    wide = ("SkylakeX",) if "avx512vl" in Path("/proc/cpuinfo").read_text("utf-8") else ()
    command = [sys.executable, "-m", "tower_sim", *throw]
    run = partial(subprocess.run, command, capture_output=True, text=True, check=True)
    found = {run(env=os.environ | {"OPENBLAS_CORETYPE": kernels}).stdout for kernels in ("Nehalem", "Haswell", *wide)}
    assert len(found) == 1
