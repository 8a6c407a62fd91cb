#!/usr/bin/env bash
# Breaks leastgrant on purpose, one way at a time, and checks that `leastgrant verify claude-code` turns the right rows
# red and leaves the others green. Without this, green rows would prove little.
#
#   live/broken.sh PROGRAM CLAUDE
set -euo pipefail
real=$(realpath "$1")
claude=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# broken NAME: a program that is the real one but for what its standard input says about `hook` and `install`
broken() {
    {
        printf '#!/bin/sh\nreal=%s\n' "'$real'"
        cat
        printf 'exec "$real" "$@"\n'
    } >"$work/$1"
    chmod 755 "$work/$1"
}

# check NAME RED GREEN: claims that must drift and claims that must hold
check() {
    local name=$1 red=$2 green=$3 only=() out status=0 claim
    for claim in $red $green; do only+=(--only "$claim"); done
    out=$(HOME=$work LEASTGRANT_HOME=$work/state timeout 300 "$real" verify claude-code --agent-bin "$claude" \
        --program "$work/$name" --no-color "${only[@]}" 2>/dev/null) || status=$?
    printf '== %s: exit code %s\n%s\n\n' "$name" "$status" "$out"
    for claim in $red; do
        grep -Eq "^drift +$claim( |\$)" <<<"$out" || { printf 'NOT RED: %s\n' "$claim"; failed=1; }
    done
    for claim in $green; do
        grep -Eq "^ok +$claim( |\$)" <<<"$out" || { printf 'NOT GREEN: %s\n' "$claim"; failed=1; }
    done
    [ "$status" = 1 ] || { printf 'NOT 1: %s\n' "$status"; failed=1; }
}

broken hook-crashes <<'E2'
case $1 in
hook) kill -9 $$ ;;
install) exec "$real" "$@" --program "$0" ;;
esac
E2
broken hook-crashes-later <<'E2'
case $1 in
hook) if [ -e "$HOME/shop/.installed" ]; then kill -9 $$; fi ;;
install)
    "$real" "$@" --program "$0" || exit
    : >"$HOME/shop/.installed"
    exit 0
    ;;
esac
E2
broken no-fallback <<'E2'
if [ "$1" = install ]; then
    "$real" "$@" --program "$0" || exit
    exec sed -zi 's/,[[:space:]]*"onFailure": "block"//g; s/ || { printf [^}]*exit 2; }//g' "$HOME/.claude/settings.json"
fi
E2
broken misses-mcp <<'E2'
if [ "$1" = install ]; then
    "$real" "$@" --program "$0" || exit
    exec sed -zi 's/\("PreToolUse": \[[[:space:]]*{[[:space:]]*"matcher": \)"\*"/\1"Bash|Read|Write|Edit"/' "$HOME/.claude/settings.json"
fi
E2

check hook-crashes "product.session wired.missing" "deny.mcp"
check hook-crashes-later "product.session product.mcp" "wired.missing wired.killed deny.mcp"
check no-fallback "wired.missing wired.killed wired.hangs product.session" "product.mcp deny.mcp"
check misses-mcp "product.mcp wired.missing" "product.session deny.mcp"
exit "$failed"
