"""Settings of a dataset in the format of Flickr30k Entities: captions whose phrases have types and boxes."""

from typing import Literal

from jvgn.settings.base import Frozen


class EntitiesSettings(Frozen):
    """The files of a dataset in the format of Flickr30k Entities."""

    entities: str
    """The published `annotations.zip`, or a folder with its content: `Annotations/{id}.xml`, `Sentences/{id}.txt`."""
    split_lists: str
    """A folder with the published `train.txt`, `val.txt` and `test.txt`: the image ids of each split."""
    images: str
    """The folder of the image files, named `{id}.jpg` or, as in Flickr8k, `{id}_{hash}.jpg`. No detector is trained on
    evaluation images of datasets with this folder."""
    boxes: Literal["merged", "any"] = "merged"
    """The box of an entity with several: the smallest box around all of them, or each of them. With `any`, a detection
    is correct if it matches one of the boxes; annotated regions (`gt`) are the same for both."""
    missing_images: Literal["stop", "skip"] = "stop"
    """For annotated images that the folder lacks: stop with an error, or leave them out, as a subset needs."""
