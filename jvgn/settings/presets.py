"""Presets: values that override the defaults, and that `config.yaml` overrides.

`default` has two departures that help on photographs (docs/joint_grounding.md); `paper` is the paper as printed;
`smoke` is a small, quick test that everything runs.
"""

from typing import Any, Literal

PresetName = Literal["default", "paper", "smoke"]

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "default": {"dataset": {"run": {"model": {"distinct": 8.0}, "training": {"feature_dropout": 0.5}}}},
    "paper": {
        "dataset": {
            "run": {
                "parser": "corenlp",
                "referent": "in_degree",
                "decoding": "marginal",
                "model": {
                    "spatial_size": 512,
                    "position_scale": 1.0,
                    "hidden_size": 1024,
                    "layers": 2,
                    "words": "sentence",
                    "distinct": 0.0,
                },
                "training": {
                    "marginalise": True,
                    "epochs": 20,
                    "images_per_batch": 128,
                    "learning_rate": 1e-3,
                    "decay": 0.9,
                    "decay_epochs": 10,
                    "gradient_norm": 0.0,
                    "supervise": "referent",
                    "contrast": 0.0,
                    "dropout": 0.0,
                    "feature_dropout": 0.0,
                    "soft_label": "printed",
                    "iou_threshold": 0.5,
                },
            }
        },
        "vocabulary": {"splits": "all", "vector_size": 300},
        "evaluation": {"iou_threshold": 0.5},
    },
    "smoke": {
        "dataset": {
            "run": {
                "model": {"spatial_size": 16, "hidden_size": 16, "layers": 1},
                "training": {"epochs": 1, "images_per_batch": 8},
            }
        },
        "detector": {"short_side": 128, "test_proposals": 12, "epochs": 1, "warm_up": 10},
        "torchvision": {"proposals": 200, "anchor_samples": 64, "region_samples": 16},
    },
}
"""A part applies to each of `datasets`, `detectors` or `vocabularies`, or to the section of its name; `torchvision`
applies to the detectors of that source. Precomputed detectors have no network and stay as they are."""

OVER: dict[str, dict[str, dict[str, Any]]] = {"smoke": {"dataset": {"shards": 1}}}
"""Values that override `config.yaml`: they do not change results, and a small job needs one shard only."""

EACH_OF = {
    "dataset": "datasets",
    "detector": "detectors",
    "torchvision": "detectors",
    "vocabulary": "vocabularies",
}
SOURCES_OF = {"detector": ("torchvision", "detectron2"), "torchvision": ("torchvision",)}
"""The sources of detectors that a part applies to."""


def with_preset(config: dict[str, Any]) -> dict[str, Any]:
    """Return `config` over the preset that it names. Invalid sections are left for the validation to report."""
    result = dict(config)
    name = config.get("preset", "default")
    name = name if isinstance(name, str) else ""
    for part, values in PRESETS.get(name, {}).items():
        section = EACH_OF.get(part, part)
        own = result.get(section, {})
        if section == part:
            result[section] = overlaid(values, own)
        elif isinstance(own, dict):
            result[section] = {
                key: overlaid(values, value) if applies_to(part, value) else value for key, value in own.items()
            }
    for part, values in OVER.get(name, {}).items():
        own = result.get(EACH_OF[part])
        if isinstance(own, dict):
            result[EACH_OF[part]] = {key: overlaid(value, values) for key, value in own.items()}
    return result


def applies_to(part: str, value: Any) -> bool:
    """Return whether a part of a preset applies to this entry of its section; a dataset without its run is invalid."""
    if part == "dataset":
        return isinstance(value, dict) and "run" in value
    source = value.get("source", "torchvision") if isinstance(value, dict) else None
    return part not in SOURCES_OF or source in SOURCES_OF[part]


def overlaid(base: Any, differences: Any) -> Any:
    """Return `base` overridden by the differences, dict by dict."""
    if not (isinstance(base, dict) and isinstance(differences, dict)):
        return differences
    return base | {key: overlaid(base.get(key), value) for key, value in differences.items()}
