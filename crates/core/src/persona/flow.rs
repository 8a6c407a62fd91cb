//! Flow files: what a run may visit, for how long, and what it is after. One reader for the hook, the conductor, the
//! doctor and the commands, so that none of them can see another allowlist than the others.
//!
//! Lexical: the first `#` line is the title, `##` lines open sections (matched by the beginning of their text), a fence
//! keeps its `#` lines in the section it stands in, comments are left out. Must never widen the bound: list items in a
//! fence or a comment are examples, and an allowlist with one bad entry is none.

use std::fmt;

use super::allowlist::Allowlist;
use super::visit::{self, Address};

/// A larger file is no flow.
pub const MOST: usize = 256 * 1024;
/// Turns where the flow names no budget.
pub const TURNS: u32 = 40;

/// A section of the grammar, in the order of the template, which is the order of telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// where the persona starts
    EntryPoint,
    /// what it is after
    Goal,
    /// when it has got there
    SuccessCriteria,
    /// the hosts that it may visit
    DomainAllowlist,
    /// what it must never do
    OutOfBounds,
    /// which version it walks
    AppVersionPin,
    /// how many turns it has
    StepBudget,
    /// what else it may do
    Permissions,
}

impl Section {
    /// All of them, required ones first.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::EntryPoint, "Entry point"),
        (Self::Goal, "Goal"),
        (Self::SuccessCriteria, "Success criteria"),
        (Self::DomainAllowlist, "Domain allowlist"),
        (Self::OutOfBounds, "Out of bounds"),
        (Self::AppVersionPin, "App version pin"),
        (Self::StepBudget, "Step budget"),
        (Self::Permissions, "Permissions"),
    ];

    /// Its heading.
    #[must_use]
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// Whether a flow can't be run without it.
    #[must_use]
    pub fn required(self) -> bool {
        !matches!(self, Self::StepBudget | Self::Permissions)
    }

    fn of_heading(heading: &str) -> Option<Self> {
        let lower = heading.to_lowercase();
        Self::ALL.iter().find(|row| lower.starts_with(&row.1.to_lowercase())).map(|row| row.0)
    }
}

/// Something that keeps a file from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// line, from 1; for what is missing, the last line
    pub line: usize,
    /// it is missing, not malformed
    pub missing: bool,
    /// where it belongs; none for the title
    pub section: Option<Section>,
    /// what is wrong, in words
    pub text: String,
    /// what to write instead
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; {}", self.line, self.text, self.fix)
    }
}

/// What may be done beyond https on the usual ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// code in the page
    pub scripts: bool,
    /// searches of the web
    pub web_search: bool,
    /// http
    pub http: bool,
    /// ports besides 80 and 443
    pub ports: Vec<u16>,
}

/// What the guard needs of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// the flow's name
    pub name: String,
    /// where navigation may go
    pub allowlist: Allowlist,
    /// what else
    pub permissions: Permissions,
}

/// A flow that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// name, hosts, permissions
    pub bounds: Bounds,
    /// where the persona starts, as written
    pub entry_point: String,
    /// what it is after
    pub goal: String,
    /// when it has got there, as written
    pub success_criteria: String,
    /// what it must never do, one item each
    pub out_of_bounds: Vec<String>,
    /// which version of the product
    pub app_version_pin: String,
    /// how many turns at most
    pub max_turns: u32,
}

impl Flow {
    /// Reads a flow that is to be run.
    ///
    /// # Errors
    /// Everything that keeps it from being run: what is missing, then the step budget, then the entries.
    pub fn read(text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > MOST {
            return Err(vec![too_large()]);
        }
        let page = Page::read(text);
        let mut problems = page.missing();
        let max_turns = page.turns(&mut problems);
        let bounds = page.bounds(&mut problems);
        page.entry_inside(&bounds, &mut problems);
        if problems.is_empty() {
            Ok(Self {
                bounds,
                entry_point: page.body(Section::EntryPoint),
                goal: page.body(Section::Goal),
                success_criteria: page.body(Section::SuccessCriteria),
                out_of_bounds: page.items(Section::OutOfBounds).map(|item| item.text.to_owned()).collect(),
                app_version_pin: page.body(Section::AppVersionPin),
                max_turns,
            })
        } else {
            Err(problems)
        }
    }

    /// Where the persona starts, if the entry point names an address.
    #[must_use]
    pub fn entry_url(&self) -> Option<String> {
        first_url(&self.entry_point).map(str::to_owned)
    }
}

