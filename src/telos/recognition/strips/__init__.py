"""Recognition by planning on compact STRIPS: the public problems of the field, read, grounded and recognised."""

from telos.recognition.strips.problem import StripsAction, StripsGoal, StripsProblem, strips_problem
from telos.recognition.strips.recognize import GoalCost, PlanReading, recognize

__all__ = ["GoalCost", "PlanReading", "StripsAction", "StripsGoal", "StripsProblem", "recognize", "strips_problem"]
