//! What a run means for one call: outside, inside, or none of its business. Closed on everything unknown; may only hold,
//! never widen. The words of a hold are [`super::why`]'s.

use serde_json::Value as Json;

use super::arguments::{self, Arguments};
use super::flow::Bounds;
use super::run::{Run, State};
use super::servers::{self, Class, Does, Server};
use super::visit::{self, Address, Web};
use super::why::{Block, Why};
use crate::action::{Action, Capability, TargetKind};
use crate::call::{Call, Tool};

/// How much of a call is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// what an existing conductor expects of the hook: navigation by tools, any port, http too
    Compat,
    /// also ports, http, credentials, scripts, launch options, files, searches and the shell
    Strict,
}

/// A call, as far as a bound can see it.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// a built-in fetch: the address, or a text with addresses in it
    Fetch(&'a str),
    /// a built-in fetch of several addresses: each of them counts
    FetchAll(&'a [String]),
    /// a tool of a server, or one that nobody knows
    Tool {
        /// the server's name; empty for a tool of the agent's own
        server: &'a str,
        /// the tool's name
        tool: &'a str,
        /// its arguments
        input: &'a Json,
    },
    /// a search of the web
    Search(&'a str),
    /// a command line with what it would do
    Shell(&'a [Action]),
    /// arguments that can't be read
    Unreadable,
    /// anything else
    Other,
}

/// What a run says about a call; stricter is greater.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// none of its business
    Free,
    /// part of the walk, inside its bounds
    Inside {
        /// a person armed the run, so it is granted
        granted: bool,
    },
    /// a person must say
    Doubt(Block),
    /// held
    Outside(Block),
}

impl<'a> Asked<'a> {
    /// Whether no bound is about it.
    #[must_use]
    pub fn is_other(&self) -> bool {
        matches!(self, Self::Other)
    }

    /// A call of the agent's hook by the tool's name: what the mission's guard judges, and nothing else.
    #[must_use]
    pub fn of_hook(tool_name: &'a str, input: &'a Json) -> Self {
        match servers::split(tool_name) {
            Some((server, tool)) => Self::Tool { server, tool, input },
            None if tool_name == "WebFetch" => Self::Tool { server: "", tool: "fetch", input },
            None => Self::Other,
        }
    }

    /// A call in our words, with what it would do.
    #[must_use]
    pub fn of_call(call: &'a Call, actions: &'a [Action]) -> Self {
        match &call.tool {
            Tool::Fetch { url } => Self::Fetch(url),
            Tool::FetchAll { urls } => Self::FetchAll(urls),
            Tool::Mcp { server, tool, input } => match servers::split(&call.tool_name) {
                // where the two disagree, the name that the hook would judge counts
                Some((server, tool)) if server.len() + tool.len() > 0 => Self::Tool { server, tool, input },
                _ => Self::Tool { server, tool, input },
            },
            Tool::WebSearch { query } => Self::Search(query),
            Tool::Unknown { input } => Self::Tool { server: "", tool: &call.tool_name, input },
            Tool::Shell(_) => Self::Shell(actions),
            Tool::Unreadable { .. } => Self::Unreadable,
            // named one by one, so that a new kind of call is thought about here
            Tool::Read { .. }
            | Tool::Write { .. }
            | Tool::Edit { .. }
            | Tool::Patch(_)
            | Tool::Delete { .. }
            | Tool::Search(_)
            | Tool::Spawn { .. }
            | Tool::Skill { .. }
            | Tool::Meta => Self::Other,
        }
    }
}

/// What several runs say together: the strictest.
#[must_use]
pub fn rule_all(runs: &[Run], profile: Option<Profile>, asked: Asked<'_>, session: &str, now_ms: i64) -> Ruling {
    let rulings = runs.iter().map(|run| rule(run, profile.unwrap_or(run.profile), asked, session, now_ms));
    rulings.fold(Ruling::Free, |strictest, next| if rank(&next) > rank(&strictest) { next } else { strictest })
}

fn rank(ruling: &Ruling) -> u8 {
    match ruling {
        Ruling::Free => 0,
        // a grant of one run is none where another has not given it
        Ruling::Inside { granted: true } => 1,
        Ruling::Inside { granted: false } => 2,
        Ruling::Doubt(_) => 3,
        Ruling::Outside(_) => 4,
    }
}

/// What one run says.
#[must_use]
pub fn rule(run: &Run, profile: Profile, asked: Asked<'_>, session: &str, now_ms: i64) -> Ruling {
    let strict = profile == Profile::Strict;
    let bounds = match &run.state {
        State::Open(bounds) => bounds,
        State::Closed(block) => {
            let held = match asked {
                Asked::Fetch(_) | Asked::FetchAll(_) | Asked::Unreadable => true,
                Asked::Tool { server, input, tool } => !server.is_empty() || tool == "fetch" || carries(input),
                Asked::Search(_) => strict,
                Asked::Shell(actions) => strict && actions.iter().any(connects),
                Asked::Other => false,
            };
            return if held { Ruling::Outside(block.clone()) } else { Ruling::Free };
        }
    };
    let guard = Guard { bounds, strict, root: &run.root };
    let ruled = match asked {
        Asked::Other => Ok(None),
        Asked::Unreadable => Err(guard.block(Why::Payload)),
        Asked::Fetch(text) => guard.fetch(text).map(|()| Some(Does::Navigate)),
        Asked::FetchAll([]) => Err(guard.block(Why::NoTarget)),
        Asked::FetchAll(urls) => urls.iter().try_for_each(|url| guard.fetch(url)).map(|()| Some(Does::Navigate)),
        Asked::Search(query) => return guard.search(query),
        Asked::Shell(actions) if strict => guard.shell(actions).map(|()| None),
        Asked::Shell(_) => Ok(None),
        Asked::Tool { server, tool, input } => {
            let walk = servers::server(server);
            let does = servers::does(tool);
            if strict && does == Does::Search && walk.is_some_and(|walk| walk.class == Class::Fetch) {
                let text = input.to_string();
                return guard.search(&text);
            }
            guard.tool(server, walk, does, tool, input)
        }
    };
    let walked = match ruled {
        Err(block) => return Ruling::Outside(block),
        Ok(None) => return Ruling::Free,
        Ok(Some(does)) => does,
    };
    let looks = matches!(walked, Does::Perceive);
    if !looks && !run.gate.acts(session, now_ms) {
        return Ruling::Outside(guard.block(Why::Lease));
    }
    let goes = matches!(walked, Does::Navigate | Does::Open | Does::History);
    Ruling::Inside { granted: run.armed && (goes || looks || run.gate.said_go(session, now_ms)) }
}

struct Guard<'a> {
    bounds: &'a Bounds,
    strict: bool,
    root: &'a str,
}

impl Guard<'_> {
    fn block(&self, why: Why) -> Block {
        Block::new(why, &self.bounds.name)
    }

    /// A tool: what part of the walk it is, or none if it is none.
    fn tool(
        &self,
        server: &str,
        walk: Option<&Server>,
        does: Does,
        tool: &str,
        input: &Json,
    ) -> Result<Option<Does>, Block> {
        let class = walk.map(|walk| walk.class);
        if class == Some(Class::Data) && does != Does::Navigate {
            return Ok(None);
        }
        let found = self.arguments(input, does)?;
        let builtin_fetch = server.is_empty() && tool == "fetch";
        let browses = class == Some(Class::Browser);
        if self.strict && (browses || class == Some(Class::Fetch) || does == Does::Navigate) {
            self.launch(&found)?;
        }
        if self.strict && browses {
            self.files(&found, does)?;
        }
        let history = walk.is_some_and(|walk| walk.history) && does == Does::Navigate;
        for address in &found.addresses {
            if history && servers::is_history(address) {
                continue;
            }
            self.address(address)?;
        }
        if found.formless {
            return Err(self.block(Why::NotAUrl));
        }
        let moved = found.verbs.iter().any(|verb| servers::is_history(verb));
        let aimless = found.addresses.is_empty() && !moved;
        let must = does == Does::Navigate || builtin_fetch;
        if aimless && (must || (found.absent && does == Does::Open && !browses)) {
            return Err(self.block(Why::NoTarget));
        }
        if self.strict && does == Does::Script && (browses || class.is_none() && !server.is_empty()) {
            self.script(input)?;
        }
        let goes = must || (does == Does::Open && !found.addresses.is_empty());
        Ok(match (browses, goes) {
            (_, true) => Some(Does::Navigate),
            (true, false) => Some(if does == Does::Unsaid { Does::Act } else { does }),
            (false, false) => None,
        })
    }

    fn arguments(&self, input: &Json, does: Does) -> Result<Arguments, Block> {
        let packed;
        let input = match input {
            // some agents hand the arguments on as text
            Json::String(text) => {
                packed = super::json::read(text).map_err(|_| self.block(Why::Payload).of("its arguments"))?;
                &packed
            }
            input => input,
        };
        arguments::find(input, does).map_err(|why| self.block(why))
    }

    /// A fetch whose text may be a question with addresses in it.
    fn fetch(&self, text: &str) -> Result<(), Block> {
        let whole = !text.contains(char::is_whitespace) || visit::is_whole(text.trim());
        if whole {
            return self.address(text);
        }
        let words: Vec<&str> = text.split_whitespace().map(unwrapped).filter(|word| visit::is_whole(word)).collect();
        if words.is_empty() {
            return Err(self.block(Why::NotAUrl));
        }
        words.into_iter().try_for_each(|word| self.address(word))
    }

    fn address(&self, text: &str) -> Result<(), Block> {
        match visit::read(text) {
            Address::Blank => Ok(()),
            Address::Bad(bad) => Err(self.block(bad.why).to(&bad.host).of(&bad.detail)),
            Address::Web(web) if !self.bounds.allowlist.holds(&web.host) => Err(self.block(Why::Outside).to(&web.host)),
            Address::Web(web) if self.strict => self.inside(&web),
            Address::Web(_) => Ok(()),
        }
    }

    /// What strict asks of a host that is on the list.
    fn inside(&self, web: &Web) -> Result<(), Block> {
        let permitted = &self.bounds.permissions;
        if web.credentials {
            return Err(self.block(Why::Credentials).to(&web.host));
        }
        if !matches!(web.port, 80 | 443) && !permitted.ports.contains(&web.port) {
            return Err(self.block(Why::Port).to(&web.host).of(&web.port.to_string()));
        }
        if web.plain && !permitted.http && !web.local {
            return Err(self.block(Why::PlainHttp).to(&web.host));
        }
        Ok(())
    }

    fn launch(&self, found: &Arguments) -> Result<(), Block> {
        found.launch.as_ref().map_or(Ok(()), |key| Err(self.block(Why::Launch).of(key)))
    }

    fn files(&self, found: &Arguments, does: Does) -> Result<(), Block> {
        let runs = format!("{}/{}/runs/", self.root.trim_end_matches('/'), super::run::FOLDER);
        for (key, path) in &found.files {
            let climbs = path.split(['/', '\\']).any(|part| part == "..");
            let rooted = path.starts_with(['/', '~', '\\']) || crate::path::is_windows(path);
            // a picture without a folder goes where the server keeps its pictures
            let fine = !climbs && (path.starts_with(&runs) || (!rooted && does == Does::Perceive));
            if !fine && (rooted || climbs || does != Does::Perceive) {
                return Err(self.block(Why::File).of(key));
            }
        }
        Ok(())
    }

    fn script(&self, input: &Json) -> Result<(), Block> {
        if !self.bounds.permissions.scripts {
            return Err(self.block(Why::Script));
        }
        self.mentioned(&input.to_string())
    }

    /// Every address with a scheme that stands somewhere in a text.
    fn mentioned(&self, text: &str) -> Result<(), Block> {
        let lower = text.to_ascii_lowercase();
        for (at, _) in lower.match_indices("://").take(1000) {
            let front = lower.get(..at).unwrap_or_default();
            let start = front.len()
                - front.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find(|char: char| char.is_whitespace() || "\"'`<>()[]{}\\,;".contains(char));
            self.address(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default())?;
        }
        Ok(())
    }

    fn search(&self, query: &str) -> Ruling {
        if !self.strict {
            return Ruling::Free;
        }
        // a search that is aimed at a place is a visit by other means
        if let Err(block) = self.mentioned(query) {
            return Ruling::Outside(block);
        }
        let sites = query.split(|char: char| char.is_whitespace() || "\"'(),{}[]".contains(char));
        for site in sites.filter_map(|word| {
            word.get(..5).filter(|front| front.eq_ignore_ascii_case("site:")).and_then(|_| word.get(5..))
        }) {
            if let Err(block) = self.address(site) {
                return Ruling::Outside(block);
            }
        }
        if self.bounds.permissions.web_search { Ruling::Free } else { Ruling::Doubt(self.block(Why::WebSearch)) }
    }

    fn shell(&self, actions: &[Action]) -> Result<(), Block> {
        for action in actions.iter().filter(|action| connects(action)) {
            let mut hosts = action.targets.iter().filter_map(|target| match &target.kind {
                TargetKind::Host { host, .. } => Some(host),
                _ => None,
            });
            let mut any = false;
            if let Some(host) = hosts.find(|host| {
                any = true;
                !self.bounds.allowlist.holds(host)
            }) {
                // a host that the shell works out is written like this
                return Err(self.block(Why::Shell).to(if host == "…" { "" } else { host }));
            }
            if !any {
                return Err(self.block(Why::Shell));
            }
        }
        Ok(())
    }
}

/// Whether an action of a command reaches the network by its own account.
fn connects(action: &Action) -> bool {
    let named = action.targets.iter().any(|target| matches!(target.kind, TargetKind::Host { .. }));
    named
        || matches!(
            action.capability,
            Capability::NetFetch | Capability::NetSend | Capability::NetLoopback | Capability::Remote
        )
}

/// Whether the arguments of an unknown tool hold anything that could be an address.
fn carries(input: &Json) -> bool {
    arguments::find(input, Does::Unsaid).map_or(true, |found| !found.addresses.is_empty() || found.formless)
}

/// A word of prose without what stands around it.
fn unwrapped(word: &str) -> &str {
    word.trim_start_matches(['(', '<', '[', '"', '\'', '`'])
        .trim_end_matches([')', '>', ']', '"', '\'', '`', ',', '.', ';', '!', '?'])
}
