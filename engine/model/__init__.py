"""Models behind the port: a provider's API, the offline one, recorded ones, a caller's own; and which is chosen."""

from engine.model.choose import choose_models

__all__ = ["choose_models"]
