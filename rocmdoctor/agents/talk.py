"""One question to one server, and what of its answer holds. Server and model may be sick or hostile: all is bounded, and nothing is believed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from types import ModuleType

from rocmdoctor import later
from rocmdoctor.agents import question
from rocmdoctor.agents.answer import judge
from rocmdoctor.agents.package import MOST, Material, Package
from rocmdoctor.agents.terms import Vouched
from rocmdoctor.agents.tokens import tokens
from rocmdoctor.facts.sections import Opinion
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.llm.answer import Answer
from rocmdoctor.llm.check import choose_model, recognise
from rocmdoctor.llm.client import Client, Failed
from rocmdoctor.share.wash import wash

_REFUSED = (400, 413, 422, 500, 501)  # statuses of servers that do not take a question as it is
_TOO_LONG = later.pattern(r"context|n_ctx|too long|maximum length|too many tokens", re.IGNORECASE)
_CONTEXT = later.pattern(r"(?:n_ctx|context(?: length| size| window)?|maximum(?: context)?(?: length)?)\W{0,4}(?:\w+\s+){0,3}\W{0,3}(\d{3,7})", re.IGNORECASE)
_ROUNDS = 4  # questions at most: as it is, shorter, with a simpler schema, without one


def opinion(client: Client, place: str, material: Material, book: Rulebook, wanted: str, remote: bool, told: Callable[[str], None],
            heard: Callable[[str], None]) -> Opinion:
    """What the model at ``place`` says; its ``problem`` says why it says nothing.

    ``wanted`` is the model's name ("": the first one), ``remote`` whether words may leave this machine; ``told`` gets a line before
    anything is sent, ``heard`` the words as they come.
    """
    began = time.monotonic()
    found = Opinion("", wash(place), wash(wanted, 80), 0.0)
    try:
        module = recognise(client)
        found.server = module.NAME
        model = _chosen(client, module, wanted, remote)
        found.model = wash(model, 80)
        package, answer = _asked(client, module, model, material, lambda words: told(f"asking {found.model} at {found.place}: {words}"), heard)
        judge(answer.content or answer.text, package, Vouched(package.text, book), found)
        if found.problem and not answer.ended:
            found.problem += "; its answer did not end before the deadline"
    except Failed as failed:
        found.problem = wash(f"{failed}")
    found.seconds = round(time.monotonic() - began, 1)
    return found


def _chosen(client: Client, module: ModuleType, wanted: str, remote: bool) -> str:
    """The model to ask. One that a server on this machine passes on to another machine counts as remote. Raises :class:`Failed`."""
    elsewhere = getattr(module, "elsewhere", None)
    model = choose_model(client, module, wanted)
    if remote or elsewhere is None or not (host := elsewhere(client, model)):
        return model
    here = next((str(name) for name in module.models(client) if not elsewhere(client, str(name))), "")
    if wanted or not here:
        raise Failed(f"passes questions to {model[:60]} on to {host[:60]}; --ask-remote allows that")
    return here


def _asked(client: Client, module: ModuleType, model: str, material: Material, told: Callable[[str], None],
           heard: Callable[[str], None]) -> tuple[Package, Answer]:
    """The package that was sent and the answer. A server that refuses is asked again: shorter, with a simpler schema, without one."""
    context = module.context(client, model) or question.CONTEXT
    form = 0
    for left in reversed(range(_ROUNDS)):
        most, answer = question.room(context)
        if most < question.LEAST:
            raise Failed(f"has a context of {context} tokens, too small for a question")
        package = material.package(min(most, MOST))
        prompt = question.question(package.text)
        schemas = question.schemas(package.evidence, [*package.fixes, *package.candidates])
        told(f"at most {tokens(prompt)} tokens, {client.left():.0f} s")
        try:
            return package, module.converse(client, model, prompt, answer, client.left(), schemas[form], min(context, question.CONTEXT), heard)
        except Failed as failed:
            smaller = _smaller(failed, context)
            if not left or failed.status not in _REFUSED or not smaller and schemas[form] is None:
                raise
            if smaller:
                context = smaller
            else:
                form += 1
    raise Failed("refused every form of the question")


def _smaller(failed: Failed, context: int) -> int:
    """The context that a server names in its refusal, or half of what was thought; 0 where it refused for another reason."""
    said = f"{failed} {failed.detail}"
    if not _TOO_LONG.search(said):
        return 0
    named = [number for number in map(int, _CONTEXT.findall(said)) if question.LEAST < number < context]
    return min(named, default=context // 2)
