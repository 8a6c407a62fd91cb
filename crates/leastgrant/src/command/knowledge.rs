//! `leastgrant knowledge`: what is believed of a program, from the tables that judge it, and the file to patch.

use leastgrant_core::knowledge::{Effect, Operand, Opt, PROGRAMS, Program, Slot, Style, Sub, Takes, Usage, program};
use serde_json::json;

use crate::exit::Exit;
use crate::render::report::word;
use crate::render::table::Table;
use crate::render::{Ui, theme, words};

/// Arguments of `knowledge`.
#[derive(clap::Args)]
pub struct Args {
    /// a program, and its subcommand: `git push`; none for an overview
    words: Vec<String>,
}

/// Where a family's table stands in the sources.
fn file(family: &str) -> String {
    format!("crates/core/knowledge/programs/{family}.toml")
}

/// Shows what is believed.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let Some((name, rest)) = args.words.split_first() else { return overview(ui) };
    let base = name.rsplit('/').next().unwrap_or(name);
    let Some(entry) = program(base) else {
        let shown = words::safe(base);
        ui.error(&format!("nothing is known of `{shown}`, so a call of it always asks"));
        let near = nearest(base);
        if !near.is_empty() {
            ui.hint(&format!("did you mean `{}`", near.join("`, `")));
        }
        ui.hint("an entry in `crates/core/knowledge/programs/` changes that; CONTRIBUTING.md says how");
        return Exit::Bad;
    };
    let mut usage = &entry.usage;
    let mut path = vec![base];
    for word in rest {
        let Some(sub) = usage.subs.iter().find(|sub| sub.names.contains(&word.as_str())) else {
            ui.error(&format!("`{}` has no subcommand `{}` here", path.join(" "), words::safe(word)));
            return Exit::Bad;
        };
        usage = &sub.usage;
        path.push(word);
    }
    if ui.json {
        ui.json(&json!({
            "program": path.join(" "), "names": entry.names, "about": entry.about, "family": entry.family,
            "file": file(entry.family), "usage": usage_json(usage),
        }));
    } else {
        show(entry, &path.join(" "), usage, ui);
    }
    Exit::Ok
}

fn overview(ui: &mut Ui) -> Exit {
    let mut families: Vec<(&str, Vec<&str>)> = Vec::new();
    for entry in PROGRAMS {
        let name = entry.names.first().copied().unwrap_or_default();
        match families.iter_mut().find(|row| row.0 == entry.family) {
            Some(row) => row.1.push(name),
            None => families.push((entry.family, vec![name])),
        }
    }
    families.sort();
    if ui.json {
        ui.json(&families.iter().map(|row| json!({"family": row.0, "programs": row.1})).collect::<Vec<_>>());
        return Exit::Ok;
    }
    let mut table = Table::new(&[]);
    for (family, programs) in &mut families {
        programs.sort_unstable();
        table.row([(theme::NOTE, (*family).to_owned()), (theme::PLAIN, programs.join(" "))]);
    }
    ui.line(table.render(0, ui.width()));
    ui.blank();
    ui.line(format!("{}; `leastgrant knowledge PROGRAM` shows one", words::count(PROGRAMS.len(), "entry", "entries")));
    Exit::Ok
}

fn show(entry: &Program, name: &str, usage: &Usage, ui: &mut Ui) {
    ui.line(format!("{}  {}", theme::paint(theme::STRONG, name), entry.about));
    let others: Vec<&str> = entry.names.iter().copied().filter(|other| *other != name).collect();
    if !others.is_empty() && !name.contains(' ') {
        ui.line(theme::paint(theme::DIM, &format!("  also {}", others.join(", "))));
    }
    ui.blank();
    let mut table = Table::new(&[]);
    let default = if usage.subs.is_empty() || usage.effect.does.is_some() {
        effect_words(&usage.effect).join("; ")
    } else {
        String::from("by its subcommand")
    };
    let mut row = |label: &str, text: String| {
        if !text.is_empty() {
            table.row([(theme::DIM, label.to_owned()), (theme::PLAIN, text)]);
        }
    };
    row("does", default);
    row("operands", usage.effect.operands.map(operands).unwrap_or_default());
    row("without any", usage.bare.map(|bare| effect_words(&bare.effect).join("; ")).unwrap_or_default());
    row("instead", usage.effect.safer.to_owned());
    row("remarks", remarks(usage).join("; "));
    row("patch", file(entry.family));
    ui.line(table.render(2, ui.width()));
    listing("subcommands", usage.subs.iter().map(|sub| (sub.names, sub_words(sub))), ui);
    listing("options that matter", usage.options.iter().map(|opt| (opt.names, option_words(opt))), ui);
    let plain: Vec<&str> = usage.flags.iter().chain(usage.values).copied().collect();
    if !plain.is_empty() {
        ui.blank();
        ui.heading("options that change nothing");
        for line in words::wrap(&plain.join(" "), ui.width().saturating_sub(2)) {
            ui.line(format!("  {line}"));
        }
    }
}

fn listing<'a>(title: &str, rows: impl Iterator<Item = (&'a [&'a str], Vec<String>)>, ui: &mut Ui) {
    let mut table = Table::new(&[]);
    for (names, says) in rows {
        table.row([(theme::NOTE, names.join(", ")), (theme::PLAIN, says.join("; "))]);
    }
    if !table.is_empty() {
        ui.blank();
        ui.heading(title);
        ui.line(table.render(2, ui.width()));
    }
}

