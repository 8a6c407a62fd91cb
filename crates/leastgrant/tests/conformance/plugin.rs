//! OpenCode's plugin, run by a JavaScript engine where the machine has one: it lets a call pass on one word alone.

use std::path::Path;
use std::process::Command;

use leastgrant::agent::opencode;

/// Calls the plugin's hook once and prints what became of it.
const DRIVER: &str = r#"
import { Leastgrant } from "./leastgrant.mjs"
const hooks = await Leastgrant({ directory: process.cwd() })
try {
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "ls" } })
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: { command: "ls" } }, {})
  console.log("ran")
} catch (fault) {
  console.log("stopped: " + fault.message)
}
"#;

fn run(folder: &Path, program: &str) -> Option<String> {
    let repair = "Run `leastgrant install opencode`.";
    std::fs::write(folder.join("leastgrant.mjs"), opencode::plugin(program, 1_500, repair)).unwrap();
    std::fs::write(folder.join("driver.mjs"), DRIVER).unwrap();
    let output = Command::new("node").arg("driver.mjs").current_dir(folder).output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

fn script(folder: &Path, name: &str, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\ncat > said\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_plugin_has_each_blank_once_and_keeps_what_is_put_in() {
    for blank in [opencode::PROGRAM, opencode::LIMIT, opencode::REPAIR] {
        assert_eq!(opencode::PLUGIN.matches(blank).count(), 1, "{blank}");
    }
    let made = opencode::plugin("/opt/a \"b\"/leastgrant", 9_000, "say `x`");
    assert!(made.contains(r#"const PROGRAM = "/opt/a \"b\"/leastgrant""#), "{made}");
    assert!(made.contains("const LIMIT = 9000\n") && !made.contains("\"@"), "{made}");
}

#[test]
fn only_a_clear_word_lets_a_call_pass() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let pass = script(at, "pass", r#"echo '{"decision":"pass"}'"#);
    let Some(said) = run(at, &pass) else {
        println!("no JavaScript engine here: the plugin was not run");
        return;
    };
    assert_eq!(said, "ran");
    let sent: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(at.join("said")).unwrap()).unwrap();
    assert_eq!(sent["hook_event_name"], "tool.execute.after");
    assert_eq!((sent["tool_name"].as_str(), sent["tool_input"]["command"].as_str()), (Some("bash"), Some("ls")));
    for (name, body, told) in [
        ("deny", r#"echo '{"decision":"deny","reason":"because"}'"#, "stopped: because"),
        ("silent", "true", "stopped: leastgrant could not judge this call (its answer is not JSON)"),
        (
            "failed",
            r#"echo '{"decision":"pass"}'; exit 1"#,
            "stopped: leastgrant could not judge this call (it ended with 1)",
        ),
        ("killed", "kill -9 $$", "stopped: leastgrant could not judge this call (it ended with SIGKILL)"),
        (
            "odd",
            r#"echo '{"decision":"allow"}'"#,
            "stopped: leastgrant could not judge this call (its answer is not understood)",
        ),
        (
            "twice",
            r#"echo '{"decision":"pass"} {}'"#,
            "stopped: leastgrant could not judge this call (its answer is not JSON)",
        ),
        ("stuck", "exec sleep 30", "stopped: leastgrant could not judge this call (it did not answer in time)"),
    ] {
        let said = run(at, &script(at, name, body)).unwrap();
        assert!(said.starts_with(told), "{name}: {said}");
    }
    let said = run(at, "/nowhere/leastgrant").unwrap();
    assert!(said.starts_with("stopped: leastgrant could not judge this call") && said.contains("ENOENT"), "{said}");
    assert!(said.ends_with("Run `leastgrant install opencode`."), "{said}");
}
