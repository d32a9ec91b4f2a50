"""An LSTM that says the words of a sentence given a condition, such as a region (MMI, MIL, Speaker).

`jvgn` explains the shape suffixes; here also C conditions of an expression, G = 4H gates, V vocabulary.
"""

import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.rivals.parts import is_word


class RegionSpeaker(nn.Module):
    """log p(sentence | condition). The condition is read with every word; only words are predicted, not the end."""

    def __init__(self, vectors_VW: Tensor, condition_size: int, hidden_size: int) -> None:
        super().__init__()
        words, word_size = vectors_VW.shape
        self.start = nn.Parameter(torch.zeros(word_size))
        self.gates_of_word = nn.Linear(word_size, 4 * hidden_size)
        self.gates_of_condition = nn.Linear(condition_size, 4 * hidden_size, bias=False)
        self.gates_of_state = nn.Linear(hidden_size, 4 * hidden_size, bias=False)
        self.next_word = nn.Linear(hidden_size, words)

    def forward(self, batch: Batch, u_STW: Tensor, gate_SCG: Tensor) -> Tensor:
        """Return (S, C), from the word vectors and `gates_of_condition` of each condition."""
        before_STW = torch.cat([self.start.expand(len(u_STW), 1, -1), u_STW[:, :-1]], dim=1)
        word_STG = self.gates_of_word(before_STW)
        state_SCH = cell_SCH = gate_SCG.new_zeros(*gate_SCG.shape[:2], gate_SCG.shape[2] // 4)
        total_SC, is_word_ST = gate_SCG.new_zeros(gate_SCG.shape[:2]), is_word(batch)
        for place in range(u_STW.shape[1]):
            gate = word_STG[:, place, None] + gate_SCG + self.gates_of_state(state_SCH)
            enter, forget, new, leave = gate.chunk(4, dim=-1)
            cell_SCH = forget.sigmoid() * cell_SCH + enter.sigmoid() * new.tanh()
            state_SCH = leave.sigmoid() * cell_SCH.tanh()
            log_SCV = self.next_word(state_SCH).log_softmax(dim=-1)
            said_SC = log_SCV.gather(2, batch.word_RT[:, place, None, None].expand(-1, log_SCV.shape[1], 1)).squeeze(2)
            total_SC = total_SC + said_SC * is_word_ST[:, place, None]
        return total_SC
