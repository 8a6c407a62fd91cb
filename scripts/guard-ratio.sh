#!/bin/sh
# What the persona guard costs beside every call of a browser tool, as a ratio: user+sys of the whole process against
# /bin/true, in one run, round robin: with no run, with a navigation inside, with one outside (which also writes an event).
#
#   scripts/guard-ratio.sh [PROGRAM] [RUNS]      default: target/release/leastgrant, 200
#
# Needs python3 (for wait4). Everything happens in a throwaway home.
set -eu
cd "$(dirname "$0")/.."
program=${1:-target/release/leastgrant}
runs=${2:-200}
[ -x "$program" ] || { echo "no $program: run \`cargo build --release\` first" >&2; exit 2; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/idle/.git" "$home/walked/.git" "$home/walked/.leopold/persona/flows"
printf '# checkout\n## Domain allowlist\n- shop.example.com\n' >"$home/walked/.leopold/persona/flows/checkout.md"
printf '{"active": true, "flow": "flows/checkout.md"}\n' >"$home/walked/.leopold/persona/ACTIVE.json"
python3 -I -S - "$program" "$runs" "$home" <<'PYTHON'
import json, os, sys

program, runs, home = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
argv = [program, "hook", "persona", "--agent", "claude-code"]

def subject(project, url):
    folder = os.path.join(home, project)
    path = os.path.join(home, f"{project}-{abs(hash(url))}")
    with open(path, "w") as file:
        json.dump({
            "session_id": "s", "cwd": folder, "hook_event_name": "PreToolUse",
            "tool_name": "mcp__playwright__browser_navigate", "tool_input": {"url": url}, "tool_use_id": "t",
        }, file)
    return argv, path, {"HOME": home, "PATH": "/usr/bin:/bin", "CLAUDE_PROJECT_DIR": folder}

subjects = {
    "/bin/true": (["/bin/true"], "/dev/null", {}),
    "no run": subject("idle", "https://shop.example.com/"),
    "inside": subject("walked", "https://shop.example.com/"),
    "outside": subject("walked", "https://bad.example.org/"),
}
cpu = {name: [] for name in subjects}
for turn in range(runs + 5):
    for name, (command, stdin, env) in subjects.items():
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        ]
        pid = os.posix_spawn(command[0], command, env, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
        if status != 0:
            sys.exit(f"{name}: status {status}")
        if turn >= 5:
            cpu[name].append((used.ru_utime + used.ru_stime) * 1000)

def middle(values):
    values = sorted(values)
    return values[len(values) // 2]

base = middle(cpu["/bin/true"])
print(f"{'':12}{'user+sys ms':>24}{'× /bin/true':>14}")
print(f"{'':12}{'min':>12}{'median':>12}{'median':>14}")
for name, values in cpu.items():
    print(f"{name:12}{min(values):12.2f}{middle(values):12.2f}{middle(values) / base:14.1f}")
PYTHON
