//! `leastgrant demo`: a recorded session, played through the real hook process in a throwaway home. It shows what a
//! person would see of each call, and what stands in the ledger afterwards; it ends badly if any answer is not the one
//! that is expected. Must never touch the person's own home, settings or state.

mod play;
mod stage;
mod walk;
mod wired;

use serde::Serialize;

use crate::exit::Exit;
use crate::render::table::Table;
use crate::render::{Ui, theme, words};
use crate::store::{Store, ledger};
use play::Played;
use stage::Stage;

/// Arguments of `demo`.
#[derive(clap::Args)]
pub struct Args {}

/// What a demo showed, for programs.
#[derive(Serialize)]
struct Shown<'a> {
    install: wired::Wired,
    steps: &'a [Played],
    ledger: &'a [serde_json::Value],
    chain_intact: bool,
    without_program: wired::Broken,
    doctor: wired::Examined,
    uninstall: wired::Removed,
    persona: walk::Walked,
    left_behind: bool,
    as_expected: bool,
}

/// Plays and shows.
pub fn run(_: &Args, ui: &mut Ui) -> Exit {
    match show(ui) {
        Ok(true) => Exit::Ok,
        Ok(false) => Exit::Bad,
        Err(why) => {
            ui.error(&why);
            Exit::Bug
        }
    }
}

fn show(ui: &mut Ui) -> Result<bool, String> {
    let stage = Stage::new()?;
    let session = play::Session::recorded()?;
    session.set(&stage)?;
    let mut text = if ui.json { None } else { Some(&mut *ui) };
    if let Some(ui) = &mut text {
        intro(ui);
    }
    let install = wired::install(&stage)?;
    if let Some(ui) = &mut text {
        install.tell(&stage, ui);
    }
    let mut played = Vec::new();
    let mut message = Vec::new();
    for (at, step) in session.steps.iter().enumerate() {
        let width = text.as_ref().map_or(100, |ui| ui.width());
        message = session.message(&stage, step, at);
        let one = play::play(&stage, &install.line, step, &message, width)?;
        if let Some(ui) = &mut text {
            tell(at + 1, &one, ui);
        }
        played.push(one);
    }
    let store = Store::at(stage.state());
    let lines = ledger::read(&store).map_err(|error| format!("the ledger cannot be read: {error}"))?;
    let intact = ledger::verify(&store).is_ok_and(|checked| checked.intact() && checked.torn.is_empty());
    let broken = wired::broken(&stage, &install, &message)?;
    let doctor = wired::examine(&stage)?;
    let removed = wired::uninstall(&stage, &install)?;
    let walked = walk::walk(&stage)?;
    if let Some(ui) = &mut text {
        recorded(&stage, &lines, intact, ui);
        broken.tell(ui);
        doctor.tell(ui);
        removed.tell(ui);
        walked.tell(ui);
    }
    let root = stage.root().to_owned();
    stage.strike()?;
    let left_behind = root.exists();
    let calm = intact && !left_behind && broken.good && doctor.good && removed.good && walked.good;
    let good = calm && played.iter().all(|one| one.good);
    match text {
        Some(ui) => outro(&played, left_behind, ui),
        None => ui.json(&Shown {
            install,
            steps: &played,
            ledger: &lines,
            chain_intact: intact,
            without_program: broken,
            doctor,
            uninstall: removed,
            persona: walked,
            left_behind,
            as_expected: good,
        }),
    }
    Ok(good)
}

fn intro(ui: &mut Ui) {
    ui.heading("a session of Claude Code, call by call");
    for line in words::wrap(
        "In a throwaway home with a small project the starter bundles are accepted and the hook is installed. Then each \
         call goes through the installed command line, as the agent would send it. The agent runs what is allowed, asks \
         its person where the answer is ask, and tells the model why where it is deny.",
        ui.width().min(100),
    ) {
        ui.line(line);
    }
    ui.blank();
}

fn tell(number: usize, one: &Played, ui: &mut Ui) {
    ui.blank();
    ui.line(format!(
        "{} {}",
        theme::paint(theme::DIM, &format!("{number:>2}")),
        theme::paint(theme::STRONG, &one.title)
    ));
    for line in one.shown.lines() {
        ui.line(format!("   {line}"));
    }
    let told = one.told.as_deref().and_then(|text| text.lines().next()).map(words::safe).unwrap_or_default();
    for (n, line) in words::wrap(&told, ui.width().saturating_sub(8).min(100)).iter().enumerate() {
        let mark = if n == 0 { "→ " } else { "  " };
        ui.line(format!("     {}", theme::paint(theme::DIM, &format!("{mark}{line}"))));
    }
    if !one.good {
        ui.error(&format!("expected {}, the hook answered {}", one.expect, one.answer));
    }
}

fn recorded(stage: &Stage, lines: &[serde_json::Value], intact: bool, ui: &mut Ui) {
    ui.blank();
    ui.heading("the ledger afterwards");
    let mut table = Table::new(&["answer", "tier", "what it does", "floors", "call"]);
    for line in lines.iter().filter(|line| line.get("answer").is_some()) {
        let text = |key: &str| line.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
        let list = |key: &str| {
            let all = line.get(key).and_then(|v| v.as_array()).into_iter().flatten();
            all.filter_map(|v| v.as_str()).collect::<Vec<_>>().join(" ")
        };
        let answer = text("answer");
        let style = match answer.as_str() {
            "allow" => theme::GOOD,
            "ask" => theme::WARN,
            "deny" => theme::BAD,
            _ => theme::DIM,
        };
        let tier = line.get("tier").map(ToString::to_string).unwrap_or_default();
        let what = if list("capability").is_empty() { list("reasons") } else { list("capability") };
        let call = words::safe(&stage.shorten(&text("display")));
        table.row([
            (style, answer),
            (theme::PLAIN, tier),
            (theme::PLAIN, words::cut(&what, 24)),
            (theme::PLAIN, words::cut(&list("floors"), 24)),
            (theme::DIM, words::cut(&call, ui.width().saturating_sub(74).max(20))),
        ]);
    }
    ui.line(table.render(2, ui.width()));
    let chain = if intact { "every line follows from the one before" } else { "THE CHAIN IS BROKEN" };
    ui.line(format!("  {}, {chain}", words::count(lines.len(), "line", "lines")));
}

fn outro(played: &[Played], left_behind: bool, ui: &mut Ui) {
    let count = |answer: &str| played.iter().filter(|one| one.answer == answer).count();
    let mut times: Vec<f64> = played.iter().map(|one| one.ms).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    ui.blank();
    ui.line(format!(
        "{}: {} allowed, {} asked, {} refused; half of the hook processes were done in {median:.0} ms",
        words::count(played.len(), "call", "calls"),
        count("allow"),
        count("ask"),
        count("deny"),
    ));
    ui.line(if left_behind { "the throwaway home could not be removed" } else { "the throwaway home is gone" });
}
