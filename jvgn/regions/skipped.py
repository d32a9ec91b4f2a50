"""What becomes of images and boxes that cannot be used: the extraction stops, or leaves them out and lists them.

`{detector}.skipped.csv`, beside the regions: image_id, object_id (-1: the whole image), reason.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from jvgn.regions.store import Skipped
from jvgn.storage.files import replacing
from parsers.errors import UserError

Policy = Literal["stop", "skip"]


def leave_out(skipped: Skipped, policy: Policy) -> Skipped:
    """What was left out, if the policy is to skip; otherwise an error that says why and what to do."""
    if policy == "stop":
        raise UserError(f"{skipped.reason}; mend it, or leave it out: on_bad_input: skip in the dataset's regions")
    return skipped


def write_skipped(path: Path | str, skipped: Iterable[Skipped]) -> None:
    with replacing(path) as temporary, temporary.open("w", encoding="utf8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("image_id", "object_id", "reason"))
        rows.writerows((one.image_id, one.object_id, one.reason) for one in skipped)