impl Bounds {
    /// Reads what the guard needs; the other sections may be missing. `file` is the name of the file without `.md`, which
    /// names a flow without title.
    ///
    /// # Errors
    /// There is no allowlist, or one of its entries is no host.
    pub fn read(text: &str, file: &str) -> Result<Self, Problem> {
        if text.len() > MOST {
            return Err(too_large());
        }
        let page = Page::read(text);
        let mut problems = Vec::new();
        let mut bounds = page.bounds(&mut problems);
        if bounds.name.is_empty() {
            file.clone_into(&mut bounds.name);
        }
        // a permission that is not understood permits nothing, which is no reason to close the rest
        problems.retain(|problem| problem.section == Some(Section::DomainAllowlist));
        if bounds.allowlist.is_empty() {
            problems.push(page.absent(Section::DomainAllowlist));
        }
        problems.into_iter().next().map_or(Ok(bounds), Err)
    }

    /// The name in a flow's title, whatever else is wrong with it.
    #[must_use]
    pub fn name_of(text: &str, file: &str) -> String {
        let name = if text.len() > MOST { String::new() } else { Page::read(text).name };
        if name.is_empty() { file.to_owned() } else { name }
    }
}

fn too_large() -> Problem {
    Problem {
        line: 1,
        missing: false,
        section: None,
        text: format!("the file is larger than {} kB", MOST / 1024),
        fix: String::from("keep what is not part of the flow elsewhere"),
    }
}

/// A line of a section.
struct Line<'a> {
    number: usize,
    text: &'a str,
    /// in a fence
    fenced: bool,
}

struct Item<'a> {
    number: usize,
    text: &'a str,
}

/// A file taken apart.
struct Page<'a> {
    name: String,
    sections: Vec<(Section, Vec<Line<'a>>)>,
    /// headings that were seen, with empty sections
    last: usize,
}

impl<'a> Page<'a> {
    fn read(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut page = Self { name: String::new(), sections: Vec::new(), last: 1 };
        let mut titled = false;
        let mut fence: Option<&str> = None;
        let mut comment = false;
        let mut open: Option<usize> = None;
        for (at, line) in text.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            page.last = at + 1;
            let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
            let fenced = fence.is_some();
            if !fenced && hidden(line, &mut comment) {
                continue;
            }
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                _ => {}
            }
            let outside = !fenced && mark.is_none();
            match heading(line).filter(|_| outside) {
                Some((1, text)) => {
                    if !titled {
                        page.name = named(text);
                        titled = true;
                    }
                }
                Some((2, text)) => {
                    open = Section::of_heading(text).filter(|section| !page.has(*section)).map(|section| {
                        page.sections.push((section, Vec::new()));
                        page.sections.len() - 1
                    });
                }
                _ => {
                    if let Some((_, lines)) = open.and_then(|open| page.sections.get_mut(open)) {
                        lines.push(Line { number: at + 1, text: line, fenced: !outside });
                    }
                }
            }
        }
        page
    }

    fn has(&self, section: Section) -> bool {
        self.sections.iter().any(|(known, _)| *known == section)
    }

    fn lines(&self, section: Section) -> &[Line<'a>] {
        self.sections.iter().find(|(known, _)| *known == section).map_or(&[], |(_, lines)| lines)
    }

    fn body(&self, section: Section) -> String {
        let lines: Vec<&str> = self.lines(section).iter().map(|line| line.text).collect();
        lines.join("\n").trim().to_owned()
    }

    fn items(&self, section: Section) -> impl Iterator<Item = Item<'a>> {
        self.lines(section).iter().filter(|line| !line.fenced).filter_map(|line| {
            let rest = line.text.trim_start().strip_prefix(['-', '*'])?;
            let text = rest.strip_prefix(char::is_whitespace)?.trim();
            (!text.is_empty()).then_some(Item { number: line.number, text })
        })
    }

    fn absent(&self, section: Section) -> Problem {
        let label = section.label();
        let (text, fix) = match (self.has(section), section) {
            (_, Section::DomainAllowlist) if self.has(section) => (
                format!("the section `## {label}` lists no host"),
                String::from("add one host a line: `- shop.example.com`"),
            ),
            (true, _) => (format!("the section `## {label}` is empty"), String::from("fill it in")),
            (false, _) => (format!("the section `## {label}` is missing"), format!("add `## {label}`")),
        };
        let line = self.lines(section).first().map_or(self.last, |line| line.number);
        Problem { line, missing: true, section: Some(section), text, fix }
    }

    fn missing(&self) -> Vec<Problem> {
        Section::ALL
            .iter()
            .map(|row| row.0)
            .filter(|section| section.required())
            .filter(|section| match section {
                Section::DomainAllowlist => self.items(*section).next().is_none(),
                section => self.body(*section).is_empty(),
            })
            .map(|section| self.absent(section))
            .collect()
    }

    fn turns(&self, problems: &mut Vec<Problem>) -> u32 {
        let wrong = |number: usize, text: String| Problem {
            line: number,
            missing: false,
            section: Some(Section::StepBudget),
            text,
            fix: String::from("write `max_turns: 40` on a line of its own"),
        };
        for line in self.lines(Section::StepBudget) {
            let trimmed = line.text.trim();
            if let Some(value) = trimmed.strip_prefix("max_turns:") {
                let value = value.trim();
                match value.parse::<u32>() {
                    Ok(turns) if turns > 0 && value.bytes().all(|byte| byte.is_ascii_digit()) => return turns,
                    _ => {
                        problems.push(wrong(
                            line.number,
                            format!("`max_turns` is `{}`, not a positive number", brief(value)),
                        ));
                        return TURNS;
                    }
                }
            }
        }
        let near = self.lines(Section::StepBudget).iter().find(|line| line.text.to_lowercase().contains("max_turns"));
        if let Some(line) = near {
            problems
                .push(wrong(line.number, format!("`{}` is not how a step budget is written", brief(line.text.trim()))));
        }
        TURNS
    }

    fn bounds(&self, problems: &mut Vec<Problem>) -> Bounds {
        let mut bounds = Bounds { name: self.name.clone(), ..Bounds::default() };
        for item in self.items(Section::DomainAllowlist) {
            if let Err(unfit) = bounds.allowlist.add(item.text) {
                problems.push(Problem {
                    line: item.number,
                    missing: false,
                    section: Some(Section::DomainAllowlist),
                    text: brief(&unfit.why),
                    fix: brief(&unfit.fix),
                });
            }
        }
        for item in self.items(Section::Permissions) {
            if !bounds.permissions.add(item.text) {
                problems.push(Problem {
                    line: item.number,
                    missing: false,
                    section: Some(Section::Permissions),
                    text: format!("`{}` is no permission", brief(item.text)),
                    fix: String::from("write `- scripts`, `- web search`, `- http` or `- port 8443`"),
                });
            }
        }
        // what the entry point says outright needs no permission
        for line in self.lines(Section::EntryPoint) {
            if let Some(Address::Web(web)) = first_url(line.text).map(visit::read)
                && bounds.allowlist.holds(&web.host)
            {
                bounds.permissions.http |= web.plain;
                if !bounds.permissions.ports.contains(&web.port) {
                    bounds.permissions.ports.push(web.port);
                }
                break;
            }
        }
        bounds
    }

    fn entry_inside(&self, bounds: &Bounds, problems: &mut Vec<Problem>) {
        if bounds.allowlist.is_empty() {
            return;
        }
        for line in self.lines(Section::EntryPoint) {
            let Some(url) = first_url(line.text) else { continue };
            let host = match visit::read(url) {
                Address::Web(web) if bounds.allowlist.holds(&web.host) => return,
                Address::Web(web) => web.host,
                _ => String::from("an address that can't be read"),
            };
            problems.push(Problem {
                line: line.number,
                missing: false,
                section: Some(Section::EntryPoint),
                text: format!("the entry point leads to `{}`, which is not on the allowlist", brief(&host)),
                fix: String::from("add its host under `## Domain allowlist`, or start elsewhere"),
            });
            return;
        }
    }
}

