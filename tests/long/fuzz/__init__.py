"""Hostile input: every reader of files is given damaged and contrived ones by the thousand."""
