#!/usr/bin/env bash
# Instructions of one whole hook call, by size of the command: repeatable figures where seconds say little. A work that
# is linear shows the same number a byte in every column, once the texts are larger than what a start costs.
#
#   scripts/instructions.sh [PROGRAM]      default: target/release/leastgrant
#
# Needs valgrind (callgrind) and python3. Everything happens in a throwaway home.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/leastgrant}")
[ -x "$program" ] || { echo "no $program: run \`cargo build --release\` first" >&2; exit 2; }
command -v valgrind >/dev/null || { echo "no valgrind: install it, or count on another machine" >&2; exit 2; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/project/.git"
env -i HOME="$home" PATH=/usr/bin:/bin SHELL=/bin/bash "$program" init --yes --no-history >"$home/init" 2>&1 || true
python3 -I -S - "$program" "$home" <<'PYTHON'
import json, os, re, subprocess, sys

program, home = sys.argv[1:]
env = {"HOME": home, "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}
texts = {
    "everyday list": "grep -rn 'needle' src | sed -n '1,20p' && git log --oneline -5 -- README.md; ",
    "one here-document": None,
    "open $(": "$(",
    "open backticks": "`",
    "${a:-$(b)} words": "${a:-$(b)} ",
    "quotes": "\"a$b\"'c' ",
    "a long pipe": "a | ",
    "assignments": "a=$b; ",
    "arithmetic": "$((a+1)) ",
    "braces": "{a,b} ",
}
sizes = [1, 4, 16, 64, 256]

def text(name, size):
    if texts[name] is None:
        line = "a line of $text with `x`\n"
        return "cat <<E\n" + line * ((size - 10) // len(line)) + "E\n"
    return (texts[name] * (size // len(texts[name]) + 1))[:size]

def count(command):
    payload = json.dumps({
        "session_id": "11111111-2222-4333-8444-555555555555", "cwd": home + "/project",
        "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "t",
    })
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={home}/out", program, "hook", "claude-code"],
        input=payload.encode(), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    found = re.search(rb"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"callgrind ended with {run.returncode}: {run.stderr[-300:]!r}")
    return int(found.group(1))

floor = count("true")
print(f"a call for `true`: {floor / 1e6:.2f} M instructions; below: instructions a byte above that (millions in all)")
print(f"{'':20}" + "".join(f"{size:>10} kB" for size in sizes))
for name in texts:
    row = []
    for size in sizes:
        used = count(text(name, size * 1024))
        row.append(f"{(used - floor) / (size * 1024):7.0f} ({used / 1e6:.0f})")
    print(f"{name:20}" + "".join(f"{cell:>13}" for cell in row), flush=True)
PYTHON
