"""The embedding that needs nothing but NumPy: words, pairs of words and pieces of words, weighted by how rare they are."""

from __future__ import annotations

import itertools
import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import regex

from engine.language.extract import MAX_TEXT
from engine.language.normalise import normalise

NAME = "ngram"
VERSION = 1
DIMENSIONS = 8192
STEPS = 256.0
"""Weights are kept in steps of 1/256, so that no machine's logarithm makes another file."""
_WORD = regex.compile(r"[\p{L}\p{M}]+|\p{N}+")


def pieces(text: str) -> Counter[int]:
    """How often each piece of a text occurs, by its dimension: words, pairs of neighbours, three to five letters
    running within a word. The hash is CRC-32: the same on every machine."""
    words = _WORD.findall(normalise(text[:MAX_TEXT]).text)
    named = [f"w {word}" for word in words] + [f"p {a} {b}" for a, b in itertools.pairwise(words)]
    for word in words:
        framed = f"<{word}>"
        named += [framed[i : i + n] for n in (3, 4, 5) for i in range(len(framed) - n + 1)]
    return Counter(zlib.crc32(name.encode()) % DIMENSIONS for name in named)


def fit(questions: Sequence[str]) -> dict[str, Any]:
    """The arrays of a set of questions: `weights` of the dimensions, and for each question its dimensions and counts
    (`starts`, `dims`, `counts`)."""
    counted = [pieces(question) for question in questions]
    seen = Counter(dim for one in counted for dim in one)
    weights = np.zeros(DIMENSIONS, np.uint16)
    for dim, count in seen.items():
        weights[dim] = round(math.log((1 + len(counted)) / (1 + count)) * STEPS) + STEPS
    starts, dims, counts = [0], list[int](), list[int]()
    for one in counted:
        for dim in sorted(one):
            dims.append(dim)
            counts.append(min(one[dim], 255))
        starts.append(len(dims))
    return {
        "weights": weights, "starts": np.array(starts, np.uint32), "dims": np.array(dims, np.uint16),
        "counts": np.array(counts, np.uint8),
    }  # fmt: skip


class Space:
    """The vectors of a set of questions, ready to be compared with a message."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.weights = arrays["weights"].astype(np.float32) / STEPS
        starts, dims, counts = arrays["starts"], arrays["dims"].astype(np.intp), arrays["counts"]
        self.columns = np.zeros((DIMENSIONS, len(starts) - 1), np.float32)
        for index in range(len(starts) - 1):
            here = slice(int(starts[index]), int(starts[index + 1]))
            self.columns[dims[here], index] = self._unit(dims[here], counts[here])

    def scores(self, text: str) -> Any:
        """The similarity of a text to each question, from 0 to 1; 0 for a text with no known piece."""
        counted = pieces(text)
        if not counted:
            return np.zeros(self.columns.shape[1], np.float32)
        dims = np.fromiter(counted, np.intp, len(counted))
        values = self._unit(dims, np.fromiter(counted.values(), np.float32, len(counted)))
        return values @ self.columns[dims]

    def _unit(self, dims: Any, counts: Any) -> Any:
        values = (1.0 + np.log(counts.astype(np.float32))) * np.maximum(self.weights[dims], 1.0)
        return (values / (np.linalg.norm(values) or 1.0)).astype(np.float32)
