//! The report as one HTML page that needs nothing beside it: no script, no font, no address; pictures are in it. It is
//! read on a telephone as well: nothing is wider than the screen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::findings;
use super::journal::{Entry, Journal};
use super::report::{self, Report, Wall};
use super::{mask, turn};

/// Bytes of one picture.
pub const LARGEST_PICTURE: usize = 4 * 1024 * 1024;

/// Pictures by persona and path below the persona's folder.
pub type Pictures = BTreeMap<(String, String), Vec<u8>>;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2024;--dim:#5c6570;--line:#d9dee3;--paper:#fff;--card:#f6f8fa;--bad:#b3261e;--warn:#8a5a00;--low:#3f5b75}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--dim:#9aa4ae;--line:#343b42;--paper:#14171a;--card:#1c2126;--bad:#ff8a80;--warn:#ffc46b;--low:#9fc3e6}}\
*{box-sizing:border-box}\
body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}\
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2rem}h3{font-size:1rem;margin:0}\
dl{display:grid;grid-template-columns:minmax(5rem,auto) 1fr;gap:.15rem .75rem;margin:0}dt{color:var(--dim)}dd{margin:0;min-width:0}\
article{border:1px solid var(--line);border-radius:.5rem;background:var(--card);padding:.75rem;margin:.75rem 0}\
.tag{font-size:.75rem;font-weight:700;text-transform:uppercase;letter-spacing:.04em}\
.blocker{color:var(--bad)}.major{color:var(--warn)}.minor{color:var(--low)}\
.ref{color:var(--dim);font-size:.85rem}ul{padding-left:1.1rem;margin:.4rem 0}\
figure{margin:.5rem 0}img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:.25rem}\
details{margin:.4rem 0}summary{cursor:pointer}";

/// The page.
#[must_use]
pub fn html(report: &Report, pictures: &Pictures) -> String {
    let (flow, version) = report.subject();
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<title>Persona run: {flow}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>Persona run: {flow}</h1>\n<dl>\n<dt>date</dt><dd>{date}</dd>\n\
         <dt>app version</dt><dd>{version}</dd>\n<dt>personas</dt><dd>{count}</dd>\n</dl>\n",
        flow = escaped(&flow),
        date = escaped(report.began()),
        version = escaped(&version),
        count = report.readable().count(),
    );
    text.push_str("<h2>Findings</h2>\n");
    if report.walls.is_empty() {
        text.push_str("<p>No findings.</p>\n");
    }
    for (n, wall) in report.walls.iter().enumerate() {
        finding(n + 1, wall, pictures, &mut text);
    }
    text.push_str("<h2>Journeys</h2>\n");
    for (id, journal) in &report.journeys {
        match journal {
            Ok(journal) => journey(id, journal, pictures, &mut text),
            Err(why) => {
                let _ = writeln!(
                    text,
                    "<article><h3>{}</h3><p class=\"blocker\">unreadable: {}</p></article>",
                    escaped(id),
                    escaped(why)
                );
            }
        }
    }
    text.push_str("</body>\n</html>\n");
    text
}

fn finding(number: usize, wall: &Wall, pictures: &Pictures, text: &mut String) {
    let severity = wall.severity.word();
    let step =
        wall.step.as_deref().map_or_else(|| String::from("unlocated"), |step| format!("at step “{}”", escaped(step)));
    let hit = wall.personas();
    let _ = write!(
        text,
        "<article id=\"f{number}\"><p class=\"tag {severity}\">F{number} {severity} {kind}</p>\n<h3>{step}</h3>\n<p>hit by {}: {}</p>\n<ul>\n",
        hit.len(),
        escaped(&hit.iter().copied().collect::<Vec<_>>().join(", ")),
        kind = wall.kind,
    );
    for finding in &wall.findings {
        let _ = write!(
            text,
            "<li>{} <span class=\"ref\">{}/JOURNEY.jsonl line {} ({})</span>",
            escaped(&finding.happened),
            escaped(&finding.persona),
            finding.line,
            turn::shown(finding.turn),
        );
        shown(&finding.persona, &finding.evidence, pictures, text);
        text.push_str("</li>\n");
    }
    text.push_str("</ul></article>\n");
}

fn journey(id: &str, journal: &Journal, pictures: &Pictures, text: &mut String) {
    let (end, detail) = report::end(journal);
    let _ = write!(
        text,
        "<article><h3>{}</h3>\n<p>{} turns, {}</p>\n<p class=\"ref\">{}</p>\n<details><summary>turn by turn</summary>\n<ul>\n",
        escaped(id),
        journal.turns().count(),
        escaped(&end),
        escaped(&detail),
    );
    for (line, entry) in &journal.entries {
        let words = match entry {
            Entry::Turn { number, fields } => {
                let step = text_of(fields, "flow_step").unwrap_or("unlocated");
                let said = fields.get("observed_behavior").and_then(Value::as_object);
                let did = said.and_then(|said| text_of(said, "intended_action"));
                let did = did.or_else(|| text_of(fields, "persona_response")).unwrap_or_default();
                format!("{}, {}: {}", turn::id(*number), escaped(step), escaped(&mask::line(did, 300)))
            }
            Entry::Note(note) => format!("{}: {}", escaped(&note.kind), escaped(&note.detail)),
            Entry::Stop { reason, detail } => format!("stopped, {}: {}", escaped(reason), escaped(detail)),
            Entry::Outcome { outcome, detail } => format!("{}: {}", outcome.word(), escaped(detail)),
        };
        let _ = write!(text, "<li>{words} <span class=\"ref\">line {line}</span>");
        if let Entry::Turn { fields, .. } = entry {
            shown(id, &findings::evidence(fields), pictures, text);
        }
        text.push_str("</li>\n");
    }
    for (line, why) in &journal.warnings {
        let _ = writeln!(text, "<li class=\"major\">journal line {line}: {}</li>", escaped(why));
    }
    text.push_str("</ul></details></article>\n");
}

fn shown(persona: &str, evidence: &[String], pictures: &Pictures, text: &mut String) {
    for path in evidence {
        let picture = pictures.get(&(persona.to_owned(), path.clone()));
        match picture.and_then(|bytes| Some((kind(bytes)?, bytes))) {
            Some((kind, bytes)) => {
                let _ = write!(
                    text,
                    "<figure><img alt=\"{path}\" src=\"data:{kind};base64,{}\"><figcaption class=\"ref\">{path}</figcaption></figure>",
                    base64(bytes),
                    path = escaped(path),
                );
            }
            None => {
                let _ = write!(text, "<div class=\"ref\">evidence: {}</div>", escaped(path));
            }
        }
    }
}

/// What kind of picture the bytes are, by how they begin.
#[must_use]
pub fn kind(bytes: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"RIFF", "image/webp"),
    ];
    let kind = known.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, kind)| *kind)?;
    let webp = kind != "image/webp" || bytes.get(8..12) == Some(b"WEBP");
    (webp && bytes.len() <= LARGEST_PICTURE).then_some(kind)
}

fn text_of<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let letter = LETTERS.get((bits >> (18 - 6 * n) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if n > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}
