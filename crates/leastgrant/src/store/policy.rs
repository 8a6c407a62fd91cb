//! What the person decided, read from two files of the state folder that a person can also edit: `policy.toml` (posture,
//! accepted bundles, what else counts as project or as secret) and `rules.toml`. A file that is not there decides
//! nothing; one that cannot be read in full is a problem, and problems make everything ask.
//!
//! ```toml
//! version = 1                                # may be left out
//! posture = "assist"                         # observe, assist, autopilot or strict
//! bundles = ["read-search", "git-read"]      # accepted starter bundles
//! extra-roots = ["/home/me/notes"]           # other folders that count as the project
//! secret-files = ["**/prod-*.yaml"]          # globs of files that count as secret
//! half-life-days = 90                        # after so long an approval counts half
//! retention-days = 365                       # after so long the text of a call goes from the ledger
//! ```

use std::path::Path;

use leastgrant_core::bundle::Bundle;
use leastgrant_core::policy::{Policy, Posture};
use leastgrant_core::rule::{self, Layer};
use serde::Deserialize;
use toml::Spanned;

use super::Store;

/// Posture and bundles.
pub const POLICY: &str = "policy.toml";
/// Rules.
pub const RULES: &str = "rules.toml";
/// A project's own rules, below its root.
pub const PROJECT: &str = ".leastgrant/rules.toml";
/// The machine's rules.
pub const MACHINE: &str = "/etc/leastgrant/rules.toml";
/// Version of the format of [`POLICY`].
pub const VERSION: i64 = 1;
/// Larger files are not read.
pub const MAX: u64 = 1024 * 1024;

/// Both files.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// what core judges by
    pub policy: Policy,
    /// other folders that count as the project
    pub extra_roots: Vec<String>,
    /// globs of files that count as secret
    pub secret_globs: Vec<String>,
    /// days after which a call's text goes from the ledger; none keeps everything
    pub retention_days: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    version: Option<Spanned<i64>>,
    posture: Option<Spanned<String>>,
    #[serde(default)]
    bundles: Vec<Spanned<String>>,
    #[serde(default)]
    extra_roots: Vec<Spanned<String>>,
    #[serde(default)]
    secret_files: Vec<String>,
    half_life_days: Option<Spanned<f64>>,
    retention_days: Option<Spanned<i64>>,
}

impl Store {
    /// What holds in a project and a session: the layers machine, user, project and session, later ones narrower.
    #[must_use]
    pub fn settings_in(&self, project: Option<&str>, session: &str) -> Settings {
        let mut settings = self.settings();
        settings.machine(Path::new(MACHINE));
        if let Some(project) = project {
            settings.project(self, project);
        }
        let name = self.session_rules(session);
        if let Some(name) = name.filter(|name| self.path(name).exists())
            && let Some(text) = self.text(&name, &mut settings.policy.problems)
        {
            settings.add(&text, &name, Layer::Session);
        }
        settings
    }

    /// The file with the rules of a session, in the state folder.
    #[must_use]
    pub fn session_rules(&self, session: &str) -> Option<String> {
        let plain = !session.is_empty() && session.len() <= 64;
        let plain = plain && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain.then(|| format!("sessions/{session}.rules.toml"))
    }

    /// The person's own, for every project.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        if let Some(text) = self.text(POLICY, &mut settings.policy.problems) {
            settings.read(&text);
        }
        if let Some(text) = self.text(RULES, &mut settings.policy.problems) {
            settings.add(&text, RULES, Layer::User);
        }
        settings
    }

    /// A file of the person's; none if it is not there.
    fn text(&self, name: &str, problems: &mut Vec<String>) -> Option<String> {
        let bytes = match super::read_bounded(&self.path(name), MAX) {
            Ok(bytes) => bytes?,
            Err(fault) => {
                problems.push(format!("{name} cannot be read: {fault}"));
                return None;
            }
        };
        let text = String::from_utf8(bytes);
        if text.is_err() {
            problems.push(format!("{name} is not UTF-8"));
        }
        text.ok()
    }
}

impl Settings {
    fn add(&mut self, text: &str, file: &str, layer: Layer) {
        let (rules, problems) = rule::parse(text, file, layer);
        self.policy.rules.extend(rules);
        self.policy.problems.extend(problems.iter().map(ToString::to_string));
    }

    /// The machine's rules count only where root alone can write them.
    fn machine(&mut self, path: &Path) {
        use std::os::unix::fs::MetadataExt;
        let Ok(about) = path.metadata() else { return };
        let shown = path.display();
        if about.uid() != 0 || about.mode() & 0o022 != 0 {
            self.policy.problems.push(format!("{shown} can be written by others than root, so it does not count"));
            return;
        }
        match super::read_bounded(path, MAX).map(|bytes| bytes.map(String::from_utf8)) {
            Ok(Some(Ok(text))) => self.add(&text, &shown.to_string(), Layer::Machine),
            Ok(Some(Err(_))) => self.policy.problems.push(format!("{shown} is not UTF-8")),
            Ok(None) => {}
            Err(fault) => self.policy.problems.push(format!("{shown} cannot be read: {fault}")),
        }
    }

