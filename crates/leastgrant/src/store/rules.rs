//! Changing what the person decided, for the commands: one writer at a time, the whole file replaced at once, everything
//! else in it kept as it was.

use std::io;
use std::path::PathBuf;

use leastgrant_core::bundle;
use leastgrant_core::policy::Posture;
use leastgrant_core::rule::{KEYS, Rule};
use sha2::{Digest, Sha256};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::Store;
use super::policy::{MAX, POLICY, RULES, Settings, VERSION};
use crate::edit::{atomic, lock::Lock};

/// Which content of which project's rule file a person trusts.
pub const TRUST: &str = "trust.toml";

impl Store {
    /// Adds a rule; one with the same pattern and effect for the same project gives way. Gives the file.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn add_rule(&self, rule: &Rule) -> Result<PathBuf, String> {
        self.add_rule_to(RULES, rule)
    }

    /// The same for another of our files.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn add_rule_to(&self, name: &str, rule: &Rule) -> Result<PathBuf, String> {
        self.edit(name, |document| {
            let rules = rules(document)?;
            rules.retain(|table| !(same(table, rule) && effect(table) == rule.effect.id()));
            let mut table = Table::new();
            table.insert("effect", value(rule.effect.id()));
            if !rule.pattern.is_empty() {
                table.insert("pattern", value(&rule.pattern));
            }
            for key in KEYS {
                if let Some(text) = rule.when.get(key) {
                    table.insert(key, value(text));
                }
            }
            if let Some(until) = rule.until_ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()) {
                let stamp: toml_edit::Datetime =
                    until.to_string().parse().map_err(|_| String::from("a date that can't be written"))?;
                table.insert("until", value(stamp));
            }
            for (key, text) in [("project", &rule.project), ("note", &rule.note)] {
                if let Some(text) = text {
                    table.insert(key, value(text));
                }
            }
            rules.push(table);
            Ok(true)
        })
    }

    /// Removes every rule with this pattern and these conditions for this project; gives how many there were.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn remove_rules(&self, like: &Rule) -> Result<usize, String> {
        let mut removed = 0;
        self.edit(RULES, |document| {
            let rules = rules(document)?;
            let before = rules.len();
            rules.retain(|table| !same(table, like));
            removed = before - rules.len();
            Ok(removed > 0)
        })?;
        Ok(removed)
    }

    /// Accepts bundles in addition to those that are accepted; gives the file and all accepted ids.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn accept(&self, ids: &[&str]) -> Result<(PathBuf, Vec<String>), String> {
        let before = self.settings().policy.bundles;
        let all: Vec<String> = bundle::BUNDLES
            .iter()
            .map(|bundle| bundle.id)
            .filter(|id| ids.contains(id) || before.iter().any(|had| had == id))
            .map(str::to_owned)
            .collect();
        let file = self.edit(POLICY, |document| {
            document.insert("version", value(VERSION));
            if !document.contains_key("posture") {
                document.insert("posture", value(Posture::default().id()));
            }
            document.insert("bundles", value(all.iter().collect::<Array>()));
            Ok(true)
        })?;
        Ok((file, all))
    }

    /// Sets the posture; gives the file.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn set_posture(&self, posture: Posture) -> Result<PathBuf, String> {
        self.edit(POLICY, |document| {
            document.insert("posture", value(posture.id()));
            Ok(true)
        })
    }

    /// Sets or takes away a key of the policy file; nothing is written that could not be read again.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written, or the value does not fit the key.
    pub fn set(&self, key: &str, given: Option<toml_edit::Value>) -> Result<PathBuf, String> {
        self.edit(POLICY, |document| {
            match given {
                Some(given) => document.insert(key, Item::Value(given)),
                None => document.remove(key),
            };
            Settings::checked(&document.to_string()).map(|_| true)
        })
    }

    /// Whether a person trusts exactly this content of a project's rule file.
    #[must_use]
    pub fn trusts(&self, project: &str, content: &[u8]) -> bool {
        let Ok(Some(bytes)) = super::read_bounded(&self.path(TRUST), MAX) else { return false };
        let Ok(document) = String::from_utf8(bytes).unwrap_or_default().parse::<DocumentMut>() else { return false };
        let digest = super::ledger::hex(&Sha256::digest(content));
        document.get(project).and_then(Item::as_str) == Some(digest.as_str())
    }

    /// Trusts a content of a project's rule file, or none any more.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn trust(&self, project: &str, content: Option<&[u8]>) -> Result<PathBuf, String> {
        self.edit(TRUST, |document| {
            match content {
                Some(content) => document.insert(project, value(super::ledger::hex(&Sha256::digest(content)))),
                None => document.remove(project),
            };
            Ok(true)
        })
    }

    fn edit(
        &self,
        name: &str,
        change: impl FnOnce(&mut DocumentMut) -> Result<bool, String>,
    ) -> Result<PathBuf, String> {
        let file = self.path(name);
        let shown = |fault: io::Error| format!("`{}`: {fault}", file.display());
        let _lock = Lock::take(self.root(), &file).map_err(shown)?;
        let bytes = super::read_bounded(&file, MAX).map_err(shown)?.unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| format!("`{}` is not UTF-8", file.display()))?;
        let mut document: DocumentMut =
            text.parse().map_err(|fault| format!("`{}` must be mended first: {fault}", file.display()))?;
        if change(&mut document)? {
            atomic::write_own(&file, document.to_string().as_bytes()).map_err(shown)?;
        }
        Ok(file)
    }
}

fn rules(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, String> {
    let item = document.entry("rule").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    item.as_array_of_tables_mut().ok_or_else(|| {
        format!("`rule` in {RULES} is no list of tables: mend it first, each rule stands under `[[rule]]`")
    })
}

fn same(table: &Table, rule: &Rule) -> bool {
    let text = |key: &str| table.get(key).and_then(Item::as_str);
    text("pattern").unwrap_or_default() == rule.pattern
        && text("project") == rule.project.as_deref()
        && KEYS.iter().all(|key| text(key) == rule.when.get(key))
}

fn effect(table: &Table) -> &str {
    table.get("effect").and_then(Item::as_str).unwrap_or_default()
}
