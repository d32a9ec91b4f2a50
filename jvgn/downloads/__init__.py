"""Published files: downloaded from mirrors, resumed after interruptions, verified, and unpacked safely."""
