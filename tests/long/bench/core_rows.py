"""The grounding core at full size: 2560-d regions, 2348-d language, the paper's layers."""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from jvgn.batches import Batch
from jvgn.belief_propagation import log_marginals
from jvgn.evaluation.predict import GoldObjects, prediction_rows
from jvgn.potentials import PairwisePotential, UnaryPotential
from jvgn.runtime.distributed import Processes
from jvgn.settings.run import RunSettings
from jvgn.training.checkpoint import new_model
from jvgn.training.examples import Examples, Group, loaded, workers_for
from jvgn.training.trainer import Trainer
from tests.long.bench.measuring import Cost, Row, costs
from tests.long.bench.world import write_world

REGION, LANGUAGE = 2560, 2348
IMAGES, EXPRESSIONS, NODES = 16, 4, 3
CPU = torch.device("cpu")
RUN = RunSettings(detector="none", parser="none", vocabulary="none")


class Step:
    """Forward and backward of both potentials and of belief propagation, for a mini-batch of chains of three nodes."""

    def __init__(self, regions: int, images: int = IMAGES) -> None:
        torch.manual_seed(0)
        self.unary, self.pairwise = UnaryPotential(REGION, LANGUAGE), PairwisePotential(REGION, LANGUAGE)
        graphs = images * EXPRESSIONS
        self.x_INX = torch.rand(images, regions, REGION, requires_grad=True)
        self.w_KL = torch.randn(graphs * NODES, LANGUAGE, requires_grad=True)
        self.w_EL = torch.randn(graphs * (NODES - 1), LANGUAGE, requires_grad=True)
        self.image_K = torch.arange(graphs * NODES) // (EXPRESSIONS * NODES)
        self.image_E = torch.arange(graphs * (NODES - 1)) // (EXPRESSIONS * (NODES - 1))
        self.root_S = torch.arange(graphs) * NODES
        self.edges_E2 = torch.stack([self.root_S, self.root_S + 1, self.root_S + 1, self.root_S + 2], 1).reshape(-1, 2)

    def run(self, unary: Callable[..., Tensor], pairwise: Callable[..., Tensor]) -> None:
        unary_KN = unary(self.x_INX, self.w_KL, self.image_K)
        pairwise_ENN = pairwise(self.x_INX, self.w_EL, self.image_E)
        log_marginals(unary_KN, pairwise_ENN, self.edges_E2)[self.root_S, 0].mean().backward()
        for value in (self.x_INX, self.w_KL, self.w_EL, *self.unary.parameters(), *self.pairwise.parameters()):
            value.grad = None

    def factorised(self) -> None:
        self.run(self.unary, self.pairwise)

    def direct(self) -> None:
        self.run(self.unary.direct, self.pairwise.direct)


def factorised_against_direct(regions: int, least: float | None, direct_images: int = IMAGES) -> Row:
    """`.direct` may be measured on fewer images, all it takes being proportional to their number."""
    step, slow = Step(regions), Step(regions, direct_images)
    factor = IMAGES / direct_images
    (fast_cost,) = costs(step.factorised)
    (slow_cost,) = costs(slow.direct, repeats=1, warm_up=False)
    (fast_again,) = costs(step.factorised)  # before and after: the machine may have had something else to do
    fast_cost = Cost((fast_cost.seconds + fast_again.seconds) / 2, fast_cost.peak_mb)
    slow_cost = slow_cost.times(factor)
    ratio = slow_cost.seconds / fast_cost.seconds
    note = "" if factor == 1 else f"direct on {direct_images} of {IMAGES} images, times {factor:g}; "
    memory = slow_cost.peak_mb / fast_cost.peak_mb if fast_cost.peak_mb and slow_cost.peak_mb else None
    if memory:
        note += f"memory 1/{memory:.1f}"
    target, is_met = "", True
    if least:
        target, is_met = f"≥ {least:g}×, memory ≤ 1/10", ratio >= least and (memory is None or memory >= 10)
    name = f"potentials and inference, forward and backward, N = {regions}"
    return Row(name, fast_cost, "direct", slow_cost, ratio, target, is_met, note)


