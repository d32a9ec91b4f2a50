"""Cost of an experiment before it runs: downloads, disk, memory, GPU hours. Needs no data."""
