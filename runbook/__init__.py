"""The rules document: build, lock, check, accept; the rendered documents lie beside the code."""
