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
//! ```

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
}

impl Store {
    /// What holds now.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        if let Some(text) = self.text(POLICY, &mut settings.policy.problems) {
            settings.read(&text);
        }
        if let Some(text) = self.text(RULES, &mut settings.policy.problems) {
            let (rules, problems) = rule::parse(&text, RULES, Layer::User);
            settings.policy.rules = rules;
            settings.policy.problems.extend(problems.iter().map(ToString::to_string));
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
