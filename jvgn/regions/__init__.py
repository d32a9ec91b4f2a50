"""Regions of images: the HDF5 store, extraction in shards, import of precomputed features, and oracle recall."""
