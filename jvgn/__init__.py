"""Joint visual grounding with language scene graphs: find every object that a sentence mentions in an image.

Reading order for a reader of the paper: `model`, `potentials`, `factor_graph`, `message_schedule`,
`belief_propagation`, `batches`, `training.examples`, `training.trainer`, `evaluation.score`. The numbers are those that
LaTeX gives the paper's equations; the appendix repeats (12) to (16) without numbers.

====  ==================================  ============================================================================
eq.   the paper                           the code
====  ==================================  ============================================================================
(1)   the best region of the referent     `model.NodeBeliefs.regions`, `training.trainer.Trainer.is_right`
(2)   the best joint grounding            `belief_propagation.joint_map`; the k best: `joint_decoding.best_joint`
(3)   word embedding                      `model.LanguageEncoder.forward`
(4)   bidirectional LSTM                  `model.LanguageEncoder.forward`, `model.reversed_positions`
(5)   concatenation                       `model.LanguageEncoder.forward`
(6)   mean pooling over a node or edge    `model.mean_words`
(7)   joint probability over the graph    `factor_graph.FactorGraphs.forest`: its nodes and edges
(8)   joint probability by potentials     `model.JVGN.potentials`, normalised by `belief_propagation.log_partition`
(9)   unary potential                     `potentials.UnaryPotential`
(10)  binary potential                    `potentials.PairwisePotential`
(11)  marginal of the referent            `belief_propagation.log_marginals`, `model.JVGN.log_probability`
(12)  initial messages                    `belief_propagation.Beliefs.__init__`
(13)  message of a variable to a factor   `belief_propagation.Beliefs.of`, `belief_propagation.Beliefs.without`
(14)  message of a factor to a variable   `belief_propagation.Factors.message`
(15)  belief                              `belief_propagation.Beliefs.total`
(16)  normalised marginal                 `belief_propagation.sum_product`
(17)  objective: divergence from labels   `model.divergence`, `model.JVGN.loss`
(18)  loss with ground-truth regions      `model.divergence` of the one-hot target of `training.examples.Examples`
(19)  soft label of detected regions      `training.examples.SoftLabel`
(20)  loss with detected regions          `model.divergence`
====  ==================================  ============================================================================

`tests/jvgn/test_equations.py` compares each with its plain definition.

A tensor's name ends with the letters of its axes: `unary_KN` is (K, N). They mean the same in all modules of this list:

=========  =============================================================================================================
images     I images, N regions of an image (the most of one), D visual features, Y position, X = D + Y a region's vector
sentences  S expressions, M mentions, R rows of words (sentences or phrases), T words of the longest row, A all words
words      W word vector, H hidden state, L = 2H + W language vector
graphs     K nodes, U words of nodes, G some nodes (the labelled ones), E edges, V words of edges, F some edges (one
           level of a schedule), C trees, J the most nodes or edges of one image
others     Q the k best groundings, the best first; P single entries that are picked out; Z two axes as one; a number is
           the size of an axis, but S1 are S + 1 offsets: the entries of row i are those from offset[i] to offset[i + 1]
=========  =============================================================================================================
"""

from typing import Any

__all__ = ["Grounder", "RuleGrounder"]


def __getattr__(name: str) -> Any:
    """Load the grounders on first use: they need torch, and most stages do not."""
    if name == "Grounder":
        from jvgn.grounding.grounder import Grounder

        return Grounder
    if name == "RuleGrounder":
        from jvgn.grounding.rule_grounder import RuleGrounder

        return RuleGrounder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
