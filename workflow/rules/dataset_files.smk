"""What is known of a dataset, and the files of its graphs and its vocabularies."""


def dataset_of(wildcards):
    return configuration.datasets[wildcards.dataset]


def tables(wildcards):
    """The folder of a dataset's tables."""
    return f"results/datasets/{wildcards.dataset}"


def refs(wildcards):
    return f"{dataset_of(wildcards).folder}/refs({dataset_of(wildcards).split_by}).p"


def instances(wildcards):
    return f"{dataset_of(wildcards).folder}/instances.json"


def images(wildcards):
    return dataset_of(wildcards).images


def annotations(wildcards):
    return configuration.training_sets[wildcards.training_set].annotations


def parser_files(wildcards):
    """The files and folders that a parser's options name, if any."""
    return configuration.all_parsers[wildcards.parser].files


datasets_parsed_at_once = [name for name in configuration.datasets if configuration.shards(name) == 1]
datasets_parsed_in_shards = [name for name in configuration.datasets if configuration.shards(name) > 1]


def shard_folders(wildcards):
    folder = f"results/graphs/{wildcards.dataset}/{wildcards.parser}/shards"
    count = configuration.shards(wildcards.dataset)
    return [f"{folder}/{number}_of_{count}" for number in range(1, count + 1)]


def shards_of_graphs(wildcards):
    files = ("nodes.parquet", "edges.parquet", "coverage.json")
    return [f"{folder}/{file}" for folder in shard_folders(wildcards) for file in files]


def records_of_graphs(wildcards):
    return records_of(shards_of_graphs(wildcards))


def glove(wildcards):
    """The GloVe file of a vocabulary, if any."""
    return configuration.vocabularies[wildcards.vocabulary].glove or []


def parser_settings(wildcards):
    return as_json(configuration.all_parsers[wildcards.parser])


def region_settings(wildcards):
    return as_json(dataset_of(wildcards).regions)


def vocabulary_settings(wildcards):
    return as_json(configuration.vocabularies[wildcards.vocabulary])