def speed_against_a_matrix_product(regions: int) -> Row:
    """Operations a second, of those that are in matrix products."""
    step, size = Step(regions), 4096
    one, other = torch.randn(size, size), torch.randn(size, size)
    with FlopCounterMode(display=False) as counter:
        step.factorised()
    work, reference = costs(step.factorised, lambda: one @ other, repeats=9)
    speed, peak = counter.get_total_flops() / work.seconds, 2 * size**3 / reference.seconds
    note = f"{speed / 1e9:.0f} of {peak / 1e9:.0f} GFLOP/s"
    name = f"operations a second, N = {regions}"
    return Row(name, work, "a product of 4096 × 4096", reference, speed / peak, "≥ 0.6", speed >= 0.6 * peak, note)


def belief_propagation_against_pgmpy(graphs: int = 256, nodes: int = 5, regions: int = 36) -> Row:
    """Both from the same arrays of log-scores to the marginals of all nodes; timed as it runs, in single precision.

    Ours has one thread: for so little work, waking others takes longer than what they would save.
    """
    random = np.random.default_rng(0)
    parents = [[int(random.integers(node)) for node in range(1, nodes)] for _ in range(graphs)]
    edges_GE2 = np.array([[(node + 1, parent) for node, parent in enumerate(own)] for own in parents])
    unary_GKN = random.normal(size=(graphs, nodes, regions))
    pairwise_GENN = random.normal(size=(graphs, nodes - 1, regions, regions))
    theirs: list[np.ndarray] = []

    def ours(unary_GKN: np.ndarray, pairwise_GENN: np.ndarray) -> Tensor:
        start_G11 = (np.arange(graphs) * nodes)[:, None, None]
        unary_KN = torch.from_numpy(unary_GKN.reshape(-1, regions))
        pairwise_ENN = torch.from_numpy(pairwise_GENN.reshape(-1, regions, regions))
        return log_marginals(unary_KN, pairwise_ENN, torch.from_numpy((edges_GE2 + start_G11).reshape(-1, 2))).exp()

    def ask_pgmpy() -> None:
        for edges, unary, pairwise in zip(edges_GE2.tolist(), np.exp(unary_GKN), np.exp(pairwise_GENN), strict=True):
            theirs.extend(marginals_by_pgmpy(edges, unary, pairwise))

    list(marginals_by_pgmpy(edges_GE2[0].tolist(), np.exp(unary_GKN[0]), np.exp(pairwise_GENN[0])))  # imports it
    single = (unary_GKN.astype(np.float32), pairwise_GENN.astype(np.float32))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    (work,) = costs(partial(ours, *single), repeats=31)
    torch.set_num_threads(threads)
    (reference,) = costs(ask_pgmpy, repeats=1, warm_up=False)
    expected = np.array(theirs[: graphs * nodes])
    np.testing.assert_allclose(ours(unary_GKN, pairwise_GENN).numpy(), expected, atol=1e-9)
    np.testing.assert_allclose(ours(*single).numpy(), expected, atol=1e-5)
    ratio = reference.seconds / work.seconds
    name = f"belief propagation, {graphs} graphs of {nodes} nodes, N = {regions}, one thread"
    return Row(
        name,
        work,
        "pgmpy",
        reference,
        ratio,
        "≥ 1000×",
        ratio >= 1000,
        "marginals equal within 1e-9 in float64, 1e-5 in float32",
    )


def marginals_by_pgmpy(edges: list[list[int]], unary_KN: np.ndarray, pairwise_ENN: np.ndarray) -> Iterator[np.ndarray]:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.inference import BeliefPropagation
    from pgmpy.models import DiscreteMarkovNetwork

    regions = unary_KN.shape[1]
    network = DiscreteMarkovNetwork(edges)
    network.add_factors(*(DiscreteFactor([node], [regions], values) for node, values in enumerate(unary_KN)))
    pairs = zip(edges, pairwise_ENN, strict=True)
    network.add_factors(*(DiscreteFactor(edge, [regions, regions], values) for edge, values in pairs))
    inference = BeliefPropagation(network)  # checks the model, too
    inference.calibrate()
    for node in range(len(unary_KN)):
        answer = inference.query([node], show_progress=False)
        yield answer.values / answer.values.sum()


