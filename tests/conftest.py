"""No test writes into the states of whoever runs the tests."""

import os
import tempfile

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="rocmdoctor-tests-state-")
