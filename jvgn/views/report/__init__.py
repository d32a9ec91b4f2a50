"""Figures and tables of a finished run."""
