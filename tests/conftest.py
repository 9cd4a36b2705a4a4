import os

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contract")

# Physics and shared machines make single examples slow now and then; a deadline would only test the machine.
settings.register_profile("tower_sim", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tower_sim"))
