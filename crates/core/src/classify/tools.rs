//! Structured tools → actions: files, searches, fetches, MCP servers, subagents. Shell commands are [`super::shell`]'s.
//! A path that is missing or cannot be placed is never understood.

mod arguments;
mod mcp;

use crate::action::{Action, Capability, Exposure, Mark, Role, Target, TargetKind};
use crate::call::{Call, ChangeKind, FileChange, SearchCall, Tool};
use crate::classify::draft::{self, Draft};
use crate::path::{self, Place, Zone};
use crate::signature::{self, Does};
use crate::world::World;
use crate::{host, redact, secret};

/// Most files of one patch.
const FILES: usize = 2_000;

/// The actions of a call of any tool but a shell.
#[must_use]
pub fn tool_actions(call: &Call, world: &dyn World) -> Vec<Action> {
    let scene = Scene { call, world };
    match &call.tool {
        // the shell has its own reader, and what is unreadable has no actions
        Tool::Shell(_) | Tool::Unreadable { .. } => Vec::new(),
        Tool::Read { path } => vec![scene.file(Capability::ReadWorkspace, path, Role::Read)],
        Tool::Write { path, .. } | Tool::Edit { path, .. } => {
            vec![scene.file(Capability::WriteWorkspace, path, Role::Write)]
        }
        Tool::Delete { path } => vec![scene.file(Capability::Delete, path, Role::Delete)],
        Tool::Patch(changes) => scene.patch(changes),
        Tool::Search(search) => vec![scene.search(search)],
        Tool::Fetch { url } => vec![scene.fetch(url)],
        Tool::FetchAll { urls } => urls.iter().map(|url| scene.fetch(url)).collect(),
        Tool::WebSearch { query } => vec![scene.web_search(query)],
        Tool::Mcp { tool, input, .. } => vec![scene.mcp(tool, input)],
        Tool::Spawn { input } => vec![scene.spawn(input)],
        Tool::Skill { name } => vec![scene.skill(name)],
        Tool::Meta => vec![scene.done(Draft::new(Capability::Meta, "agent"), &[], &call.tool_name)],
        Tool::Unknown { input } => vec![scene.unknown(input)],
    }
}

struct Scene<'a> {
    call: &'a Call,
    world: &'a dyn World,
}

