"""The paper's human evaluation: how clearly people understand a model's groundings."""
