"""What an experiment would take: downloads, disk, memory, GPU hours. Needs no data."""
