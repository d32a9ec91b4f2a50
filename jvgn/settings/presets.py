"""Presets: values that lie under those of `config.yaml`, and over the defaults.

`default` adds nothing; `paper` is the paper as printed; `smoke` is a little of everything, to see that it runs. What
`config.yaml` says itself, of a dataset or a run, always wins, if it has a part in the result.
"""

from typing import Any, Literal

PresetName = Literal["default", "paper", "smoke"]

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "default": {},
    "paper": {
        "dataset": {
            "run": {
                "parser": "corenlp",
                "referent": "in_degree",
                "decoding": "marginal",
                "model": {"spatial_size": 512, "hidden_size": 1024, "layers": 2},
                "training": {
                    "marginalise": True,
                    "epochs": 20,
                    "images_per_batch": 128,
                    "learning_rate": 1e-3,
                    "decay": 0.9,
                    "decay_epochs": 10,
                    "gradient_norm": 0.0,
                    "dropout": 0.0,
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
"""A part named here lies under each of `datasets`, `detectors` or `vocabularies`, or under the section of its name;
`torchvision` under the detectors of that source. A detector whose regions are precomputed has no network for it to
speak of, and stays as it is."""

OVER: dict[str, dict[str, dict[str, Any]]] = {"smoke": {"dataset": {"shards": 1}}}
"""What lies over `config.yaml` instead: it changes nothing but the time, and a little is not worth parting."""

EACH_OF = {
    "dataset": "datasets",
    "detector": "detectors",
    "torchvision": "detectors",
    "vocabulary": "vocabularies",
}
SOURCES_OF = {"detector": ("torchvision", "detectron2"), "torchvision": ("torchvision",)}
"""The detectors that a part lies under, by their source."""


def with_preset(config: dict[str, Any]) -> dict[str, Any]:
    """`config` over the preset that it names. What is no dictionary is left for the validation to name."""
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
                key: overlaid(values, value) if lies_under(part, value) else value for key, value in own.items()
            }
    for part, values in OVER.get(name, {}).items():
        own = result.get(EACH_OF[part])
        if isinstance(own, dict):
            result[EACH_OF[part]] = {key: overlaid(value, values) for key, value in own.items()}
    return result


def lies_under(part: str, value: Any) -> bool:
    """Whether a preset's part speaks of this entry of its section."""
    source = value.get("source", "torchvision") if isinstance(value, dict) else None
    return part not in SOURCES_OF or source in SOURCES_OF[part]


def overlaid(base: Any, differences: Any) -> Any:
    """`base` with the differences put over it, dict by dict."""
    if not (isinstance(base, dict) and isinstance(differences, dict)):
        return differences
    return base | {key: overlaid(base.get(key), value) for key, value in differences.items()}
