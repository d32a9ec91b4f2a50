"""Choices that change results, as frozen models: one module per stage, without torch."""
