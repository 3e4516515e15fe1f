"""`uses:` of line.yaml: which limit or ladder the engine reads where no card does."""

from __future__ import annotations

from collections.abc import Mapping

USES: Mapping[str, tuple[str, str]] = {
    "budget": ("duration", "the time of a whole turn"),
    "repair_floor": ("duration", "the least time that must be left for the one repair"),
    "read_time": ("duration", "the time of reading a source, or of embedding a message at a provider"),
    "neighbours": ("number", "how many of the nearest sample questions are looked at"),
    "majority": ("number", "how many of them must name the same topic"),
    "topic_floor": ("number", "how alike (0 to 1) the nearest question of a topic must be for it to be named"),
    "channel": ("ladder", "what the channel does when a message cannot be handed over"),
    "sweep_every": ("duration", "how often quiet conversations are looked for"),
    "sweep_batch": ("number", "how many of them are closed in one pass"),
    "keep_conversations": ("duration", "how long conversations are kept"),
    "keep_unknown": ("duration", "how long what is known of unknown senders is kept"),
    "keep_log": ("duration", "how long the log is kept"),
}  # fmt: skip
"""Setting → what it must be (a kind of limit, or `ladder`), and what it is read for."""
