"""Settings of downloads: mirrors, checksums, and the files that each published file provides."""

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

from jvgn.settings.base import Frozen, InvalidSettings, Part, Problem, validated

ROOT = "resources/"

Address = Annotated[str, StringConstraints(pattern=r"^(https?://|file:).")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,64}$")]


def under_resources(path: str) -> str:
    """Require a path below resources/: rules recognise these files by it."""
    if not path.startswith(ROOT) or str(PurePosixPath(path)) != path or ".." in PurePosixPath(path).parts:
        raise ValueError(f"expected a path such as {ROOT}downloads/file.zip, found {path!r}")
    return path


Resource = Annotated[str, AfterValidator(under_resources)]
Counts = dict[str, dict[str, NonNegativeInt]]


class SourceSettings(Frozen):
    """A published file, and the files made from it."""

    file: Resource
    """Path of the published file. An existing file is verified and used instead of a download."""
    mirrors: tuple[Address, ...] = Field(min_length=1)
    """http:, https: or file: addresses, tried in this order."""
    sha256: Sha256 | None = None
    """Checksum, or its first eight or more digits. Null: that of the first download is recorded and expected later."""
    size: PositiveInt | None = None
    """Size in bytes."""
    provides: dict[Resource, str | None]
    """For each file or folder that the workflow needs, its name in the archive. Names of folders end with a slash; `./`
    is the whole archive. Null: the published file itself. Existing files and folders are used as they are."""
    counts: Counts = Field(default_factory=dict)
    """For each way to split a dataset (`unc`), the expressions of each split. Other numbers stop the workflow."""


class ConfiguredSource(Frozen):
    """Values that differ from a built-in source, or a new source, which needs file, mirrors and provides."""

    file: Resource | None = None
    mirrors: Annotated[tuple[Address, ...], Field(min_length=1)] | None = None
    """Your own mirrors drop the sha256, size and counts of the built-in source: give new ones."""
    sha256: Sha256 | None = None
    size: PositiveInt | None = None
    provides: dict[Resource, str | None] | None = None
    counts: Counts | None = None


class DownloadSettings(Frozen):
    """Tries and waits of every download."""

    tries: PositiveInt = 4
    """Tries without progress of a megabyte, before the next mirror."""
    wait: NonNegativeFloat = 2.0
    """Seconds before the second try. Each further wait is twice as long, up to a minute."""
    timeout: PositiveFloat = 60.0
    """Seconds without data after which a try fails."""


OF_THE_BYTES = ("sha256", "size", "counts")


def with_built_in(
    built_in: Mapping[str, SourceSettings], chosen: Mapping[str, ConfiguredSource]
) -> dict[str, SourceSettings]:
    """Return all sources by name: the built-in ones with the user's values, and the user's own."""
    merged = {
        name: validated(
            SourceSettings,
            overridden(built_in.get(name), source),
            "config.yaml",
            Part(f"sources.{name}", (("sources", name),)),
        )
        for name, source in chosen.items()
    }
    found = {**built_in, **merged}
    check_places(found)
    return found


def overridden(built_in: SourceSettings | None, chosen: ConfiguredSource) -> dict[str, object]:
    """Override the values of a source by the user's. Other mirrors may have other bytes."""
    known = {} if built_in is None else built_in.model_dump()
    if chosen.mirrors is not None:
        known = {key: value for key, value in known.items() if key not in OF_THE_BYTES}
    return known | chosen.model_dump(exclude_unset=True)


def check_places(sources: Mapping[str, SourceSettings]) -> None:
    """Check that no two sources provide the same path."""
    owner: dict[str, str] = {}
    for name, source in sources.items():
        for place in (source.file, *source.provides):
            if place in owner:
                both = f"sources.{owner[place]} and sources.{name} provide {place}; change one"
                raise InvalidSettings("config.yaml", [Problem(both, (("sources", name),))])
            owner[place] = name
