"""Figures and tables of a finished run, for a reader who has not seen the code."""
