"""The card language: models, loading, conditions, patterns, extractors. Pure: no I/O, no clock, no environment."""
