"""Length of the longest common subsequence."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Bits of one block. Memory grows with its square, time falls with it until the arithmetic outweighs the loop.
BLOCK = 4096


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the words of the longest sequence that both texts contain in order, not necessarily adjacent.

    Bit-parallel (Hyyrö, 2004, "Bit-parallel LCS-length computation revisited"): a number holds one column of the usual
    table, one bit per word of ``first``, and a zero bit where the column's value grows. Time grows with the product of
    the lengths, but `BLOCK` cells cost one step; memory with their sum.
    """
    shared = set(first) & set(second)
    first = [word for word in first if word in shared]
    second = [word for word in second if word in shared]
    carries = bytearray(len(second))
    length = 0
    for start in range(0, len(first), BLOCK):
        block = first[start : start + BLOCK]
        places: defaultdict[str, int] = defaultdict(int)
        for place, word in enumerate(block):
            places[word] |= 1 << place
        full = (1 << len(block)) - 1
        column = full
        for index, word in enumerate(second):
            matching = column & places.get(word, 0)
            total = column + matching + carries[index]
            carries[index] = total >> len(block)
            column = (total | (column - matching)) & full
        length += len(block) - column.bit_count()
    return length
