"""The embedded world: drawn scenes, and sentences that are true of exactly one choice of objects."""
