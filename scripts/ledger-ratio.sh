#!/bin/sh
# What the hook costs with a long history, as a ratio: user+sys of one call with a ledger of 1 GB and 100,000 learned
# signatures against one with an empty state, in one run, round robin. The two ledgers are made by the test `grown`, which
# is ignored otherwise. Prints the ratio; ends with 1 above 1.10.
#
#   scripts/ledger-ratio.sh [PROGRAM] [RUNS] [MEGABYTES] [SIGNATURES]     default: target/release/leastgrant, 300, 1000, 100000
#
# Needs python3 (for wait4). Everything happens in throwaway homes.
set -eu
cd "$(dirname "$0")/.."
program=${1:-target/release/leastgrant}
runs=${2:-300}
[ -x "$program" ] || { echo "no $program: run \`cargo build --release\` first" >&2; exit 2; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/empty/project/.git" "$home/grown/project/.git"
LEASTGRANT_GROWN_HOME="$home/grown" LEASTGRANT_GROWN_MEGABYTES="${3:-1000}" LEASTGRANT_GROWN_SIGNATURES="${4:-100000}" \
    cargo test -q -p leastgrant --test grown -- --ignored --nocapture
ls -l "$home/grown/.leastgrant" | awk '$5 > 1000000 { print $5 / 1e6 " MB", $9 }'
python3 -I -S - "$program" "$runs" "$home" <<'PYTHON'
import json, os, sys

program, runs, home = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
cpu = {"empty": [], "grown": []}
for turn in range(runs + 10):
    for name in cpu:
        root = os.path.join(home, name)
        stdin = os.path.join(root, "call.json")
        if turn == 0:
            with open(stdin, "w") as file:
                json.dump({
                    "session_id": "11111111-2222-4333-8444-555555555555", "cwd": root + "/project",
                    "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
                    "tool_input": {"command": "git status && cargo build"}, "tool_use_id": "t",
                }, file)
        env = {"HOME": root, "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        ]
        pid = os.posix_spawn(program, [program, "hook", "claude-code"], env, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
        if status != 0:
            sys.exit(f"{name}: status {status}")
        if turn >= 10:
            cpu[name].append((used.ru_utime + used.ru_stime) * 1000)

def middle(values):
    values = sorted(values)
    return values[len(values) // 2]

for name, values in cpu.items():
    print(f"{name:8} user+sys ms: min {min(values):.2f}, median {middle(values):.2f}")
ratio = middle(cpu["grown"]) / middle(cpu["empty"])
print(f"ratio of medians: {ratio:.3f} (goal: at most 1.10)")
sys.exit(0 if ratio <= 1.10 else 1)
PYTHON
