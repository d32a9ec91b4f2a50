"""Presets: values that lie under those of `config.yaml`, and over the defaults.

`default` adds nothing; `paper` is the paper as printed; `smoke` is a little of everything, to see that it runs. What
`config.yaml` says itself, of a dataset or a run, always wins.
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
        "detector": {"short_side": 128, "test_proposals": 50, "epochs": 1, "warm_up": 10},
    },
}
"""A part named here lies under each of `datasets`, `detectors` or `vocabularies`, or under the section of its name.
A detector whose regions are precomputed has no network for it to speak of, and stays as it is."""

EACH_OF = {"dataset": "datasets", "detector": "detectors", "vocabulary": "vocabularies"}


def with_preset(config: dict[str, Any]) -> dict[str, Any]:
    """`config` over the preset that it names. What is no dictionary is left for the validation to name."""
    result = dict(config)
    name = config.get("preset", "default")
    for part, values in PRESETS.get(name, {}).items() if isinstance(name, str) else ():
        section = EACH_OF.get(part, part)
        own = config.get(section, {})
        if section == part:
            result[section] = overlaid(values, own)
        elif isinstance(own, dict):
            result[section] = {
                key: value if is_precomputed(value) else overlaid(values, value) for key, value in own.items()
            }
    return result


def is_precomputed(value: Any) -> bool:
    return isinstance(value, dict) and value.get("source") == "precomputed"


def overlaid(base: Any, differences: Any) -> Any:
    """`base` with the differences put over it, dict by dict."""
    if not (isinstance(base, dict) and isinstance(differences, dict)):
        return differences
    return base | {key: overlaid(base.get(key), value) for key, value in differences.items()}
