"""Settings of datasets in each format: their files, and what all formats share."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Field, PositiveInt, Tag

from jvgn.settings.base import UNION_TAG, Frozen
from jvgn.settings.custom import CustomSettings
from jvgn.settings.detector import RegionSettings
from jvgn.settings.entities import EntitiesSettings


class DatasetSettings(Frozen):
    """Files of a dataset in REFER's format."""

    folder: str
    """Holds `refs({split_by}).p` and `instances.json`, as REFER's archives do."""
    split_by: str
    images: str
    """The folder of the image files. No detector is trained on evaluation images of datasets with this folder."""


class Configured(Frozen):
    """Settings that datasets of all formats share."""

    regions: RegionSettings = RegionSettings()
    image_count: PositiveInt | None = None
    """The approximate number of images. It only sets the default of `shards`."""
    shards: PositiveInt | None = None
    """The number of jobs for parsing, and for the extraction of regions. Results do not depend on it.

    Default: one for every `images_per_shard` of `image_count`, or one if that is unknown.
    """
    supporting: str | None = None
    """A CSV file of supporting objects. Without it, they are not evaluated."""
    run: dict[str, Any]
    """The default run on this dataset: values of `RunSettings` that differ from the defaults."""


class ConfiguredDataset(DatasetSettings, Configured):
    """A dataset in REFER's format."""


class ConfiguredCustom(CustomSettings, Configured):
    """A user's own dataset."""


class ConfiguredEntities(EntitiesSettings, Configured):
    """A dataset in the format of Flickr30k Entities."""


def kind_of(settings: Any) -> str:
    """Return the tag of a dataset's settings, by the keys that only its format has; REFER's is the default."""
    keys = set(settings if isinstance(settings, dict) else type(settings).model_fields)
    return UNION_TAG + ("entities" if "entities" in keys else "custom" if KEYS_OF_CUSTOM & keys else "refer")


KEYS_OF_CUSTOM = {"annotations", "expressions"}


AnyDataset = Annotated[
    Annotated[ConfiguredDataset, Tag(UNION_TAG + "refer")]
    | Annotated[ConfiguredCustom, Tag(UNION_TAG + "custom")]
    | Annotated[ConfiguredEntities, Tag(UNION_TAG + "entities")],
    Discriminator(kind_of),
]


class TrainingSetSettings(Frozen):
    """Annotated images to train detectors on, besides those of a dataset."""

    annotations: str | dict[str, str]
    """A JSON file in COCO's format; or several, each by the folder of its images within `images`."""
    images: str
    """The folder of the image files."""
    withhold: tuple[str, ...] = Field(min_length=1)
    """Datasets whose images outside of the train split no detector of this training set is trained on."""

    @property
    def parts(self) -> dict[str, str]:
        """The files of annotations, by the folder of their images within `images`."""
        return {".": self.annotations} if isinstance(self.annotations, str) else self.annotations

    @property
    def folders(self) -> list[str]:
        """The folders of images."""
        return [str(Path(self.images, part)) for part in self.parts]
