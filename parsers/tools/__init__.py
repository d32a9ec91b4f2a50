"""Tools for people: draw graphs, compare parsers, measure their quality and speed. No stage needs them."""
