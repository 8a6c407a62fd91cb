//! `leastgrant rules`: every rule that counts here, layer by layer, and what of the files cannot be read; `rules test`: which
//! of them decide a call.

use leastgrant_core::rule::{Book, Effect, Layer};
use serde_json::json;

use super::past::{DAY, Here, matched};
use super::rule::{json as as_json, layer, place, styled, with};
use crate::agent::{self, Agent, Decoded, MadeUp};
use crate::exit::Exit;
use crate::ground::Ground;
use crate::render::table::Table;
use crate::render::{Ui, theme, words};

/// Arguments of `rules`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand)]
enum What {
    /// which rules match a command here
    Test {
        /// the command
        command: String,
        /// the agent whose call it would be
        #[arg(long, default_value = "claude-code")]
        agent: String,
    },
}

/// Lists or tests.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match &args.what {
        None => list(ui),
        Some(What::Test { command, agent }) => test(command, agent, ui).unwrap_or_else(|why| {
            ui.error(&why);
            Exit::Usage
        }),
    }
}

fn list(ui: &mut Ui) -> Exit {
    let here = Here::find();
    let policy = here.store.settings_in(here.project.as_deref(), "").policy;
    let (lines, _) = here.lines(here.now - 30 * DAY, true).unwrap_or_default();
    let hits: Vec<usize> = policy.rules.iter().map(|rule| matched(rule, &lines, &here.env).0).collect();
    if ui.json {
        let rules: Vec<_> = policy
            .rules
            .iter()
            .zip(&hits)
            .map(|(rule, hits)| with(as_json(rule), json!({ "matched_in_30_days": hits })))
            .collect();
        ui.json(&json!({ "rules": rules, "problems": policy.problems }));
    } else if policy.rules.is_empty() {
        ui.line("no rules; `leastgrant allow` and `leastgrant deny` write them");
    } else {
        let mut table = Table::new(&["rule", "pattern", "where", "layer", "30 days", "note"]);
        for (rule, hits) in policy.rules.iter().zip(&hits) {
            let style = match rule.effect {
                Effect::Allow => theme::ALLOW,
                Effect::Ask => theme::ASK,
                Effect::Deny => theme::DENY,
            };
            let over = rule.until_ms.is_some_and(|until| until < here.now);
            let idle = rule.layer == Layer::Project && rule.effect == Effect::Allow;
            let state = match (over, idle) {
                (true, _) => "expired",
                (_, true) => "does not count: not trusted",
                _ => layer(rule.layer),
            };
            table.row([
                (if over || idle { theme::DIM } else { style }, rule.effect.id().to_owned()),
                (theme::PLAIN, words::safe(&rule.shown())),
                (theme::DIM, place(rule)),
                (theme::DIM, state.to_owned()),
                (theme::DIM, hits.to_string()),
                (theme::DIM, words::safe(rule.note.as_deref().unwrap_or_default())),
            ]);
        }
        ui.line(table.render(0, ui.width()));
        if policy.rules.iter().any(|rule| rule.layer == Layer::Project && rule.effect == Effect::Allow) {
            ui.hint("`leastgrant trust` lets the project's own rules loosen, as they stand now");
        }
    }
    for problem in &policy.problems {
        ui.warn(problem);
    }
    if policy.problems.is_empty() { Exit::Ok } else { Exit::Bad }
}

fn test(command: &str, name: &str, ui: &mut Ui) -> Result<Exit, String> {
    let here = Here::find();
    let agent: &dyn Agent = agent::named(&[name.into()])?;
    let folder = std::env::current_dir().map_err(|fault| fault.to_string())?;
    let cwd = folder.to_str().ok_or("the folder's name is not UTF-8")?;
    let input = json!({ "command": command });
    let made = MadeUp { session: "check", cwd, mode: "default", tool: agent.shell(), input };
    let Decoded::Pre(call) = agent.decode(agent.compose(&made).to_string().as_bytes(), &here.env) else {
        return Err(String::from("the agent would send no such call"));
    };
    let ground = Ground::of(agent, &here.env, &call);
    let book = Book::open(&ground.policy.rules, &call, &ground.world);
    let actions = leastgrant_core::classify::classify(&call, &ground.world);
    let mut rows = Vec::new();
    for action in &actions {
        let found: Vec<_> =
            [Effect::Deny, Effect::Allow, Effect::Ask].iter().filter_map(|effect| book.find(*effect, action)).collect();
        rows.push((action, found));
    }
    if ui.json {
        let all: Vec<_> = rows
            .iter()
            .map(|(action, rules)| {
                let rules: Vec<_> = rules.iter().map(|rule| as_json(rule)).collect();
                json!({ "action": action.display, "signature": action.signature, "rules": rules })
            })
            .collect();
        ui.json(&all);
        return Ok(Exit::Ok);
    }
    for (action, rules) in &rows {
        ui.line(words::cut(&words::safe(&action.display), ui.width()));
        ui.line(theme::paint(theme::DIM, &format!("  {}", words::safe(&action.signature))));
        if rules.is_empty() {
            ui.line("  no rule matches");
        }
        for rule in rules {
            ui.line(format!(
                "  {} {} {}",
                styled(rule.effect),
                words::safe(&rule.shown()),
                theme::paint(theme::DIM, &format!("({})", layer(rule.layer)))
            ));
        }
    }
    ui.line(theme::paint(
        theme::DIM,
        "deny wins over allow, allow over ask; `leastgrant check` says what else decides",
    ));
    Ok(Exit::Ok)
}
