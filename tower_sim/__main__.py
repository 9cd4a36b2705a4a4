"""`python -m tower_sim` is the command `tower-sim`."""

import sys

from tower_sim.cli import main

sys.exit(main())
