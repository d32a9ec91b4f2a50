"""Projects share what is expensive: Snakemake's cache between workflows holds detectors and regions."""

DETECTOR = "results/detectors/shapes/tiny"
REGIONS = [f"results/regions/shapes_{setting}/tiny.h5" for setting in ("gt", "det")]


def test_a_second_project_takes_the_detector_and_its_regions_from_the_first(another_project, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(tmp_path))
    first, second = another_project(), another_project()
    for project in (first, second):
        run = project.snakemake("--cache", "--quiet", "host", "--", *REGIONS)
        assert run.returncode == 0, run.stdout + run.stderr
    for project, has_run in ((first, True), (second, False)):  # what comes from the cache has logged nothing
        logs = [project.folder / "logs/detectors/shapes/tiny.log"]
        logs += project.folder.glob("logs/regions/shapes_*/tiny.*-of-*.log")
        assert [log.stat().st_size > 0 for log in logs] == [has_run] * 3
    for name in (f"{DETECTOR}/weights.safetensors", f"{DETECTOR}/provenance.json"):
        assert (second.folder / name).resolve().parent == tmp_path
    for name in REGIONS:
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()
    given, detected = ((second.folder / name).read_bytes() for name in REGIONS)
    assert given != detected


def test_other_settings_make_another_detector(another_project, miniature, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(tmp_path))
    for seed in (0, 1):
        config = miniature()
        config["detectors"]["tiny"] |= {"seed": seed, "epochs": 1}
        project = another_project()
        project.configure(config)
        run = project.snakemake("--cache", "--quiet", "host", "--", f"{DETECTOR}/weights.safetensors")
        assert run.returncode == 0, run.stdout + run.stderr
    assert len(list(tmp_path.glob("*.safetensors"))) == 2
