"""Settings: the whole configuration, and the frozen ones of stages."""

from pathlib import Path

from tests.long.fuzz.formats.trees import YAML
from tests.long.fuzz.reader import Reader

ROOT = Path(__file__).parents[4]
RUN = """detector: tiny
vocabulary: small
model: {spatial_size: 8, hidden_size: 8, layers: 1}
training: &training {epochs: 3, learning_rate: 5.0e-3, dropout: 0.1}
"""
DETECTOR = "source: torchvision\nbackbone: tiny\nanchor_sizes: [16, 32]\nshort_side: 100\nlong_side: 200\n"
PARSER = "backend: stanza\nmodels: resources/stanza\nretag: true\n"


def make_text(name: str, content: str):
    def make(folder: Path) -> list[Path]:
        (folder / name).write_text(content)
        return [folder / name]

    return make


def make_configuration(folder: Path) -> list[Path]:
    path = folder / "config.yaml"
    path.write_bytes((ROOT / "config.yaml").read_bytes())
    return [path]


def read_configuration(path: Path) -> None:
    from jvgn.settings.configuration import read_configuration as read

    chosen = read(path)
    for dataset in chosen.datasets:
        chosen.run(dataset, "default")


def read_run(path: Path) -> None:
    from jvgn.settings.run import RunSettings

    RunSettings.read(path).write(path.with_name("again.yaml"))


def read_detector(path: Path) -> None:
    from jvgn.settings.detector import read_detector_settings

    read_detector_settings(path)


def read_parser(path: Path) -> None:
    from jvgn.graphs.parser_file import read_parser as read

    str(read(path))


READERS = [
    Reader("configuration", YAML, make_configuration, read_configuration),
    Reader("settings of a run", YAML, make_text("settings.yaml", RUN), read_run, share=3),
    Reader("settings of a detector", YAML, make_text("settings.yaml", DETECTOR), read_detector, share=2),
    Reader("settings of a parser", YAML, make_text("settings.yaml", PARSER), read_parser, share=3),
]
