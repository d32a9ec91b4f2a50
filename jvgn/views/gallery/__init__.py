"""The gallery: a run's groundings as one HTML file."""
