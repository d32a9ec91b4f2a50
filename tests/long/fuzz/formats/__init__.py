"""The formats of files, each with changes that keep to it."""
