"""Where a dataset in REFER's format is found."""

from jvgn.settings.base import Frozen


class DatasetSettings(Frozen):
    folder: str
    """Holds `refs({split_by}).p` and `instances.json`, as REFER's archives do."""
    split_by: str
    images: str
    """The folder of the image files. No detector sees an image that a dataset of the same folder evaluates on."""
