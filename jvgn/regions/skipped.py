"""Bad input, such as an unreadable image or a box without area: extraction stops, or skips it and lists it.

`{detector}.skipped.csv`, beside the regions: image_id, object_id (-1: the whole image), reason.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from jvgn.regions.hdf5_store import Skipped
from jvgn.storage.files import replacing
from parsers.errors import UserError

Policy = Literal["stop", "skip"]


def skip_or_stop(skipped: Skipped, policy: Policy) -> Skipped:
    """Return `skipped` if the policy is to skip; otherwise raise its reason as an error."""
    if policy == "stop":
        raise UserError(f"{skipped.reason}; fix it, or set on_bad_input: skip in the dataset's regions")
    return skipped


def write_skipped(path: Path | str, skipped: Iterable[Skipped]) -> None:
    with replacing(path) as temporary, temporary.open("w", encoding="utf8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("image_id", "object_id", "reason"))
        rows.writerows((one.image_id, one.object_id, one.reason) for one in skipped)
