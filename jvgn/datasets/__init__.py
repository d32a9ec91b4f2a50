"""Datasets as tables: the readers of foreign formats, and the four tables all later stages rely on."""
