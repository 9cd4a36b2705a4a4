import os
import signal

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tower_sim.testing", "tower_sim.testing_engine")

# Under `nohup ... &` a shell starts us with SIGINT ignored, and so would be every process that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Physics and shared machines make single examples slow now and then; a deadline would only test the machine.
settings.register_profile("tower_sim", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tower_sim"))