impl Permissions {
    /// Adds an item; false if it is none.
    fn add(&mut self, item: &str) -> bool {
        let words: Vec<String> = item.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["scripts"] => self.scripts = true,
            ["web", "search"] => self.web_search = true,
            ["http"] => self.http = true,
            ["port", number] => match number.parse::<u16>() {
                Ok(port) if port > 0 => self.ports.push(port),
                _ => return false,
            },
            _ => return false,
        }
        true
    }
}

/// Level and text of a heading: `#` or more, then a blank, then text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let text = rest.strip_prefix(char::is_whitespace)?.trim();
    (level > 0 && !text.is_empty()).then_some((level, text))
}

/// Without a leading `flow` and a dash after it.
fn named(title: &str) -> String {
    let rest = title.get(..4).filter(|word| word.eq_ignore_ascii_case("flow")).and_then(|_| title.get(4..));
    let dashed = rest.and_then(|rest| rest.trim_start().strip_prefix(['\u{2014}', '\u{2013}', '-']));
    dashed.unwrap_or(title).trim().to_owned()
}

/// Whether a line, or its beginning, stands in a comment. Text after a comment's end in the same line counts as hidden.
fn hidden(line: &str, comment: &mut bool) -> bool {
    let was = *comment;
    let mut rest = line;
    let begins = line.trim_start().starts_with("<!--");
    loop {
        let mark = if *comment { "-->" } else { "<!--" };
        let Some((_, after)) = rest.split_once(mark) else { break };
        *comment = !*comment;
        rest = after;
    }
    was || begins
}

/// The first address with http or https in a text.
fn first_url(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let at = ["http://", "https://"].into_iter().filter_map(|scheme| lower.find(scheme)).min()?;
    let rest = text.get(at..)?;
    let end = rest.find(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | '`' | '<' | '>' | ')' | ']'));
    let url = rest.get(..end.unwrap_or(rest.len()))?;
    Some(url.trim_end_matches(['.', ',', ';', ':']))
}

fn brief(text: &str) -> String {
    super::why::bounded(text).chars().take(120).collect()
}
