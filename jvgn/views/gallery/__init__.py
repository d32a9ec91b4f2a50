"""The gallery: groundings to look at, as one HTML file that needs nothing beside it."""
