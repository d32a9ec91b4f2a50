"""NMTree: Liu et al. 2019, Learning to Assemble Neural Module Tree Networks for Visual Grounding.

A tree of words; each word's module is chosen by the words: Sum passes on the scores of its children, Comp takes their
softmax as a context region and scores each region beside it, Single scores regions alone. As published: states by a
TreeLSTM upwards and downwards, attention over the words of a subtree, normalised products, a straight-through Gumbel
choice, cross entropy of the root. Different: the tree is our graph, which hangs from its referent, and not that of the
dependencies: a mentioned object is a Single plus the Sum of its children, a relation chooses between Sum and Comp.
There are no vectors of tags and dependencies. A word vector is the mean of the words of a node or relation.

`jvgn` explains the shape suffixes; here also B = W + 1 and G = 4H gates.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from jvgn.batches import Batch
from jvgn.model import ReferentBeliefs, Sizes, mean_words
from jvgn.potentials import UnaryPotential
from jvgn.rivals.parts import unit
from jvgn.rivals.rival import Rival
from jvgn.rivals.rooted_tree import RootedLevel, rooted_levels

Levels = list[RootedLevel]


class NMTree(Rival):
    def __init__(self, vectors_VW: Tensor, sizes: Sizes) -> None:
        super().__init__(vectors_VW, sizes, encodes=False)
        self.tree = TreeLSTM(self.word_size, sizes.hidden)
        self.attend_single, self.attend_pair = nn.Linear(2 * sizes.hidden, 1), nn.Linear(2 * sizes.hidden, 1)
        self.single = UnaryPotential(self.region_size, self.word_size)
        self.region, self.context = (nn.Linear(self.region_size, self.word_size) for _ in range(2))
        self.pair = nn.Linear(self.word_size, 1)
        self.choose = nn.Linear(2 * sizes.hidden, 2)

    def forward(self, batch: Batch) -> ReferentBeliefs:
        levels, vector_AW = rooted_levels(batch), self.vectors(batch).flatten(0, 1)
        u_KW = mean_words(vector_AW, batch.node_word_U, batch.node_of_U, len(batch.image_K))
        u_EW = mean_words(vector_AW, batch.edge_word_V, batch.edge_of_V, len(batch.image_E))
        state_KH, state_EH = self.tree(levels, u_KW, u_EW)
        single_KW, _ = subtree_words(levels, self.attend_single, (state_KH, u_KW), (state_EH, u_EW))
        _, pair_EW = subtree_words(levels, self.attend_pair, (state_KH, u_KW), (state_EH, u_EW))
        x_INX = self.regions(batch)
        absent_KN = ~batch.present_IN[batch.image_K]
        single_KN = self.single(x_INX, single_KW, batch.nodes_by_image)
        score_KN, region_INW = single_KN, self.region(x_INX)
        choice_E2 = self.choice(state_EH)
        for edge_F, child_F, parent_F, _ in levels:
            image_F = batch.image_K[child_F]
            child_FN = score_KN[child_F]
            weight_FN = child_FN.masked_fill(absent_KN[child_F], -torch.inf).softmax(dim=1)
            context_FW = self.context((weight_FN[:, None] @ x_INX[image_F]).squeeze(1))
            mixed_FNW = (region_INW[image_F] + context_FW[:, None]) * pair_EW[edge_F][:, None]
            options_FN2 = torch.stack([child_FN, self.pair(unit(mixed_FNW)).squeeze(-1)], dim=-1)
            score_KN = score_KN.index_add(0, parent_F, (options_FN2 * choice_E2[edge_F][:, None]).sum(dim=-1))
        node_KN, unary_KN = (
            score.masked_fill(absent_KN, -torch.inf).log_softmax(dim=1) for score in (score_KN, single_KN)
        )
        return ReferentBeliefs(node_KN[batch.referent_S], node_KN=node_KN, unary_KN=unary_KN)

    def choice(self, state_EH: Tensor) -> Tensor:
        """Return (E, 2): 1 for the chosen module of each relation, Sum or Comp."""
        logit_E2 = self.choose(state_EH)
        if self.training and len(logit_E2):
            return functional.gumbel_softmax(logit_E2, hard=True)
        return functional.one_hot(logit_E2.argmax(dim=1), 2).to(logit_E2.dtype)


def subtree_words(
    levels: Levels, attend: nn.Linear, node: tuple[Tensor, Tensor], edge: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor]:
    """Return (K, W) and (E, W): the attended mean of the words below each node and each relation, its own too."""
    (sum_KB, sum_EB) = (with_weight(attend(state), vector) for state, vector in (node, edge))
    for edge_F, child_F, parent_F, _ in levels:
        sum_EB = sum_EB.index_add(0, edge_F, sum_KB[child_F])
        sum_KB = sum_KB.index_add(0, parent_F, sum_EB[edge_F])
    return sum_KB[:, :-1] / sum_KB[:, -1:], sum_EB[:, :-1] / sum_EB[:, -1:]


def with_weight(logit_K1: Tensor, vector_KW: Tensor) -> Tensor:
    """Return (K, B): vectors times their weights, and the weights; logits are kept within 20 of each other."""
    weight_K1 = (20 * (logit_K1 / 20).tanh()).exp()
    return torch.cat([weight_K1 * vector_KW, weight_K1], dim=1)


class TreeLSTM(nn.Module):
    """Two states of each node and relation: of the words below it (child-sum), and of those between it and the root."""

    def __init__(self, word_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.word_up, self.word_down = (nn.Linear(word_size, 4 * hidden_size) for _ in range(2))
        self.state_up, self.state_down = (nn.Linear(hidden_size, 4 * hidden_size, bias=False) for _ in range(2))

    def forward(self, levels: Levels, u_KW: Tensor, u_EW: Tensor) -> tuple[Tensor, Tensor]:
        """Return (K, 2H) and (E, 2H)."""
        up_KH, up_EH = self.upwards(levels, self.word_up(u_KW), self.word_up(u_EW))
        down_KH, down_EH = self.downwards(levels, self.word_down(u_KW), self.word_down(u_EW))
        return torch.cat([up_KH, down_KH], dim=1), torch.cat([up_EH, down_EH], dim=1)

    def upwards(self, levels: Levels, word_KG: Tensor, word_EG: Tensor) -> tuple[Tensor, Tensor]:
        heard_K, kept_K = (word_KG.new_zeros(len(word_KG), self.hidden_size) for _ in range(2))
        state_EH = word_EG.new_zeros(len(word_EG), self.hidden_size)
        for edge_F, child_F, parent_F, _ in levels:
            child = self.cell(word_KG[child_F] + self.state_up(heard_K[child_F]), kept_K[child_F])
            kept_F = self.kept(word_EG[edge_F], *child)
            state_F, cell_F = self.cell(word_EG[edge_F] + self.state_up(child[0]), kept_F)
            state_EH = state_EH.index_copy(0, edge_F, state_F)
            heard_K = heard_K.index_add(0, parent_F, state_F)
            kept_K = kept_K.index_add(0, parent_F, self.kept(word_KG[parent_F], state_F, cell_F))
        return self.cell(word_KG + self.state_up(heard_K), kept_K)[0], state_EH

    def kept(self, word_FG: Tensor, state_FH: Tensor, cell_FH: Tensor) -> Tensor:
        """Return what the parent with these words keeps of a child's cell."""
        return (word_FG + self.state_up(state_FH)).chunk(4, dim=1)[3].sigmoid() * cell_FH

    def downwards(self, levels: Levels, word_KG: Tensor, word_EG: Tensor) -> tuple[Tensor, Tensor]:
        state_KH, cell_KH = self.cell(word_KG, word_KG.new_zeros(len(word_KG), self.hidden_size))
        state_EH = word_EG.new_zeros(len(word_EG), self.hidden_size)
        for edge_F, child_F, parent_F, _ in reversed(levels):
            gate_FG = word_EG[edge_F] + self.state_down(state_KH[parent_F])
            state_F, cell_F = self.cell(gate_FG, gate_FG.chunk(4, dim=1)[3].sigmoid() * cell_KH[parent_F])
            state_EH = state_EH.index_copy(0, edge_F, state_F)
            gate_FG = word_KG[child_F] + self.state_down(state_F)
            below_FH, cell_FH = self.cell(gate_FG, gate_FG.chunk(4, dim=1)[3].sigmoid() * cell_F)
            state_KH, cell_KH = state_KH.index_copy(0, child_F, below_FH), cell_KH.index_copy(0, child_F, cell_FH)
        return state_KH, state_EH

    @staticmethod
    def cell(gate_FG: Tensor, kept_FH: Tensor) -> tuple[Tensor, Tensor]:
        """Return the state and the cell, from the gates and what is kept of the cells before."""
        enter, new, leave, _ = gate_FG.chunk(4, dim=1)
        cell_FH = kept_FH + enter.sigmoid() * new.tanh()
        return leave.sigmoid() * cell_FH.tanh(), cell_FH
