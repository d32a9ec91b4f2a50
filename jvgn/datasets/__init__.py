"""Datasets: readers of REFER's, COCO's and users' formats, and the four tables that all later stages read."""
