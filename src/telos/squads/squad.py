"""A squad: who stands together, who leads, and what they are about."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.squads.assignment import Assignment
from telos.squads.member import Member


@dataclass(frozen=True, slots=True)
class Objective:
    """What somebody outside wants of a squad: to advance along nodes, or to search rooms."""

    advance: tuple[str, ...] = ()
    search: tuple[str, ...] = ()

    @classmethod
    def of(cls, said: "Objective | Mapping[str, Iterable[str]]") -> "Objective":
        """Read an objective as scenes write it.

        >>> Objective.of({"advance": ["p1", "p2"]})
        Objective(advance=('p1', 'p2'), search=())
        """
        if isinstance(said, Objective):
            return said
        for key, names in said.items():
            if key not in ("advance", "search"):
                raise TelosError(f"unknown objective {key!r}", name_hint(key, ("advance", "search")))
            if isinstance(names, str):
                raise TelosError(f"objective {key!r} is the text {names!r}", "give a list of names")
        return cls(**{key: tuple(names) for key, names in said.items()})

    def save(self) -> dict[str, list[str]]:
        """Return the objective as plain data."""
        return {"advance": list(self.advance), "search": list(self.search)}


@dataclass(slots=True, eq=False)
class Squad:
    """Members, the leader first, with at most one behaviour between them."""

    name: str
    members: tuple[Member, ...]
    objective: Objective = field(default_factory=Objective)
    assignment: Assignment | None = None
    taken: AbstractSet[str] = field(default=frozenset(), repr=False)  # nodes that are somebody's, on the whole side
    passed_over: dict[str, str] = field(default_factory=dict)  # why it is not each of the other behaviours

    @property
    def leader(self) -> Member:
        """Return who leads."""
        return self.members[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the members, the leader first."""
        return tuple(member.name for member in self.members)

    @property
    def behaviour(self) -> str | None:
        """Return the name of the behaviour under way."""
        return None if self.assignment is None else self.assignment.behaviour

    @property
    def engaged(self) -> bool:
        """Whether the squad is busy with a behaviour, and stays together for it."""
        return self.assignment is not None

    def member(self, name: str) -> Member | None:
        """Return a member by name; None if it is not among the living any more."""
        return next((member for member in self.members if member.name == name), None)

    def why(self) -> str:
        """Say what the squad is doing, who does what, and why it is none of the other behaviours."""
        doing = "no behaviour" if self.assignment is None else f"{self.behaviour}: {self.assignment.why}"
        lines = [f"{self.name} ({', '.join(self.names)}): {doing}"]
        if self.assignment is not None:
            lines += [f"  {name}: {order}" for name, order in self.assignment.orders.items()]
        return "\n".join([*lines, *(f"  not {name}: {reason}" for name, reason in self.passed_over.items())])

    def save(self) -> dict[str, Any]:
        """Return the squad as plain data, its members by name."""
        return {
            "name": self.name,
            "members": list(self.names),
            "objective": self.objective.save(),
            "assignment": None if self.assignment is None else self.assignment.save(),
            "passed_over": dict(self.passed_over),
        }

    @classmethod
    def restored(cls, saved: Mapping[str, Any], members: Mapping[str, Member]) -> "Squad":
        """Return the squad that was saved, with those of its members that are given."""
        return cls(
            saved["name"],
            tuple(members[name] for name in saved["members"] if name in members),
            Objective.of(saved["objective"]),
            None if saved["assignment"] is None else Assignment.restored(saved["assignment"]),
            passed_over=dict(saved["passed_over"]),
        )


def by_rank(members: Iterable[Member]) -> tuple[Member, ...]:
    """Return members in the order of command: the highest rank first, then by name."""
    return tuple(sorted(members, key=lambda member: (-member.rank, member.name)))
