"""What all tests share."""

from hypothesis import settings

# A busy machine may take its time: how long an example takes is not what these tests prove.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
