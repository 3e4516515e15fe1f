"""Knowledge: topics with sample questions in YAML, their vectors in one file, the nearest of them to a message."""

from engine.knowledge.bank import Bank, KnowledgeRefused, load_knowledge
from engine.knowledge.topics import Topic, read_topics

__all__ = ["Bank", "KnowledgeRefused", "Topic", "load_knowledge", "read_topics"]
