"""Files that we do not make: downloaded whole or not at all, verified before use, unpacked without trust."""
