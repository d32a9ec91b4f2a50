"""What cases ask for by name."""

from tests.errors.fixtures_world import *  # noqa: F403
