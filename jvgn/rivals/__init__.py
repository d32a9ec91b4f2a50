"""The models that the paper compares with, one readable file each: trained by the same rules on the same regions.

`model.kind` is the name of a module here. `jvgn` explains the shape suffixes.
"""
