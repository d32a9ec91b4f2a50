"""All readers of files that are not ours, or no longer: the table `READERS`."""

from tests.long.fuzz.reader import Reader
from tests.long.fuzz.readers import (
    annotations,
    graphs,
    models,
    pictures,
    precomputed,
    results,
    runs,
    settings,
    sources,
    surveys,
)

READERS: dict[str, Reader] = {
    reader.name: reader
    for module in (annotations, sources, pictures, precomputed, graphs, runs, models, settings, results, surveys)
    for reader in module.READERS
}
