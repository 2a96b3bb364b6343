"""Runs the code blocks of pages about clients. Each block has at most six lines."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

GO = """package main

import (
	"context"
	"fmt"

	"docent/client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
"""


def go(code):
    folder = tempfile.mkdtemp(dir=os.environ["CLIENTS"])
    pathlib.Path(folder, "main.go").write_text(GO + code + "}\n")
    return ["go", "-C", os.environ["HERE"], "run", folder + "/main.go"]


commands = {
    "python": lambda code: [sys.executable, "-c", code],
    "js": lambda code: ["node", "--input-type=module", "-e", code],
    "sh": lambda code: ["bash", "-c", code],
    "go": go,
}
address = os.environ["BASE"].removesuffix("/v1").removeprefix("http://")
terminal, _ = os.pipe()  # stays open, as a terminal does
want, pages = int(sys.argv[1]), sys.argv[2:]
ran = 0
for page in pages:
    for heading, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", pathlib.Path(page).read_text(), re.M | re.S):
        for language, code in re.findall(r"^```(\w+)\n(.*?)^```", body, re.M | re.S):
            if sum(1 for line in code.splitlines() if line) > 6:
                sys.exit(f"{heading}: the block has more than six lines")
            code = code.replace("127.0.0.1:8765", address).replace("TOKEN", os.environ["TOKEN"])
            done = subprocess.run(commands[language](code), stdin=terminal, capture_output=True, text=True, cwd=os.environ["CLIENTS"], timeout=300)
            if done.returncode or "noon" not in done.stdout:
                sys.exit(f"{heading}: {done.stdout}{done.stderr}")
            print("ok   page:", heading)
            ran += 1
if ran != want:
    sys.exit(f"{ran} blocks ran, want {want}")
