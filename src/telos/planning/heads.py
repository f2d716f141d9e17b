"""How the kernel's sequences are laid out: what stands where in them, and what its numbers mean."""

from typing import TypeAlias

# How a search ends.
FOUND, UNREACHABLE, SPENT, FULL, ASKS, UNDEFINED = 1, 2, 3, 4, 5, 6

# Instructions of the stack machine.
CONSTANT, NUMBER, FIELD, ADD, SUBTRACT, MULTIPLY, DIVIDE, SMALLER, LARGER, MAGNITUDE = range(10)
EQUAL, DIFFERENT, LESS, AT_MOST, MORE, AT_LEAST, NOT, AND, OR, CALL = range(10, 20)

# Kinds of atoms: a masked comparison of a word, or a number against a constant.
IS, AT_LEAST_ATOM, AT_MOST_ATOM = 0, 1, 2

# The head of a task: six counts, then where each part begins in ``ti`` and, after those, in ``tf``. ``task`` says
# what the parts hold.
WORDS, NUMBERS, OPERATORS, FACTS, GOAL_FACTS, GOAL_TEST_COUNT = range(6)
NEED_MASK, NEED_VALUE, CLEAR, PUT, TEST_FROM, TESTS, WRITE_FROM, WRITES, COST_PROGRAM = range(6, 15)
PROGRAM_FROM, CODE, GOAL_MASK, GOAL_VALUE, GOAL_TESTS = range(15, 20)
ATOM_FROM, ATOMS, SINGLES, NEED_FROM, FACT_NEEDS, TABLE_FROM, RADIX_FROM, RADIX = range(20, 28)
COST, CONSTANTS, ATOM_CONSTANT, WEIGHT, GAIN, ANSWERS = range(28, 34)
TASK_HEAD = 34

# The head of a workspace: how the search stands, how much room there is, and where each part begins.
NODES, HEAP, EXPANDED, GENERATION, CLOSEST, GOAL_NODE, ASKED, FAULTY, LENGTH = range(9)
ROOM, HEAP_ROOM, SLOT_MASK = 9, 10, 11
STATE_WORDS, PARENT, BY, NEXT, HEAP_NODE, SLOT_NODE, SLOT_GENERATION = range(12, 19)
STEPS, MARKS, TO_DO, STATE_NUMBERS, G, H, HEAP_F, HEAP_H, STACK = range(19, 28)
SPACE_HEAD = 28

# Lists here, arrays when compiled.
Ints: TypeAlias = list[int]
Floats: TypeAlias = list[float]
