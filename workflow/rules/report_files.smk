"""What a report of a run consists of, and the code behind its figures."""

def in_archive(path, **mark):
    """A file of the report if that is a .zip: within an .html, Chromium shows no page of more than 2 MB."""
    return report(path, **mark) if any(argument.endswith(".zip") for argument in sys.argv) else path


def coverage_figure(wildcards):
    return f"results/graphs/{wildcards.dataset}/{run_of(wildcards).parser}/report/coverage.svg"


def precision_figures(wildcards):
    """That of the run's detector, unless it only imports what another found."""
    name = run_of(wildcards).detector
    folder = detector_folder(wildcards.dataset, name)
    return [f"{folder}/report/average_precision.svg"] if is_network(configuration.detectors[name]) else []


def report_figures(wildcards):
    """What belongs to the report of a run beside its tables."""
    folder = "results/{dataset}_{setting}{run_folder}".format(**wildcards)
    names = [
        "report/learning.svg",
        "report/sizes.svg",
        "report/calibration.svg",
        "report/examples.html",
        "gallery/index.html",
    ]
    if wildcards.setting == "det":
        names.append("report/recall.svg")  # annotated regions cover every referent
    if run_name(wildcards) == DEFAULT_RUN:
        names.append("report/ablation.svg")
    figures = [f"{folder}/{name}" for name in names]
    return [*figures, coverage_figure(wildcards), *precision_figures(wildcards)]


def edges(wildcards):
    return run_inputs(wildcards)["edges"]


def regions_of_run(wildcards):
    return run_inputs(wildcards)["regions"]
