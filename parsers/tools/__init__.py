"""For people who look at graphs: drawn, scored, compared, timed. No stage needs any of it."""
