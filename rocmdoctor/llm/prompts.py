"""What a server is asked: the table ``llm_prompts``."""

from __future__ import annotations

import re2

from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, how many tokens of answer are asked for, and the pattern of a right one ("" where there is none)."""

    id: str
    prompt: str
    tokens: int
    expect: str = ""

    def right(self, answer: str) -> bool:
        """Whether the answer is the one that is expected."""
        return bool(self.expect and re2.search("(?i)" + self.expect, answer))


def questions() -> list[Question]:
    """The short questions: facts, counting, copying, another language, JSON."""
    return [Question(row["id"], row["prompt"], row["tokens"], row["expect"]) for row in tables.load("llm_prompts")["questions"]]


def open_end() -> Question:
    """A sentence to go on with: long enough to tell words from random tokens, and to measure the speed."""
    row = tables.load("llm_prompts")["open"]
    return Question("open", row["prompt"], row["tokens"])


def chat() -> Question:
    """A question that goes through the model's chat template."""
    row = tables.load("llm_prompts")["chat"]
    return Question("chat", row["prompt"], row["tokens"], row["expect"])


def long() -> Question:
    """A fact, then more text than one micro-batch of 512 tokens takes, then the question for the fact."""
    row = tables.load("llm_prompts")["long"]
    text = row["start"] + " ".join(f"{number}. " + " ".join(row["filler"]) for number in range(1, row["repeat"] + 1)) + row["end"]
    return Question("long", text, row["tokens"], row["expect"])
