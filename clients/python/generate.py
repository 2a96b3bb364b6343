"""Writes the synchronous client, client.py, from the asynchronous one, aio.py.

Run `python generate.py` after a change to aio.py. With --check, it only compares.
"""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "src" / "docent_client"

HEADER = "# Generated from aio.py by generate.py. Do not edit.\n"

REPLACEMENTS = [
    (r"The asynchronous client", "The synchronous client"),
    (r"import asyncio\n", "import time\n"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"import AsyncIterator, Callable, Iterable,", "import Callable, Iterable, Iterator,"),
    (r"from \.conversation import", "from .blocking import"),
    (r"for (\w+) in (.+):\n +yield \1\n", r"yield from \2\n"),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_lines\b", "iter_lines"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync (?=def|for|with)", ""),
    (r"`async with`", "`with`"),
    (r"\bawait ", ""),
]


def synchronous(text: str) -> str:
    """Return the synchronous form of a module."""
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    return HEADER + text


def main() -> None:
    """Write or compare the file."""
    target = PACKAGE / "client.py"
    want = synchronous((PACKAGE / "aio.py").read_text())
    if "--check" not in sys.argv:
        target.write_text(want)
    elif target.read_text() != want:
        sys.exit("client.py differs from aio.py; run: python clients/python/generate.py")


main()
