"""Two ways of asking that a client may offer its user."""

from __future__ import annotations

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from rocmdoctor.share.wash import wash_prose

_END = (" Then answer: what is wrong and how sure that is (a finding of standing `possible` is a question, not an answer), the line or fact it rests on,"
        " what to do first with its command, cost and way back. Name what is not known as not known. Run no command yourself unless I say so.")
_MACHINE = ("Find out what is wrong with the AMD GPU setup of this machine. Call `check`. Read its first finding with `why`, and what it rests on with"
            " `evidence`. If nothing is found but something does fail, ask me for the log and call `explain`.")
_TICKET = ("Read this ticket about an AMD GPU: {paths}. Call `explain` with it. Read the first finding with `why`, look at its lines with `evidence`, and with"
           " `known` whether the named version has a known defect. If the ticket lacks what would decide, say which file or command to ask the writer for.")
MACHINE, TICKET = "diagnose_this_machine", "read_this_ticket"


def listed() -> list[Prompt]:
    """The prompts as a client sees them."""
    return [Prompt(name=MACHINE, title="Diagnose this machine", description="What is wrong with this machine's AMD GPU setup, and what to do first.",
                   arguments=[PromptArgument(name="trouble", description="What does not work, in your words.", required=False)]),
            Prompt(name=TICKET, title="Read this ticket", description="What somebody's files show, and what to ask the writer for.",
                   arguments=[PromptArgument(name="paths", description="Files, folders or archives.", required=True)])]


def made(name: str, arguments: dict[str, str]) -> GetPromptResult:
    """One prompt. Raises ValueError with one line."""
    if name == MACHINE:
        trouble = wash_prose(arguments.get("trouble", ""), 1000)
        text = _MACHINE + (f" What does not work: {trouble}" if trouble else "") + _END
    elif name == TICKET:
        if not arguments.get("paths", "").strip():
            raise ValueError("paths: is needed")
        text = _TICKET.format(paths=wash_prose(arguments["paths"], 1000)) + _END
    else:
        raise ValueError(f"there is no such prompt; there are {MACHINE} and {TICKET}")
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))])
