"""Conditions and heads of probes are parsed by one thread at a time."""

import ast
import threading
import time

from rocmdoctor.knowledge import syntax


def test_two_threads_never_parse_at_once(monkeypatch):
    inside, most = [], []
    plain = ast.parse

    def slow(text, mode="exec"):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        inside.pop()
        return plain(text, mode=mode)

    monkeypatch.setattr(ast, "parse", slow)
    threads = [threading.Thread(target=syntax.expression, args=("a == 1",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 4 and max(most) == 1
