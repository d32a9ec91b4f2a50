"""The embedded world: scenes drawn by code, and sentences that exactly one choice of objects makes true."""
