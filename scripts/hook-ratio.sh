#!/bin/sh
# What one call of the hook costs, as a ratio: user+sys of the whole process against /bin/true, in one run, round robin,
# on `git status` and on a command of 4 kB. Wall time on a busy machine says little, so it is not shown.
#
#   scripts/hook-ratio.sh [PROGRAM] [RUNS]      default: target/release/leastgrant, 200
#
# Needs python3 (for wait4), and GNU time for the peak of memory. Everything happens in a throwaway home.
set -eu
cd "$(dirname "$0")/.."
program=${1:-target/release/leastgrant}
runs=${2:-200}
[ -x "$program" ] || { echo "no $program: run \`cargo build --release\` first" >&2; exit 2; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/project/.git"
env -i HOME="$home" PATH=/usr/bin:/bin SHELL=/bin/bash "$program" init --yes --no-history >"$home/init" 2>&1 ||
    echo "note: \`init\` failed; measured without policy"
python3 -I -S - "$program" "$runs" "$home" <<'PYTHON'
import json, os, sys

program, runs, home = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
env = {"HOME": home, "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}

def payload(name, command):
    path = os.path.join(home, name)
    with open(path, "w") as file:
        json.dump({
            "session_id": "11111111-2222-4333-8444-555555555555", "cwd": home + "/project",
            "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "t",
        }, file)
    return path

line = "grep -rn 'needle' src | sed -n '1,20p' && git log --oneline -5 -- \"$file\"; "
subjects = {
    "/bin/true": (["/bin/true"], "/dev/null"),
    "git status": ([program, "hook", "claude-code"], payload("small", "git status")),
    "4 kB": ([program, "hook", "claude-code"], payload("large", (line * 60)[:4096].rsplit(";", 1)[0])),
}
cpu = {name: [] for name in subjects}
for turn in range(runs + 5):
    for name, (argv, stdin) in subjects.items():
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        ]
        pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
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
if [ -x /usr/bin/time ]; then
    env -i HOME="$home" PATH=/usr/bin:/bin /usr/bin/time -f 'peak memory: %M kB' "$program" hook claude-code \
        <"$home/large" >"$home/answer"
fi
