"""Where files that we do not make come from: mirrors, hashes, and what is to be had from each file."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    StringConstraints,
)

from jvgn.settings.base import Frozen, validated
from parsers.errors import UserError

ROOT = "resources/"

Address = Annotated[str, StringConstraints(pattern=r"^(https?://|file:).")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,64}$")]


def under_resources(path: str) -> str:
    """The rules that make these files know them by their folder."""
    if not path.startswith(ROOT) or str(PurePosixPath(path)) != path or ".." in PurePosixPath(path).parts:
        raise ValueError(f"expected a path such as {ROOT}downloads/file.zip, found {path!r}")
    return path


Resource = Annotated[str, AfterValidator(under_resources)]
Counts = dict[str, dict[str, NonNegativeInt]]


class SourceSettings(Frozen):
    """A published file, and what becomes of it."""

    file: Resource
    """Where the file lies as it was published. One that is there already is verified and used, and none downloaded."""
    mirrors: tuple[Address, ...] = Field(min_length=1)
    """http:, https: or file: addresses, tried in this order."""
    sha256: Sha256 | None = None
    """Or its first digits, eight or more. Null: that of the first download is recorded beside the file, and holds."""
    size: PositiveInt | None = None
    """In bytes."""
    provides: dict[Resource, str | None]
    """For each file or folder that the workflow needs, its name in the archive; a folder's ends with a slash (`./` is
    all of it). Null: the published file itself. What is there already is used as it is."""
    counts: Counts = Field(default_factory=dict)
    """For each way to split a dataset (`unc`), the expressions of each split. Other numbers stop the workflow."""


class ConfiguredSource(Frozen):
    """What differs from a built-in source, or a source of the user's own, which needs file, mirrors and provides."""

    file: Resource | None = None
    mirrors: Annotated[tuple[Address, ...], Field(min_length=1)] | None = None
    """With mirrors of your own, the sha256, size and counts of the built-in source hold no longer: give yours."""
    sha256: Sha256 | None = None
    size: PositiveInt | None = None
    provides: dict[Resource, str | None] | None = None
    counts: Counts | None = None


class DownloadSettings(Frozen):
    tries: PositiveInt = 4
    """In a row without a megabyte gained, before the next mirror is asked."""
    wait: NonNegativeFloat = 2.0
    """Seconds before the second try; each further wait is twice as long, up to a minute."""
    timeout: PositiveFloat = 60.0
    """Seconds without a byte after which a try has failed."""


OF_THE_BYTES = ("sha256", "size", "counts")


def with_built_in(
    built_in: Mapping[str, SourceSettings], chosen: Mapping[str, ConfiguredSource]
) -> dict[str, SourceSettings]:
    """All sources by name: the built-in ones under the user's own values, and the user's own sources."""
    merged = {
        name: validated(SourceSettings, overridden(built_in.get(name), source), f"config.yaml: sources.{name}")
        for name, source in chosen.items()
    }
    found = {**built_in, **merged}
    check_places(found)
    return found


def overridden(built_in: SourceSettings | None, chosen: ConfiguredSource) -> dict[str, object]:
    """The values of a source under the user's own. Other mirrors may have other bytes."""
    known = {} if built_in is None else built_in.model_dump()
    if chosen.mirrors is not None:
        known = {key: value for key, value in known.items() if key not in OF_THE_BYTES}
    return known | chosen.model_dump(exclude_unset=True)


def check_places(sources: Mapping[str, SourceSettings]) -> None:
    """No place is filled by two."""
    owner: dict[str, str] = {}
    for name, source in sources.items():
        for place in (source.file, *source.provides):
            if place in owner:
                raise UserError(f"config.yaml: sources.{owner[place]} and sources.{name} both fill {place}; change one")
            owner[place] = name
