"""The paper's tables with our figures, and the size of its model."""
