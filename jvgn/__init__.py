"""Joint visual grounding with language scene graphs: every object a sentence mentions, found in the image."""

from typing import Any

__all__ = ["Grounder"]


def __getattr__(name: str) -> Any:
    """`Grounder` on first use: it brings torch along, and most stages can do without."""
    if name == "Grounder":
        from jvgn.grounding.grounder import Grounder

        return Grounder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
