"""The paper's tables: the figures it prints, and ours beside them."""
