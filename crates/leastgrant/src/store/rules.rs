//! Changing what the person decided, for the commands: one writer at a time, the whole file replaced at once, everything
//! else in it kept as it was.

use std::io;
use std::path::PathBuf;

use leastgrant_core::bundle;
use leastgrant_core::policy::Posture;
use leastgrant_core::rule::Rule;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::Store;
use super::policy::{MAX, POLICY, RULES, VERSION};
use crate::edit::{atomic, lock::Lock};

impl Store {
    /// Adds a rule; one with the same pattern and effect for the same project gives way. Gives the file.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn add_rule(&self, rule: &Rule) -> Result<PathBuf, String> {
        self.edit(RULES, |document| {
            let rules = rules(document)?;
            rules.retain(|table| {
                !(same(table, &rule.pattern, rule.project.as_deref()) && effect(table) == rule.effect.id())
            });
            let mut table = Table::new();
            table.insert("effect", value(rule.effect.id()));
            table.insert("pattern", value(&rule.pattern));
            for (key, text) in [("project", &rule.project), ("note", &rule.note)] {
                if let Some(text) = text {
                    table.insert(key, value(text));
                }
            }
            rules.push(table);
            Ok(true)
        })
    }

    /// Removes every rule with this pattern for this project; gives how many there were.
    ///
    /// # Errors
    /// In words: the file cannot be read, mended or written.
    pub fn remove_rules(&self, pattern: &str, project: Option<&str>) -> Result<usize, String> {
        let mut removed = 0;
        self.edit(RULES, |document| {
            let rules = rules(document)?;
            let before = rules.len();
            rules.retain(|table| !same(table, pattern, project));
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

fn same(table: &Table, pattern: &str, project: Option<&str>) -> bool {
    let text = |key: &str| table.get(key).and_then(Item::as_str);
    text("pattern") == Some(pattern) && text("project") == project
}

fn effect(table: &Table) -> &str {
    table.get("effect").and_then(Item::as_str).unwrap_or_default()
}
