"""What is installed: tower_sim with all its folders, and calibration/, which lies beside it, as one of these.

calibration/validation/ measures what the documents say; it is not installed.
"""

from setuptools import find_packages, setup

# A checkout without links (Windows) has no folder tower_sim/calibration: pyproject.toml says which one that is.
setup(
    packages=sorted(
        {*find_packages(include=["tower_sim*"], exclude=["tower_sim.calibration.validation"]), "tower_sim.calibration"}
    )
)
