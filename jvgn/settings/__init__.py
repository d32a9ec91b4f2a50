"""Every choice that changes results, as frozen models: one module a stage, and no torch."""
