"""``dataclass`` of the standard library for short runs: the ``__init__`` of a class is written when some instances have been made.

The library compiles up to seven functions for every class that is imported, and most of them are never called in a run. Only what is
used here is offered: classes with slots. ``fields``, ``replace`` and ``asdict`` of the library work on them.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import asdict as asdict
    from dataclasses import astuple as astuple
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
else:
    from dataclasses import _FIELD, MISSING, FrozenInstanceError, astuple, field, fields, replace  # noqa: F401 - for those who import from here

    def asdict(made):
        """As :func:`dataclasses.asdict`, for what is kept in records of ours: text is not copied, and neither is what cannot be changed."""
        return {name: _apart(getattr(made, name)) for name in made.__dataclass_fields__}

    def _apart(value):
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is list or kind is tuple:
            return kind([_apart(each) for each in value])
        if isinstance(value, dict):
            return {_apart(key): _apart(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):  # of a class of its own
            return kind(*map(_apart, value)) if hasattr(kind, "_fields") else kind(map(_apart, value))
        return asdict(value) if hasattr(kind, "__dataclass_fields__") else copy.deepcopy(value)

    _ATOMS = frozenset({str, int, float, bool, bytes, type(None)})

    def dataclass(*, slots, frozen=False, eq=True):
        """As :func:`dataclasses.dataclass`; ``slots`` is always true."""
        assert slots

        def decorate(cls):
            space = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
            inherited = {name: part for base in reversed(cls.__mro__[1:]) for name, part in base.__dict__.get("__dataclass_fields__", {}).items()}
            own_parts = []
            for name, kind in space.get("__annotations__", {}).items():
                given = space.pop(name, MISSING)
                part = given if hasattr(given, "default_factory") else field(default=given)
                part.name, part.type, part._field_type = name, kind, _FIELD
                own_parts.append(part)
            parts = [*({**inherited, **{part.name: part for part in own_parts}}).values()]

            names = tuple(part.name for part in parts)
            left = iter(range(_FEW))

            def __init__(self, /, *given, **named):
                if next(left, None) is None or not _filled(self, parts, dict(zip(names, given, strict=False)), named, len(given)):
                    made.__init__ = _initializer(made, parts, frozen)
                    made.__init__(self, *given, **named)

            slots_ = tuple(part.name for part in own_parts if part.name not in inherited)
            own = {"__init__": __init__, "__slots__": slots_, "__match_args__": names, "__dataclass_fields__": {part.name: part for part in parts}}
            made = type(cls)(cls.__name__, cls.__bases__, {**_methods(parts, frozen, eq), **space, **own})
            made.__qualname__ = cls.__qualname__
            return made
        return decorate

    _FEW = 16  # instances that cost as little one by one as an ``__init__`` that is written for them

    def _filled(made, parts, values, named, given):
        """Give a new instance its values; False, and nothing is done, where they are not what the class takes."""
        values.update(named)
        if len(values) != given + len(named):
            return False
        for part in parts:
            if part.name not in values:
                if part.default is not MISSING:
                    values[part.name] = part.default
                elif part.default_factory is not MISSING:
                    values[part.name] = part.default_factory()
                else:
                    return False
        if len(values) != len(parts):
            return False
        for name, value in values.items():
            object.__setattr__(made, name, value)
        if hasattr(made, "__post_init__"):
            made.__post_init__()
        return True

    def _initializer(cls, parts, frozen):
        """The ``__init__`` of a class."""
        known, takes, body = {"set_": object.__setattr__, "MISSING": MISSING}, ["self"], []
        for part in parts:
            name = value = part.name
            if part.default is not MISSING:
                known[f"default_{name}"] = part.default
                takes.append(f"{name}=default_{name}")
            elif part.default_factory is not MISSING:
                known[f"make_{name}"] = part.default_factory
                takes.append(f"{name}=MISSING")
                value = f"make_{name}() if {name} is MISSING else {name}"
            else:
                takes.append(name)
            body.append(f" set_(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append(" self.__post_init__()")
        exec("\n".join([f"def __init__({', '.join(takes)}):", *body]), known)
        made = known["__init__"]
        made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
        return made

    def _methods(parts, frozen, eq):
        """The others, which need no code of their own."""
        compared = [part.name for part in parts if part.compare]
        shown = [part.name for part in parts if part.repr]

        def values(of):
            return tuple([getattr(of, name) for name in compared])

        def __repr__(self):
            return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"

        def __eq__(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):
            return hash(values(self))

        def __setattr__(self, name, value):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name):
            raise FrozenInstanceError(f"cannot delete field {name!r}")

        def __getstate__(self):
            return [getattr(self, part.name) for part in parts]

        def __setstate__(self, state):
            for part, value in zip(parts, state, strict=True):
                object.__setattr__(self, part.name, value)

        found = {"__repr__": __repr__}
        if eq:
            found.update(__eq__=__eq__, __hash__=__hash__ if frozen else None)
        if frozen:
            found.update(__setattr__=__setattr__, __delattr__=__delattr__, __getstate__=__getstate__, __setstate__=__setstate__)
        return found
