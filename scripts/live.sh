#!/usr/bin/env bash
# Runs the pinned agents against this checkout's leastgrant: every claim of live/scenarios on Claude Code and Codex,
# without a model account and without a network. The agents are installed into a cache outside the checkout; if they
# can't be, this fails and says so. Bounded to ten minutes.
#
#   scripts/live.sh                     both agents
#   scripts/live.sh codex --only deny   one of them, with arguments of `leastgrant verify`
#
# LEASTGRANT_LIVE_CACHE   where the agents are kept (default: $XDG_CACHE_HOME or ~/.cache, leastgrant-live)
# LEASTGRANT_BIN          the program to verify (default: this checkout's debug build)
# RECEIPTS                a folder that gets the receipts (default: none)
set -euo pipefail
cd "$(dirname "$0")/.."

limit=600
begun=$SECONDS
left() { echo $((limit - (SECONDS - begun))); }
fail() {
    printf 'live: %s\n' "$1" >&2
    exit 1
}

for tool in npm node unshare ip script timeout sha256sum; do
    command -v "$tool" >/dev/null || fail "\`$tool\` is missing, and without it the agents can't be run"
done

cache=${LEASTGRANT_LIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/leastgrant-live}
pinned=$(sha256sum live/agents/package.json live/agents/package-lock.json | sha256sum | cut -c1-16)
agents=$cache/$pinned
if [ ! -e "$agents/.done" ]; then
    rm -rf "$agents"
    mkdir -p "$agents"
    cp live/agents/package.json live/agents/package-lock.json "$agents/"
    printf 'live: installing the pinned agents into %s\n' "$agents"
    # their install scripts are not needed: the programs are in packages of their own
    timeout "$(left)" npm ci --prefix "$agents" --ignore-scripts --no-audit --no-fund --loglevel=error \
        || fail "the pinned agents could not be installed, so nothing was verified"
    touch "$agents/.done"
fi

arch=$(node -p 'process.arch')
claude=$agents/node_modules/@anthropic-ai/claude-code-linux-$arch/claude
codex=$agents/node_modules/.bin/codex
for program in "$claude" "$codex"; do
    [ -x "$program" ] || fail "\`$program\` is not there after the installation, so nothing was verified"
done

bin=${LEASTGRANT_BIN:-}
if [ -z "$bin" ]; then
    cargo build --quiet --locked -p leastgrant
    bin=${CARGO_TARGET_DIR:-target}/debug/leastgrant
fi

# what is verified is a home of its own, not that of whoever runs this
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# where the machine forbids a private network the receipts say `not isolated`
isolation=()
if ! unshare --net true 2>/dev/null && ! unshare --user --map-root-user --net true 2>/dev/null; then
    isolation=(--no-netns)
    printf 'live: no private network here: the agents get a loopback address and dead proxies\n'
fi

verify() {
    local agent=$1 program=$2 status=0
    shift 2
    local more=()
    if [ -n "${RECEIPTS:-}" ]; then more+=(--receipt "$RECEIPTS/$agent.json"); fi
    [ "$(left)" -gt 0 ] || fail "ten minutes were over before $agent was verified"
    HOME=$home LEASTGRANT_HOME=$home/.leastgrant timeout "$(left)" \
        "$bin" verify "$agent" --agent-bin "$program" "${isolation[@]}" "${more[@]}" "$@" || status=$?
    case $status in
        0) ;;
        124) fail "ten minutes were over before $agent was verified" ;;
        *) fail "$agent does not do what is recorded (exit code $status)" ;;
    esac
}

case ${1:-all} in
    claude-code) shift && verify claude-code "$claude" "$@" ;;
    codex) shift && verify codex "$codex" "$@" ;;
    all)
        verify claude-code "$claude"
        verify codex "$codex"
        ;;
    *) fail "\`$1\` is not one of claude-code, codex" ;;
esac
printf 'live: done in %d s\n' "$((SECONDS - begun))"
