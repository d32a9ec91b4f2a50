"""Grounding without training: potentials from names of regions, pixels and geometry, by rules that are tables."""
