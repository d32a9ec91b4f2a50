"""The files and folders that the workflow needs, from the files that others publish."""

import logging
import os
import shutil
from pathlib import Path

from jvgn.downloads.download import obtain
from jvgn.downloads.unpacking import unpack
from jvgn.downloads.verification import recorded, verify_given
from jvgn.settings.source import DownloadSettings, SourceSettings
from jvgn.storage.files import replacing
from jvgn.storage.records import write_origin
from parsers.errors import UserError

log = logging.getLogger(__name__)


def fetch(source: SourceSettings, settings: DownloadSettings) -> list[str]:
    """All that the source provides is there. Those that were not are returned; nothing that was there is touched."""
    absent = [target for target in source.provides if not Path(target).exists()]
    if absent:
        obtain(source, settings)
    for target in absent:
        provide(source, target)
    return absent


def provide(source: SourceSettings, target: str) -> None:
    """`target` is there, from the source's file, which is verified; of a file, a record beside it says so."""
    if target not in source.provides:
        raise UserError(f"{target}: {source.file} does not provide it; it has: {', '.join(source.provides)}")
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
    """`target` is the same file under another name, or a copy where the disk cannot do so."""
    with replacing(target) as temporary:
        try:
            temporary.unlink()
            os.link(file.resolve(), temporary)
        except OSError:
            shutil.copyfile(file, temporary)
