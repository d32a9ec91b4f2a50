"""Leakage proof: whether a detector was trained on an evaluation image, with the evidence, as a JSON file.

`verdict`: `proved` (on none), `leaking` (on the `leaked_image_ids`) or `unproven` (its training images, or those of the
weights it started from, are unknown); `saw_all_of`: a collection that it was trained on in full, or null;
`training_images` (null if unknown) and `evaluation_images`: their numbers; `datasets`: those whose evaluation images
(of every split but train) were checked; `detector_sha256`: checksum of the detector's weights.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from jvgn.detector.provenance import Provenance, Verdict, evaluated, read_provenance
from jvgn.storage.files import write_text
from parsers.errors import UserError

NAMED = 5
"""The number of leaked images that a message names."""


def evaluation_images(expressions: Iterable[Path | str]) -> set[int]:
    """Return the images of every split but train, over all `expressions.parquet` files."""
    return {image_id for path in expressions for image_id, _ in evaluated(path)}


def prove_disjoint(
    provenance: Path | str, expressions: Sequence[Path | str], output: Path | str, allow_leaking: bool = False
) -> Verdict:
    """Write the verdict to `output`; raise an error if the detector leaks and that is not allowed."""
    made = read_provenance(provenance)
    evaluated = evaluation_images(expressions)
    leaked = sorted(evaluated if made.saw_all_of else evaluated.intersection(made.training_image_ids or ()))
    if leaked and not allow_leaking:
        first = ", ".join(map(str, leaked[:NAMED])) + (", ..." if len(leaked) > NAMED else "")
        source = f"all of {made.saw_all_of}, and so on " if made.saw_all_of else ""
        raise UserError(
            f"{provenance}: the detector was trained on {source}{len(leaked)} evaluation images ({first}) of "
            f"{', '.join(map(str, expressions))}; train another, or set evaluation.allow_leaking to report the leak"
        )
    verdict: Verdict = "leaking" if leaked else "proved" if all_is_known(made) else "unproven"
    evidence = {
        "verdict": verdict,
        "training_images": len(made.training_image_ids) if made.training_image_ids else None,
        "evaluation_images": len(evaluated),
        "saw_all_of": made.saw_all_of,
        "leaked_image_ids": leaked,
        "datasets": [Path(path).parent.name for path in expressions],
        "detector_sha256": made.weights_sha256,
    }
    write_text(output, json.dumps(evidence, indent=1) + "\n")
    return verdict


def all_is_known(made: Provenance) -> bool:
    """Return whether the provenance names every image behind the weights."""
    detector = made.detector
    from_unknown = (
        detector.source != "precomputed"
        and (detector.pretrained is not None or detector.weights is not None)
        and detector.pretrained_on == "unknown"
    )
    # An empty list proves nothing: every detector was trained on some images.
    return bool(made.training_image_ids) and not from_unknown
