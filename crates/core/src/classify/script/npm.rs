//! `npm|pnpm|yarn|bun run NAME`: the body in package.json, with its `pre` and `post` scripts.

use leastgrant_shell::Cwd;
use serde_json::Value as Json;

use super::{body, by_name, hash, nearest, quoted};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;

/// The script named by the subcommand (`test`, `start`) or by the first operand of `run`.
pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut operands = parsed.operands.iter().map(|operand| &operand.1);
    let sub = parsed.path.last().copied().unwrap_or_default();
    let named;
    let (task, args): (&Arg, Vec<&Arg>) = if matches!(sub, "run" | "run-script" | "") {
        let Some(task) = operands.next() else {
            // lists the scripts
            draft.become_(crate::action::Capability::Inspect);
            return;
        };
        (task, operands.collect())
    } else {
        named = Arg::text(sub, scene.span);
        (&named, operands.collect())
    };
    let Some(name) = task.exact() else {
        by_name(draft, task);
        return;
    };
    let Some((file, folder)) = nearest(scene.world, &scene.cwd, &["package.json"]) else {
        by_name(draft, task);
        return;
    };
    let Ok(json) = serde_json::from_str::<Json>(&file.text) else {
        draft.opaque(Some(task.span), "package.json cannot be read");
        return;
    };
    let script = |name: &str| json.get("scripts").and_then(|scripts| scripts.get(name)).and_then(Json::as_str);
    let Some(main) = script(name) else {
        by_name(draft, task);
        return;
    };
    let mut text = String::new();
    for part in [script(&format!("pre{name}")), Some(main), script(&format!("post{name}"))].into_iter().flatten() {
        text.push_str(part);
        if part == main {
            append(&mut text, &args);
        }
        text.push('\n');
    }
    let hash = hash(text.as_bytes());
    body(draft, scene, name, text, hash, Cwd::At(folder));
}

/// Arguments go to the end of the script's text.
fn append(text: &mut String, args: &[&Arg]) {
    for arg in args {
        match arg.exact() {
            Some("--") => {}
            Some(known) => {
                text.push(' ');
                text.push_str(&quoted(known));
            }
            None => text.push_str(" \"$LEASTGRANT_UNKNOWN\""),
        }
    }
}
