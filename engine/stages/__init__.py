"""The path of a message, one module a stage, in the one order of `engine.language.points.PATH`.

Each stage is `async run(passage)`: it returns how the turn ends, or None when the next stage goes on.
"""
