"""A line's knowledge, ready to be asked: topics and their vectors from one .npz file, or from the topics themselves."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files import read_tree
from engine.knowledge.embeddings import Embedding, NoEmbedding, embedding
from engine.knowledge.topics import Topic, content_of, read_topics
from engine.language.project import LineSource
from engine.ports import Neighbour

META = "meta.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)


class KnowledgeRefused(ValueError):
    """Knowledge that cannot be used: which file, why, and what to do."""


@dataclass(frozen=True)
class Bank:
    """Topics with their vectors. `hash` changes whenever an answer or a vector may."""

    samples: tuple[Neighbour, ...]
    space: Any
    hash: str
    remote: bool = False
    notes: tuple[str, ...] = ()

    def nearest(self, text: str, count: int) -> Sequence[Neighbour]:
        """The nearest sample questions, nearest first; of equally near ones the first in the files."""
        if not self.samples or count <= 0:
            return []
        scores = self.space.scores(text)
        return [_scored(self.samples[index], float(scores[index])) for index in _best(scores, count)]


def _best(scores: Any, count: int) -> list[int]:
    import numpy as np

    count = min(count, len(scores))
    edge = np.partition(scores, len(scores) - count)[len(scores) - count]
    near = np.flatnonzero(scores >= edge)
    return sorted(map(int, near), key=lambda index: (-scores[index], index))[:count]


def _scored(sample: Neighbour, score: float) -> Neighbour:
    return Neighbour(
        sample.question, sample.topic, min(1.0, max(0.0, score)), sample.answer, sample.live_data, sample.language
    )


def load_knowledge(folder: Path, source: LineSource, setting: Any) -> Bank:
    """The knowledge of a line in the project at `folder`; empty when it has none.

    The vectors come from knowledge/<line>.npz when it was built from today's topics with the embedding that `setting`
    names; else they are made here, and `notes` says so. Raises KnowledgeRefused for topics with mistakes, a file that
    cannot be read, or one made with another embedding.
    """
    tree = read_tree(folder, ["knowledge"])
    topics, problems = read_topics(tree.texts("knowledge"), source)
    if problems:
        raise KnowledgeRefused(str(problems[0]))
    if not topics:
        return Bank((), None, "")
    try:
        chosen = embedding(setting)
    except NoEmbedding as missing:
        raise KnowledgeRefused(str(missing)) from None
    hash = content_of(topics)
    name = f"knowledge/{source.name}.npz"
    arrays, notes = _kept(folder / name, name, chosen, hash)
    if arrays is None and chosen.remote:
        raise KnowledgeRefused(
            f"{name} is older than its topics, or missing. Run `rulecard build`: it asks the provider."
        )
    if arrays is None:
        arrays = chosen.fit(_questions(topics))
    return Bank(tuple(_samples(topics)), chosen.space(arrays), hash, chosen.remote, notes)


def _kept(file: Path, name: str, chosen: Embedding, hash: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The arrays on disk, if they belong to these topics and this embedding."""
    if not file.is_file():
        return None, ()
    meta, arrays = unpacked(file.read_bytes(), name)
    if meta.get("embedding") != chosen.name:
        says = f"{name} was made with the embedding `{meta.get('embedding')}`, and the line uses `{chosen.name}`."
        raise KnowledgeRefused(f"{says} Run `rulecard build`.")
    if meta.get("hash") != hash or meta.get("version") != chosen.version:
        return None, (f"{name} is older than its topics. Run `rulecard build`.",)
    return arrays, ()


def packed(topics: list[Topic], setting: Any = None) -> bytes:
    """The .npz of topics: the same bytes on every machine, nothing compressed. Raises KnowledgeRefused, CallFailed."""
    import numpy as np

    try:
        chosen = embedding(setting)
    except NoEmbedding as missing:
        raise KnowledgeRefused(str(missing)) from None
    meta = {"embedding": chosen.name, "hash": content_of(topics), "version": chosen.version}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        file.writestr(zipfile.ZipInfo(META, _EPOCH), json.dumps(meta, sort_keys=True))
        for name, array in sorted(chosen.fit(_questions(topics)).items()):
            inner = io.BytesIO()
            np.lib.format.write_array(inner, array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), inner.getvalue())
    return buffer.getvalue()


def meta_of(data: bytes, name: str) -> Mapping[str, Any]:
    """What a file of vectors says of itself, without NumPy. Raises KnowledgeRefused."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            meta = json.loads(file.read(META))
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, RuntimeError):
        raise KnowledgeRefused(
            f"{name} is damaged or no file of vectors. Delete it and run `rulecard build`."
        ) from None
    return meta if isinstance(meta, dict) else {}


def unpacked(data: bytes, name: str) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """What a file of vectors says of itself, and its arrays. Raises KnowledgeRefused."""
    import numpy as np

    meta = meta_of(data, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            arrays = {
                one.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(file.read(one)), allow_pickle=False)
                for one in file.namelist()
                if one.endswith(".npy")
            }
    except (zipfile.BadZipFile, ValueError, OSError, EOFError):
        raise KnowledgeRefused(f"{name} is damaged. Delete it and run `rulecard build`.") from None
    return meta, arrays


def _questions(topics: list[Topic]) -> list[str]:
    return [sample.question for topic in topics for sample in topic.samples]


def _samples(topics: list[Topic]) -> list[Neighbour]:
    return [
        Neighbour(sample.question, topic.id, 0.0, sample.answer, topic.live_data, sample.language)
        for topic in topics
        for sample in topic.samples
    ]
