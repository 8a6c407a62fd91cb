//! Flows and contracts in a project's persona folder: what is there, whether it can be run, and new ones from templates.

use std::fs;
use std::path::{Path, PathBuf};

use leastgrant_core::persona::contract::{self, Contract, is_name};
use leastgrant_core::persona::flow::{self, Flow, Problem};
use leastgrant_core::persona::run::FOLDER;

use crate::edit::atomic;

/// Most files of one kind that are looked at.
const MOST: usize = 1000;

/// A flow file.
#[derive(Debug)]
pub struct FlowFile {
    /// its name without `.md`
    pub name: String,
    /// where it is
    pub path: PathBuf,
    /// what it says, or why it can't be run
    pub flow: Result<Flow, Vec<Problem>>,
}

/// A persona's contract.
#[derive(Debug)]
pub struct ContractFile {
    /// the persona
    pub id: String,
    /// where it is
    pub path: PathBuf,
    /// what it says about being run, or why it can't be
    pub contract: Result<Contract, Problem>,
}

/// Everything in a project's persona folder.
#[derive(Debug, Default)]
pub struct Module {
    /// flows by name
    pub flows: Vec<FlowFile>,
    /// contracts by persona
    pub contracts: Vec<ContractFile>,
}

impl Module {
    /// Looks at a project.
    #[must_use]
    pub fn look(root: &Path) -> Self {
        let folder = root.join(FOLDER);
        let flows = names(&folder.join("flows"))
            .into_iter()
            .filter_map(|file| file.strip_suffix(".md").map(str::to_owned))
            .map(|name| {
                let path = folder.join("flows").join(format!("{name}.md"));
                let flow = read(&path, flow::MOST).map_err(|problem| vec![problem]).and_then(|text| Flow::read(&text));
                FlowFile { name, path, flow }
            })
            .collect();
        let contracts = names(&folder.join("personas"))
            .into_iter()
            .filter(|id| folder.join("personas").join(id).is_dir())
            .map(|id| {
                let path = folder.join("personas").join(&id).join("contract.yaml");
                let contract = read(&path, contract::MOST).and_then(|text| Contract::read(&text, &id));
                ContractFile { id, path, contract }
            })
            .collect();
        Self { flows, contracts }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(all) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        all.take(MOST).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn read(path: &Path, most: usize) -> Result<String, Problem> {
    let problem = |text: &str, fix: &str| Problem {
        line: 1,
        missing: false,
        section: None,
        text: text.to_owned(),
        fix: fix.to_owned(),
    };
    match atomic::read(path, most) {
        Ok(None) => Err(problem("there is no such file", "`leastgrant persona new` makes one")),
        Ok(Some(bytes)) if bytes.len() > most => Err(problem("the file is too large", "keep it to what a run needs")),
        Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| problem("the file is not UTF-8", "save it as UTF-8")),
        Err(fault) => Err(problem(&fault.to_string(), "make it a readable file")),
    }
}

/// Makes a flow from the template.
///
/// # Errors
/// The name is unfit, or there is one already.
pub fn new_flow(root: &Path, name: &str) -> Result<PathBuf, String> {
    let path = root.join(FOLDER).join("flows").join(format!("{name}.md"));
    make(&path, name, &FLOW.replace("NAME", name))
}

/// Makes a contract from the template.
///
/// # Errors
/// The name is unfit, or there is one already.
pub fn new_persona(root: &Path, id: &str) -> Result<PathBuf, String> {
    let path = root.join(FOLDER).join("personas").join(id).join("contract.yaml");
    make(&path, id, &CONTRACT.replace("NAME", id))
}

fn make(path: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    use std::io::Write as _;
    if !is_name(name) {
        return Err(format!("`{name}` is no name: letters, digits, `-`, `_` and `.`, at most 64"));
    }
    let fault = |fault: std::io::Error| match fault.kind() {
        std::io::ErrorKind::AlreadyExists => format!("`{}` is there already", path.display()),
        _ => format!("`{}`: {fault}", path.display()),
    };
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(fault)?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(fault)?;
    file.write_all(text.as_bytes()).map_err(fault)?;
    Ok(path.to_owned())
}

const FLOW: &str = "# Flow — NAME

## Entry point
https://staging.example.com/

## Goal
What the persona wants to get done, in its own words.

## Success criteria
- What it sees when it has got there.

## Domain allowlist
- staging.example.com

## Out of bounds
- Paying for real
- Deleting an account

## App version pin
unpinned

## Step budget
max_turns: 40
";

const CONTRACT: &str = "persona_contract:
  schema_version: \"persona-contract/1.0\"
  persona_id: \"NAME\"
  contract_status: \"draft\"
  scope:
    purpose: \"what is to be learned from this persona\"
    valid_uses: []
    invalid_uses: []
  identity:
    display_label: \"NAME\"
    synthetic_identity: true
  epistemic_boundary:
    knows: []
    does_not_know: []
  behavior_model:
    abandonment_triggers: []
  communication_model:
    default_register: \"plain\"
  runtime_policy:
    first_person: true
";

#[cfg(test)]
mod tests {
    use super::*;
    use leastgrant_core::persona::contract::Unready;

    #[test]
    fn the_templates_can_be_run_and_read() {
        let flow = Flow::read(&FLOW.replace("NAME", "checkout")).unwrap();
        assert_eq!((flow.bounds.name.as_str(), flow.max_turns, flow.out_of_bounds.len()), ("checkout", 40, 2));
        let contract = Contract::read(&CONTRACT.replace("NAME", "ana"), "ana");
        assert_eq!(contract, Ok(Contract::Skipped(Unready::Draft)));
    }
}