impl Scene<'_> {
    fn place(&self, path: &str) -> Place {
        path::place(self.world, Some(&self.call.cwd), path)
    }

    fn add_path(&self, draft: &mut Draft, path: &str, role: Role) -> String {
        let place = self.place(path);
        let token = signature::path(self.world, &place);
        draft.targets.push(Target { role, kind: TargetKind::Path(place), text: path.to_owned(), span: None });
        token
    }

    fn file(&self, capability: Capability, path: &str, role: Role) -> Action {
        let mut draft = Draft::new(capability, "files");
        if path.trim().is_empty() {
            draft.opaque(None, "the call names no file");
        }
        let token = self.add_path(&mut draft, path, role);
        self.done(draft, &[token], path)
    }

    fn patch(&self, changes: &[FileChange]) -> Vec<Action> {
        let mut actions: Vec<Action> = changes
            .iter()
            .take(FILES)
            .map(|change| match &change.kind {
                ChangeKind::Add | ChangeKind::Update => {
                    self.file(Capability::WriteWorkspace, &change.path, Role::Write)
                }
                ChangeKind::Delete => self.file(Capability::Delete, &change.path, Role::Delete),
                ChangeKind::Move { to } => {
                    let mut draft = Draft::new(Capability::WriteWorkspace, "files");
                    // what moves is not lost, but its old name changes hands as well
                    let tokens = [&change.path, to].map(|path| self.add_path(&mut draft, path, Role::Write));
                    self.done(draft, &tokens, &format!("{} → {to}", change.path))
                }
            })
            .collect();
        if changes.is_empty() || changes.len() > FILES {
            let mut draft = Draft::new(Capability::Unknown, "files");
            draft.opaque(None, format!("a patch of {} files", changes.len()));
            actions.push(self.done(draft, &[], "…"));
        }
        actions
    }

    fn search(&self, search: &SearchCall) -> Action {
        let mut draft = Draft::new(Capability::ReadWorkspace, "search");
        let role = if search.content { Role::Read } else { Role::List };
        let root = search.root.as_deref().map(str::trim).filter(|root| !root.is_empty()).unwrap_or(".");
        let mut tokens = vec![self.add_path(&mut draft, root, role)];
        if !search.content
            && let Some(folder) = fixed_folder(&search.pattern)
        {
            // a glob of names may lead out of the folder that it starts from
            let from = join(root, folder);
            tokens.push(self.add_path(&mut draft, &from, role));
        }
        if search.content {
            let place = self.place(root);
            draft.sweeps_secrets = secret::holds_secrets(self.world, &place);
            if let Some(glob) = &search.glob {
                let folder = place.real.clone().unwrap_or_else(|| self.call.cwd.clone());
                draft.sweeps_secrets =
                    draft.sweeps_secrets.or_else(|| secret::glob_may_be_secret(self.world, Some(&folder), glob));
                if let Some(folder) = fixed_folder(glob) {
                    tokens.push(self.add_path(&mut draft, &join(root, folder), role));
                }
            }
        }
        tokens.push(String::from(if search.content { "content" } else { "names" }));
        self.done(draft, &tokens, &format!("{} in {root}", search.pattern))
    }

    fn fetch(&self, url: &str) -> Action {
        let mut draft = Draft::new(Capability::NetFetch, "web");
        let token = signature::url(url);
        match host::visit(url) {
            None => draft.opaque(None, "the address cannot be read"),
            Some(visit) => match (visit.scheme.as_str(), visit.host) {
                ("http" | "https", Some(host)) => {
                    if visit.local {
                        draft.become_(Capability::NetLoopback);
                    }
                    if host::is_metadata(&host) {
                        draft::reads_secret(&mut draft, "asks the cloud for the credentials of this machine");
                    }
                    let authority =
                        url.split(['/', '?', '#', '\\']).find(|part| part.contains('@') || part.contains('.'));
                    let person = authority.is_some_and(|part| part.contains('@'));
                    if !visit.local && (person || redact::holds_token(url)) {
                        draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
                        draft.note("carries a credential in the address");
                    }
                    let kind = TargetKind::Host { host, local: visit.local };
                    draft.targets.push(Target { role: Role::Connect, kind, text: url.to_owned(), span: None });
                }
                ("file", _) => {
                    draft.become_(Capability::ReadWorkspace);
                    let token = self.add_path(&mut draft, url, Role::Read);
                    return self.done(draft, &[token], url);
                }
                (scheme, _) => draft.opaque(None, format!("an address that begins with `{scheme}:`")),
            },
        }
        self.done(draft, &[token], url)
    }

    fn web_search(&self, query: &str) -> Action {
        let mut draft = Draft::new(Capability::NetFetch, "web");
        let kind = TargetKind::Named(String::from("web search"));
        draft.targets.push(Target { role: Role::Connect, kind, text: query.to_owned(), span: None });
        self.done(draft, &[], query)
    }

    /// A subagent: its own calls are judged one by one, so starting it is light, unless it brings permissions along.
    fn spawn(&self, input: &serde_json::Value) -> Action {
        let mut draft = Draft::new(Capability::AgentSpawn, "agent");
        let text = |key: &str| input.get(key).and_then(serde_json::Value::as_str);
        let kind = text("subagent_type").or_else(|| text("agent_type")).unwrap_or_default();
        let own_mode = ["permissionMode", "permission_mode"].into_iter().find_map(text);
        if own_mode.is_some_and(|mode| !matches!(mode, "default" | "plan" | "manual")) {
            self.own_permissions(&mut draft, "it brings a permission mode of its own");
        }
        // a work tree is a copy of the project; any other isolation is another machine's or unknown
        if text("isolation").is_some_and(|isolation| isolation != "worktree") {
            self.own_permissions(&mut draft, "it runs where leastgrant may not be");
        }
        let dangerous = |key: &String| key.to_ascii_lowercase().starts_with("dangerous");
        if input.as_object().is_some_and(|fields| fields.keys().any(dangerous)) {
            self.own_permissions(&mut draft, "it is started with an off-switch");
        }
        let tokens = if kind.is_empty() { Vec::new() } else { vec![signature::name(kind)] };
        self.done(draft, &tokens, text("description").unwrap_or(kind))
    }

    fn own_permissions(&self, draft: &mut Draft, why: &'static str) {
        draft.at_least(Capability::Unknown);
        draft.mark(Mark::AgentOffSwitch);
        draft.note(why);
        draft.opaque(None, why);
    }

    /// A skill is instructions; what they lead to is judged call by call.
    fn skill(&self, name: &str) -> Action {
        let mut draft = Draft::new(Capability::AgentSpawn, "agent");
        let kind = TargetKind::Named(name.to_owned());
        draft.targets.push(Target { role: Role::List, kind, text: name.to_owned(), span: None });
        self.done(draft, &[signature::name(name)], name)
    }

    fn unknown(&self, input: &serde_json::Value) -> Action {
        let mut draft = Draft::new(Capability::Unknown, "agent");
        draft.opaque(None, "a tool that leastgrant does not know");
        arguments::add(self, &mut draft, input, Role::Write);
        draft::settle(&mut draft, self.world);
        let signature = signature::mcp(&self.call.tool_name, input, does(&draft));
        draft::finish(draft, signature, self.call.tool_name.clone(), None)
    }

    fn done(&self, mut draft: Draft, tokens: &[String], about: &str) -> Action {
        draft::settle(&mut draft, self.world);
        let signature = signature::tool(&self.call.tool_name, tokens, does(&draft));
        let name = &self.call.tool_name;
        let display = if about.is_empty() || about == name { name.clone() } else { format!("{name} {about}") };
        draft::finish(draft, signature, display, None)
    }
}

fn does(draft: &Draft) -> Does {
    Does { capability: draft.capability, blast: draft.blast, opaque: draft.opaque.is_some() }
}

/// The folder that a glob of names starts in, where it names one: everything before the first wildcard.
fn fixed_folder(pattern: &str) -> Option<&str> {
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    let end = fixed.rfind(['/', '\\'])?;
    fixed.get(..=end)
}

fn join(root: &str, path: &str) -> String {
    let absolute = path.starts_with(['/', '~', '\\']) || path::is_windows(path);
    if absolute { path.to_owned() } else { format!("{}/{path}", root.trim_end_matches('/')) }
}

/// Whether a place is outside the project.
fn outside(place: &Place) -> bool {
    !matches!(place.zone, Zone::Project | Zone::Null)
}
