"""Infrastructure: atomic files, records of what made a file, safe readers of each file format, worker processes."""