fn sub_words(sub: &Sub) -> Vec<String> {
    let mut says = effect_words(&sub.usage.effect);
    if !sub.usage.subs.is_empty() {
        says.push(words::count(sub.usage.subs.len(), "subcommand", "subcommands"));
    }
    says
}

fn option_words(option: &Opt) -> Vec<String> {
    let mut says = Vec::new();
    match option.takes {
        Takes::Nothing => {}
        Takes::Value(role) => says.push(format!("takes {}", slot(role))),
        Takes::Optional(role) => says.push(format!("may take {}", slot(role))),
    }
    if option.effect.only {
        says.push(String::from("alone decides"));
    }
    says.extend(effect_words(&option.effect));
    if let Some(roles) = option.effect.operands {
        says.push(format!("operands become {}", operands(roles)));
    }
    says
}

/// What an effect says, most telling first.
fn effect_words(effect: &Effect) -> Vec<String> {
    let mut says = Vec::new();
    if !effect.opaque.is_empty() {
        says.push(format!("cannot be accounted for: {}", effect.opaque));
    }
    if let Some(does) = effect.does {
        says.push(format!("{} ({})", words::capability(does), does.id()));
    }
    if let Some(mark) = effect.mark {
        says.push(format!("floor: {}", word(&format!("{mark:?}"))));
    }
    let blast = [
        effect.reach.map(|value| format!("reach {}", word(&format!("{value:?}")))),
        effect.undo.map(|value| format!("undo {}", word(&format!("{value:?}")))),
        effect.exposure.map(|value| word(&format!("{value:?}"))),
        effect.scale.map(|value| word(&format!("{value:?}"))),
    ];
    says.extend(blast.into_iter().flatten());
    if !effect.note.is_empty() {
        says.push(effect.note.to_owned());
    }
    if !effect.code.is_empty() {
        says.push(format!("read by code: {}", effect.code));
    }
    says
}

fn remarks(usage: &Usage) -> Vec<&'static str> {
    let style = match usage.style {
        Style::Gnu => "",
        Style::SingleDash => "options are spelled `-name`",
        Style::OptionsFirst => "options end at the first operand",
        Style::None => "takes no options",
    };
    let other = if usage.subs.is_empty() || usage.other.is_some() { "" } else { "any other subcommand asks" };
    [
        style,
        if usage.strict { "an unknown option asks" } else { "" },
        if usage.production { "words like `prod` in its arguments mean production" } else { "" },
        if usage.elsewhere { "what it wraps runs elsewhere" } else { "" },
        if usage.stdin_code { "standard input is code to it" } else { "" },
        other,
    ]
    .into_iter()
    .filter(|text| !text.is_empty())
    .collect()
}

fn operands(roles: &[Operand]) -> String {
    roles
        .iter()
        .map(|operand| if operand.rest { format!("{}…", slot(operand.role)) } else { slot(operand.role) })
        .collect::<Vec<_>>()
        .join(" ")
}

fn slot(slot: Slot) -> String {
    word(&format!("{slot:?}"))
}

fn usage_json(usage: &Usage) -> serde_json::Value {
    let named = |names: &[&str], says: Vec<String>| json!({"names": names, "says": says});
    json!({
        "says": effect_words(&usage.effect),
        "operands": usage.effect.operands.map(operands),
        "safer": usage.effect.safer,
        "remarks": remarks(usage),
        "subcommands": usage.subs.iter().map(|sub| named(sub.names, sub_words(sub))).collect::<Vec<_>>(),
        "options": usage.options.iter().map(|opt| named(opt.names, option_words(opt))).collect::<Vec<_>>(),
        "flags": usage.flags,
        "values": usage.values,
    })
}

/// Known programs that are spelled nearly like this.
fn nearest(name: &str) -> Vec<&'static str> {
    let mut found: Vec<(usize, &str)> = PROGRAMS
        .iter()
        .flat_map(|entry| entry.names.iter().copied())
        .map(|known| (distance(name, known), known))
        .filter(|row| row.0 <= 2 && row.0 < name.len())
        .collect();
    found.sort_unstable();
    found.into_iter().take(3).map(|row| row.1).collect()
}

/// Edits between two words; words longer than 32 letters are never near.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > 32 || b.len() > 32 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX - 1);
            next.push((at(&row, j) + usize::from(x != y)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("gti", "git"), 2);
        assert_eq!(distance("git", "git"), 0);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn an_unknown_program_says_what_to_do() {
        let mut ui = Ui::memory(false);
        let exit = run(&Args { words: vec!["tiemout".into()] }, &mut ui);
        assert_eq!(exit, Exit::Bad);
        let text = ui.into_text();
        assert!(text.contains("nothing is known of `tiemout`") && text.contains("`timeout`"), "{text}");
    }

    #[test]
    fn an_entry_names_its_file() {
        let mut ui = Ui::memory(false);
        assert_eq!(run(&Args { words: vec!["timeout".into()] }, &mut ui), Exit::Ok);
        let text = ui.into_text();
        assert!(text.contains("crates/core/knowledge/programs/"), "{text}");
        assert!(text.contains("operands"), "{text}");
    }
}
