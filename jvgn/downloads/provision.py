"""Provision of the files and folders that the workflow needs, from published files."""

import logging
import os
import shutil
from pathlib import Path

from jvgn.downloads.archives import unpack
from jvgn.downloads.checksums import recorded, verify_given
from jvgn.downloads.download import obtain
from jvgn.settings.source import DownloadSettings, SourceSettings
from jvgn.storage.files import replacing
from jvgn.storage.records import write_origin
from parsers.errors import UserError

log = logging.getLogger(__name__)


def fetch(source: SourceSettings, settings: DownloadSettings) -> list[str]:
    """Download and unpack the missing files and folders of a source; return them. Existing ones are not changed."""
    absent = [target for target in source.provides if not Path(target).exists()]
    if absent:
        obtain(source, settings)
    for target in absent:
        provide(source, target)
    return absent


def provide(source: SourceSettings, target: str) -> None:
    """Make `target` from the source's verified file, with a record beside it if it is a file."""
    if target not in source.provides:
        raise UserError(f"{target}: not provided by {source.file}; choose one of: {', '.join(source.provides)}")
    if Path(target).exists():
        return
    verify_given(source)
    member = source.provides[target]
    if member is None:
        link(Path(source.file), Path(target))
    else:
        unpack(Path(source.file), member, Path(target))
    if Path(target).is_file():
        published = {Path(source.file): recorded(Path(source.file)) or ""}
        write_origin(Path(target), "jvgn provide", published, {"member": member or ""}, {})
    log.info("%s: from %s", target, source.file)


def link(file: Path, target: Path) -> None:
    """Link `target` to the file, or copy it if the disk does not support links."""
    with replacing(target) as temporary:
        try:
            temporary.unlink()
            os.link(file.resolve(), temporary)
        except OSError:
            shutil.copyfile(file, temporary)
