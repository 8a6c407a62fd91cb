//! Agents started with their guards off, by flag or by environment.

use super::content::is_on;
use super::table::Form;
use super::{RECORDS, Record};

/// Why starting this program with these arguments leaves an agent's hooks or questions off (in words). `program` is
/// the name without folder.
#[must_use]
pub fn agent_off_switch(program: &str, args: &[&str]) -> Option<String> {
    let record = started(program)?;
    let switches = || record.off_switches.iter();
    let words = |name: &str, hooks: bool| {
        let what = if hooks { "its hooks off" } else { "its questions off" };
        format!("starts {} with {what} (`{name}`)", record.name)
    };
    for (at, arg) in args.iter().enumerate() {
        if *arg == "--" {
            break;
        }
        let (name, joined) = arg.split_once('=').map_or((*arg, None), |(name, value)| (name, Some(value)));
        for switch in switches().filter(|switch| switch.name == name || switch.name == *arg) {
            let hit = match switch.form {
                Form::Flag => joined.is_none_or(|value| value != "false") || switch.name == *arg,
                Form::FlagValue => {
                    joined.or_else(|| args.get(at + 1).copied()).is_some_and(|value| same_value(switch.is, value))
                }
                Form::Setting | Form::Env => false,
            };
            if hit {
                return Some(words(switch.name, switch.hooks));
            }
        }
        // `-sdanger-full-access`, `-cfeatures.hooks=false`
        let short = switches().filter(|switch| switch.form == Form::FlagValue && switch.name.len() == 2);
        if let Some(switch) = short.into_iter().find(|switch| {
            arg.strip_prefix(switch.name).is_some_and(|value| !value.is_empty() && same_value(switch.is, value))
        }) {
            return Some(words(switch.name, switch.hooks));
        }
        let inline = matches!(name, "--settings" | "-c" | "--config");
        let text = joined.or_else(|| args.get(at + 1).copied());
        if let Some(text) = text.filter(|_| inline).and_then(super::text_disarms) {
            return Some(format!("starts {} and {text}", record.name));
        }
    }
    None
}

/// Why a variable of this value leaves an agent's hooks or questions off; a value of none is one that is not known.
#[must_use]
pub fn agent_off_switch_env(name: &str, value: Option<&str>) -> Option<String> {
    for record in RECORDS {
        let moves = record.home_env.contains(&name).then_some("moves its configuration, and its hooks with it");
        let switch = record.off_switches.iter().find(|switch| {
            switch.form == Form::Env && switch.name == name && value.is_none_or(|value| is_on(switch.is, value))
        });
        let what = moves.or_else(|| {
            switch.map(|switch| if switch.hooks { "switches its hooks off" } else { "switches its questions off" })
        });
        if let Some(what) = what {
            return Some(format!("`{name}` of {} {what}", record.name));
        }
    }
    None
}

/// The same for a variable that means something only to a program that is an agent: another home is another
/// configuration.
#[must_use]
pub fn agent_env_moves(program: &str, name: &str) -> Option<String> {
    let record = started(program)?;
    let home = matches!(name, "HOME" | "USERPROFILE" | "XDG_CONFIG_HOME" | "XDG_DATA_HOME");
    home.then(|| format!("starts {} with another home (`{name}`), without its hooks", record.name))
}

fn started(program: &str) -> Option<&'static Record> {
    let name = program.strip_suffix(".exe").or_else(|| program.strip_suffix(".cmd")).unwrap_or(program);
    RECORDS.iter().find(|record| record.programs.contains(&name))
}

fn same_value(wanted: &str, value: &str) -> bool {
    let plain: String =
        value.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'')).collect();
    plain.eq_ignore_ascii_case(wanted)
}
