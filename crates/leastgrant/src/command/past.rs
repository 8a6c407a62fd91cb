//! What the commands that look back share: the project one stands in, times as people write them, recorded calls, bars.

use std::io::IsTerminal as _;
use std::time::{SystemTime, UNIX_EPOCH};

use leastgrant_core::rule::{Book, Rule};

use crate::agent::HookEnv;
use crate::ground::Ground;
use crate::store::line::Line;
use crate::store::{Store, again, ledger};
use crate::world::Real;

/// Milliseconds of a day.
pub const DAY: i64 = 24 * 3600 * 1000;

/// Where a command that looks back stands.
pub struct Here {
    /// the environment
    pub env: HookEnv,
    /// our state
    pub store: Store,
    /// the project's root, if one stands in one
    pub project: Option<String>,
    /// milliseconds since 1970
    pub now: i64,
}

impl Here {
    /// Finds it, and takes what happened since the last time into what was learned.
    #[must_use]
    pub fn find() -> Self {
        let env = HookEnv::of_process();
        let store = Store::at(Real::state(&env));
        let folder = std::env::current_dir().ok().and_then(|path| Some(path.to_str()?.to_owned())).unwrap_or_default();
        let project = Real::project_of(&env, &folder);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        let _ = store.collect(&env, now);
        Self { env, store, project, now }
    }

    /// Lines since a time, of the project or of all, and how many lines in between were torn.
    ///
    /// # Errors
    /// In words: the ledger cannot be read.
    pub fn lines(&self, since: i64, all: bool) -> Result<(Vec<Line>, usize), String> {
        let (mut lines, torn) =
            ledger::since(&self.store, since).map_err(|fault| format!("the ledger cannot be read: {fault}"))?;
        if let (false, Some(project)) = (all, &self.project) {
            lines.retain(|line| line.project == *project);
        }
        lines.sort_by_key(|line| line.at);
        Ok((lines, torn))
    }
}

/// `30m`, `6h`, `7d`, `2w`, `6mo` in milliseconds.
///
/// # Errors
/// It is none of these, or longer than ten years.
pub fn span(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is no length of time: write `30m`, `6h`, `7d`, `2w` or `6mo`");
    let at = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(at).ok_or_else(wrong)?;
    let count: i64 = digits.parse().map_err(|_| wrong())?;
    let unit = match unit {
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => DAY,
        "w" => 7 * DAY,
        "mo" => 30 * DAY,
        "y" => 365 * DAY,
        _ => return Err(wrong()),
    };
    count.checked_mul(unit).filter(|span| (1..=3653 * DAY).contains(span)).ok_or_else(wrong)
}

/// A share as a bar; nothing in a pipe, where the number beside it says the same.
#[must_use]
pub fn bar(share: f64, width: u16) -> String {
    if !std::io::stdout().is_terminal() {
        return String::new();
    }
    drawn(share, width)
}

fn drawn(share: f64, width: u16) -> String {
    let full = (share.clamp(0.0, 1.0) * f64::from(width)).round();
    (0..width).map(|at| if f64::from(at) < full { '█' } else { '░' }).collect::<String>() + " "
}

/// `12:30:05` of a day, or the day itself.
#[must_use]
pub fn clock(at_ms: i64, form: &str) -> String {
    let Ok(stamp) = jiff::Timestamp::from_millisecond(at_ms) else { return String::from("?") };
    stamp.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime(form).to_string()
}

/// How many calls of these lines a rule would have matched, and examples of them.
#[must_use]
pub fn matched(rule: &Rule, lines: &[Line], env: &HookEnv) -> (usize, Vec<String>) {
    let (mut count, mut shown) = (0, Vec::new());
    for line in lines.iter().filter(|line| line.event == "call") {
        let hit = match again::call(line, env) {
            Some((agent, call, _)) => {
                let ground = Ground::of(agent, env, &call);
                let rules = std::slice::from_ref(rule);
                let book = Book::open(rules, &call, &ground.world);
                let actions = leastgrant_core::classify::classify(&call, &ground.world);
                let hits = actions.iter().filter(|action| book.find(rule.effect, action).is_some()).count();
                if rule.effect == leastgrant_core::rule::Effect::Allow {
                    hits == actions.len() && hits > 0
                } else {
                    hits > 0
                }
            }
            None => line.signatures.iter().any(|signature| rule.is_shape(signature)) || rule.is_text(&line.display),
        };
        if hit {
            count += 1;
            if shown.len() < 3 && !shown.contains(&line.display) {
                shown.push(line.display.clone());
            }
        }
    }
    (count, shown)
}

#[cfg(test)]
mod tests {
    use super::{drawn, span};

    #[test]
    fn times_and_bars() {
        assert_eq!(span("30m"), Ok(1_800_000));
        assert_eq!(span("2w"), Ok(14 * super::DAY));
        for wrong in ["", "m", "0d", "3", "1 d", "-1d", "99999999999999999999d", "11y", "1é"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert_eq!(drawn(0.5, 4), "██░░ ");
        assert_eq!(drawn(7.0, 2), "██ ");
    }
}