    /// A project's own rules tighten; they loosen only where a person trusts exactly this content.
    fn project(&mut self, store: &Store, project: &str) {
        let path = Path::new(project).join(PROJECT);
        match super::read_bounded(&path, MAX) {
            Ok(None) => {}
            Ok(Some(bytes)) => {
                let layer = if store.trusts(project, &bytes) { Layer::Trusted } else { Layer::Project };
                match String::from_utf8(bytes) {
                    Ok(text) => self.add(&text, PROJECT, layer),
                    Err(_) => self.policy.problems.push(format!("{PROJECT} is not UTF-8")),
                }
            }
            Err(fault) => self.policy.problems.push(format!("{PROJECT} cannot be read: {fault}")),
        }
    }

    fn read(&mut self, text: &str) {
        let file: File = match toml::from_str(text) {
            Ok(file) => file,
            Err(fault) => return self.problem(text, fault.span().map_or(0, |span| span.start), fault.message()),
        };
        if let Some(version) = file.version.filter(|version| *version.get_ref() != VERSION) {
            let why = format!("version {} is not known; this leastgrant knows {VERSION}", version.get_ref());
            return self.problem(text, version.span().start, &why);
        }
        if let Some(word) = file.posture {
            match Posture::from_id(word.get_ref()) {
                Some(posture) => self.policy.posture = posture,
                None => self.problem(text, word.span().start, "posture is observe, assist, autopilot or strict"),
            }
        }
        for id in file.bundles {
            if Bundle::from_id(id.get_ref()).is_none() {
                self.problem(text, id.span().start, &format!("there is no bundle `{}`", id.get_ref()));
            } else {
                self.policy.bundles.push(id.into_inner());
            }
        }
        for root in file.extra_roots {
            let path = root.get_ref().trim_end_matches('/');
            if path.starts_with('/') && !path.contains("/..") {
                self.extra_roots.push(path.to_owned());
            } else {
                self.problem(text, root.span().start, "a root is an absolute path, and not the whole machine");
            }
        }
        self.secret_globs = file.secret_files;
        if let Some(days) = file.half_life_days {
            if (1.0..=3650.0).contains(days.get_ref()) {
                self.policy.terms.half_life = *days.get_ref();
            } else {
                self.problem(text, days.span().start, "half-life-days is 1 to 3650");
            }
        }
        if let Some(days) = file.retention_days {
            if (1..=36_500).contains(days.get_ref()) {
                self.retention_days = Some(*days.get_ref());
            } else {
                self.problem(text, days.span().start, "retention-days is 1 to 36500");
            }
        }
    }

    /// What a text would mean; the error is its first problem.
    ///
    /// # Errors
    /// It cannot be read in full.
    pub fn checked(text: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        settings.read(text);
        match settings.policy.problems.first() {
            Some(problem) => Err(problem.clone()),
            None => Ok(settings),
        }
    }

    fn problem(&mut self, text: &str, at: usize, why: &str) {
        let before = text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let why = why.lines().next().unwrap_or_default();
        self.policy.problems.push(format!("{POLICY}:{line}:{column}: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Settings {
        let mut settings = Settings::default();
        settings.read(text);
        settings
    }

    #[test]
    fn what_is_written_holds() {
        let settings = read(
            "version = 1\nposture = \"strict\"\nbundles = [\"git-read\"]\nextra-roots = [\"/a/b/\"]\nsecret-files = [\"*.k\"]\n",
        );
        assert_eq!(settings.policy.problems, Vec::<String>::new());
        assert_eq!(settings.policy.posture, Posture::Strict);
        assert_eq!(settings.policy.bundles, ["git-read"]);
        assert_eq!(settings.extra_roots, ["/a/b"]);
        assert_eq!(settings.secret_globs, ["*.k"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_problem_with_its_place() {
        for (text, problem) in [
            ("posture = 1", "policy.toml:1:11: invalid type"),
            ("version = 2", "policy.toml:1:11: version 2 is not known; this leastgrant knows 1"),
            ("version = 1\nposture = \"lax\"", "policy.toml:2:11: posture is observe, assist, autopilot or strict"),
            ("version = 1\nbundels = []", "policy.toml:2:1: unknown field `bundels`"),
            ("version = 1\nbundles = [\"git-read\",\n \"x\"]", "policy.toml:3:2: there is no bundle `x`"),
            ("version = 1\nextra-roots = [\"/\"]", "policy.toml:2:16: a root is an absolute path"),
            ("version = 1\nextra-roots = [\"/a/../..\"]", "policy.toml:2:16: a root is an absolute path"),
            ("version = = 1", "policy.toml:1:11: "),
        ] {
            let problems = read(text).policy.problems;
            assert!(problems.len() == 1 && problems[0].starts_with(problem), "{text}: {problems:?}");
        }
    }
}