def loader_rows(images: int = 1024, regions: int = 36) -> Iterator[Row]:
    """The loader by itself, and beside the steps that it loads for; evaluation with all that is around the model."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = write_world(Path(folder), images, regions, REGION - RUN.model.spatial_size)
        examples = inputs.examples(RUN)
        examples.remembers = False  # as if the file were too large for memory
        yield loader_alone(examples)
        model = new_model(RUN, np.load(inputs.vectors), examples.store.feature_size)
        yield loader_beside_steps(Trainer(model, examples, RUN.training, Processes(CPU)))
        yield evaluation(model.eval(), examples, GoldObjects(inputs.dataset))


def groups_of(examples: Examples, split: str, images_per_batch: int) -> list[Group]:
    rows = list(examples.rows_by_image(split).items())
    return [dict(rows[start : start + images_per_batch]) for start in range(0, len(rows), images_per_batch)]


def loader_alone(examples: Examples, workers: int = 2, wanted: int = 2000) -> Row:
    groups = [*groups_of(examples, "train", 128), *groups_of(examples, "val", 128)] * 4
    images = sum(map(len, groups))

    def load(workers: int) -> None:
        for _ in loaded(examples, groups, workers, CPU):
            pass

    work, alone = costs(partial(load, workers), partial(load, 0), repeats=3)
    speed = images / work.seconds
    note = f"{speed:,.0f} images a second with {workers} workers, {images / alone.seconds:,.0f} without"
    ratio = alone.seconds / work.seconds
    name = f"loading {images:,} images of 36 regions in mini-batches of 128"
    return Row(name, work, "without workers", alone, ratio, f"≥ {wanted:,} images/s", speed >= wanted, note)


def loader_beside_steps(trainer: Trainer, steps: int = 12) -> Row:
    """Each step with its batch from the loader as a training has it, and at once again with the batch at hand.

    The steps are paired because they vary by more than loading takes. A worker reads ahead when a batch is taken, so
    that what it takes from the cores falls into the first of the two.
    """
    workers = workers_for(trainer.examples, torch.get_num_threads())
    batches = loaded(trainer.examples, groups_of(trainer.examples, "train", IMAGES)[: steps + 1], workers, CPU)

    def learn(batch: Batch | None) -> None:
        trainer.compute_gradients(batch, used=batch.with_target)
        trainer.update_weights()

    learn(next(batches))  # workers start once an epoch, not once a step
    times = []
    asked = time.perf_counter()
    for batch in batches:
        came = time.perf_counter()
        learn(batch)
        learned = time.perf_counter()
        learn(batch)
        again = time.perf_counter()
        times.append((came - asked, learned - asked, again - learned))
        asked = time.perf_counter()
    waiting_T, loading_T, at_hand_T = np.array(times).T
    at_hand = float(np.median(at_hand_T))
    added, waiting = float(np.median(loading_T - at_hand_T)) / at_hand, float(np.median(waiting_T)) / at_hand
    name = f"a training step of {IMAGES} images, loading its batch with {workers} worker"
    note = f"median of {steps}: loading adds {100 * added:.1f}%, waiting {100 * waiting:.1f}%"
    work, reference = Cost(float(np.median(loading_T)), None), Cost(at_hand, None)
    return Row(name, work, "its batch at hand", reference, 1 + added, "≤ 1.1×", added <= 0.1, note)


def evaluation(model: torch.nn.Module, examples: Examples, gold: GoldObjects, images: int = 64) -> Row:
    groups = groups_of(examples, "val", images)[:1]
    (ready,) = loaded(examples, groups, 0, CPU)

    @torch.no_grad()
    def evaluate() -> None:
        for batch in loaded(examples, groups, 0, CPU):
            prediction_rows(examples, batch, model(batch), "marginal", gold)

    @torch.no_grad()
    def model_alone() -> None:
        model(ready)

    whole, bare = costs(evaluate, model_alone, repeats=3)
    note = f"{len(ready.row_S) / whole.seconds:,.0f} expressions a second"
    name = f"evaluation of {len(ready.row_S)} expressions in {images} images"
    ratio = whole.seconds / bare.seconds
    return Row(name, whole, "the model alone", bare, ratio, "", True, note)


ROWS: list[Callable[[], Row | Iterator[Row]]] = [
    partial(factorised_against_direct, 10, None),
    partial(factorised_against_direct, 36, 20),
    partial(factorised_against_direct, 100, 60, direct_images=2),
    partial(speed_against_a_matrix_product, 36),
    partial(speed_against_a_matrix_product, 100),
    belief_propagation_against_pgmpy,
    loader_rows,
]
