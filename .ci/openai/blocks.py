"""Runs the code blocks of docs/how-to/openai-clients.md. Each block has at most six lines."""

import os
import pathlib
import re
import subprocess
import sys

page = pathlib.Path(sys.argv[1]).read_text()
address = os.environ["BASE"].removesuffix("/v1").removeprefix("http://")
commands = {
    "python": lambda code: [sys.executable, "-c", code],
    "js": lambda code: ["node", "--input-type=module", "-e", code],
    "sh": lambda code: ["bash", "-c", code],
}
ran = 0
for heading, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.M | re.S):
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```", body, re.M | re.S):
        if sum(1 for line in code.splitlines() if line) > 6:
            sys.exit(f"{heading}: the block has more than six lines")
        code = code.replace("127.0.0.1:8765", address).replace("TOKEN", os.environ["TOKEN"])
        done = subprocess.run(commands[language](code), capture_output=True, text=True, cwd=os.environ["CLIENTS"], timeout=300)
        if done.returncode or "noon" not in done.stdout:
            sys.exit(f"{heading}: {done.stdout}{done.stderr}")
        print("ok   page:", heading)
        ran += 1
if ran != 7:
    sys.exit(f"{ran} blocks ran, want 7")
