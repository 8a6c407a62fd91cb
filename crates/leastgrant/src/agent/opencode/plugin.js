// leastgrant: written by `leastgrant install opencode`; `leastgrant uninstall opencode` removes it.
//
// Every tool call is shown to the program before it runs. Only a clear word lets it pass; a refusal, an answer that is not
// understood, and any failure to get one stop it. Nothing in here may throw while the file is being loaded: a plugin that
// does not load guards nothing.

const PROGRAM = "@program@"
const LIMIT = "@limit@"
const REPAIR = "@repair@"

async function say(message) {
  const { spawn } = await import("node:child_process")
  return await new Promise((done) => {
    const gone = (why) => done({ why })
    let program
    try {
      program = spawn(PROGRAM, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    } catch (fault) {
      return gone(String(fault))
    }
    const timer = setTimeout(() => {
      program.kill("SIGKILL")
      gone("it did not answer in time")
    }, LIMIT)
    let said = ""
    program.on("error", (fault) => (clearTimeout(timer), gone(String(fault))))
    program.on("close", (code, signal) => {
      clearTimeout(timer)
      code === 0 ? done({ said }) : gone(`it ended with ${signal ?? code}`)
    })
    program.stdout.setEncoding("utf8")
    program.stdout.on("data", (piece) => (said += piece))
    program.stdin.on("error", () => {})
    program.stdin.end(JSON.stringify(message))
  })
}

function refuse(why) {
  throw new Error(`leastgrant could not judge this call (${why}), so it does not run. ${REPAIR}`)
}

export const Leastgrant = async (agent) => {
  const message = (event, call, args) => ({
    session_id: call.sessionID,
    call_id: call.callID,
    cwd: agent.directory,
    hook_event_name: event,
    tool_name: call.tool,
    tool_input: args ?? {},
  })
  return {
    "tool.execute.before": async (call, output) => {
      let answer
      try {
        answer = await say(message("tool.execute.before", call, output.args))
      } catch (fault) {
        refuse(fault)
      }
      if (answer.why) refuse(answer.why)
      let word
      try {
        word = JSON.parse(answer.said)
      } catch {
        refuse("its answer is not JSON")
      }
      if (word?.decision === "pass") return
      if (word?.decision === "deny" && word.reason) throw new Error(word.reason)
      refuse("its answer is not understood")
    },
    "tool.execute.after": async (call) => {
      try {
        await say(message("tool.execute.after", call, call.args))
      } catch {
        // the call has run, and what it gave is not ours to lose
      }
    },
  }
}
