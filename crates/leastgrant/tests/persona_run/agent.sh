#!/bin/bash
# A stand-in for Claude Code: speaks its lines of JSON by a script of steps, and asks the guard that it was given before
# each call, as the agent does. One script for each start: $FAKE/PERSONA.N.
settings= session=
trap "" PIPE # it outlives its conductor, as far as it can
while [ $# -gt 0 ]; do
  case $1 in
    --settings) settings=$2; shift ;;
    --session-id) session=$2; shift ;;
  esac
  shift
done
guard=$(sed -n 's/.*"command":"\(.*\)","onFailure".*/\1/p' "$settings" | sed 's/\\"/"/g; s/\\\\/\\/g')
IFS= read -r first
persona=$(printf '%s' "$first" | sed -n 's/.*\\n\\nPersona: \([a-z0-9-]*\)\\n.*/\1/p')
n=1
while [ -e "$FAKE/$persona.$n.started" ]; do n=$((n + 1)); done
printf '%s\n' "$$" > "$FAKE/$persona.$n.started"
printf '%s\n' "$first" >> "$FAKE/$persona.heard"
printf '%s\n' "$*" >> "$FAKE/args"
said() { printf '{"type":"assistant","parent_tool_use_id":null,"message":{"content":[%s]}}\n' "$1"; }
rests() { printf '{"type":"result","subtype":"success","is_error":false,"result":""}\n'; }
hears() { IFS= read -r line || exit 0; printf '%s\n' "$line" >> "$FAKE/$persona.heard"; }
printf '{"type":"system","subtype":"init","session_id":"%s"}\n' "$session"
while IFS= read -r step <&3; do
  rest=${step#* }
  case ${step%% *} in
    says) said "{\"type\":\"text\",\"text\":$rest}" ;;
    rests) rests; hears ;;
    ends) rests; cat > /dev/null; exit 0 ;;
    call)
      tool=${rest%% *} input=${rest#* }
      id=t$RANDOM$RANDOM
      said "{\"type\":\"tool_use\",\"id\":\"$id\",\"name\":\"$tool\",\"input\":$input}"
      answer=$(printf '{"session_id":"%s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"%s","tool_input":%s,"tool_use_id":"%s"}\n' \
        "$session" "$PWD" "$tool" "$input" "$id" | /bin/sh -c "$guard" 2>> "$FAKE/stderr")
      case $answer in
        *'"deny"'*)
          reason=$(printf '%s' "$answer" | sed -n 's/.*"permissionDecisionReason":"\(.*\)"}}.*/\1/p')
          printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","is_error":true,"content":"%s"}]}}\n' "$id" "$reason"
          printf '%s refused %s %s\n' "$persona" "$tool" "$reason" >> "$FAKE/calls" ;;
        *)
          printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":"done"}]}}\n' "$id"
          printf '%s ran %s %s\n' "$persona" "$tool" "$input" >> "$FAKE/calls" ;;
      esac ;;
    answers)
      # the last call came back with this text
      printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x1","content":%s}]}}\n' "$rest" ;;
    wants) said "{\"type\":\"tool_use\",\"id\":\"x1\",\"name\":\"${rest%% *}\",\"input\":${rest#* }}" ;;
    waits) while [ ! -e "$FAKE/$rest" ]; do sleep 0.02; done ;;
    marks) : > "$FAKE/$rest" ;;
    hangs) sleep 600 & wait ;;
    dies) kill -9 $$ ;;
  esac
done 3< "$FAKE/$persona.$n"
rests
cat > /dev/null
