//! The shape of `compatibility/<agent>.json`. Every key is required; `schema.json` says the same to other readers.

use serde::{Deserialize, Serialize};

use super::fact::present;
use super::{Fact, Versions};
use crate::channel::{Allow, Ask, Silence};

macro_rules! shape {
    ($($(#[$about:meta])* $name:ident { $($(#[$says:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name { $($(#[$says])* pub $field: $type,)* }
        )*
    };
}

macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$says:meta])* $word:ident,)* })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
            #[serde(rename_all = "kebab-case")]
            pub enum $name { $($(#[$says])* $word,)* }
        )*
    };
}

shape! {
    /// What is known of one agent.
    Record {
        /// `claude-code`, `codex`, …
        id: String,
        /// as people write it
        name: String,
        /// its configuration folder unless the environment moves it
        home: String,
        /// variables that move it
        home_env: Vec<String>,
        /// programs that start it
        programs: Vec<String>,
        /// what the facts below were measured on
        measured: Measured,
        /// how leastgrant stands in its hook
        attach: Attach,
        /// what a verdict does
        channel: Channel,
        /// whether a person is there
        attendance: Attendance,
        /// what happens when the hook breaks
        failures: Vec<Failure>,
        /// what the hook is asked about
        coverage: Vec<Fact<Coverage>>,
        /// files that decide what it may do later
        control_paths: Vec<Fact<ControlPath>>,
        /// what switches its hooks or prompts off
        off_switches: Vec<Fact<OffSwitch>>,
        /// settings that let calls pass
        grants: Vec<Fact<Grant>>,
        /// files that hold its own credentials
        credential_files: Vec<Fact<String>>,
        /// where it writes down what ran and who approved it
        transcripts: Vec<Fact<Transcript>>,
        /// what it cannot do
        limits: Limits,
        /// what has been run
        verification: Verification,
    }
    /// The scope of what was measured here. Empty where nothing was.
    Measured {
        /// versions
        #[serde(deserialize_with = "present")]
        versions: Option<Versions>,
        /// systems
        os: Vec<String>,
        /// systems on which nothing was run
        not_on: Vec<String>,
        /// the day
        #[serde(deserialize_with = "present")]
        date: Option<String>,
        /// under which conditions, in words
        setting: String,
    }
    /// How leastgrant stands in its hook.
    Attach {
        /// what calls us
        mechanism: Fact<String>,
        /// how the payload and the answer travel
        transport: Fact<String>,
        /// its events and what we do with them
        events: Vec<Fact<Event>>,
        /// files that declare hooks
        files: Vec<Fact<SettingsFile>>,
        /// how an entry says which tools it is for
        matcher: Fact<Matcher>,
        /// how long it waits for a hook
        timeout: Fact<Timeout>,
        /// what it takes before a declared hook runs
        trust: Vec<Fact<String>>,
        /// what happens to hooks while a session runs
        reload: Vec<Fact<String>>,
    }
    /// One event.
    Event {
        /// as the agent spells it
        name: String,
        /// what we do with it
        used: Use,
    }
    /// One file that declares hooks.
    SettingsFile {
        /// where it is
        path: String,
        /// whose it is
        scope: Scope,
        /// how it is read
        format: Format,
    }
    /// How an entry says which tools it is for.
    Matcher {
        /// how the text is read
        dialect: Dialect,
        /// the text that stands for every tool
        every: String,
        /// what else there is to know
        about: String,
    }
    /// How long it waits for a hook.
    Timeout {
        /// unit of the field
        unit: Unit,
        /// what it waits where nothing is said, in seconds
        #[serde(deserialize_with = "present")]
        default_seconds: Option<u64>,
        /// what values it takes, in words
        bounds: String,
    }
    /// What a verdict does.
    Channel {
        /// no output
        silence: Vec<Fact<SilenceSaid>>,
        /// an allow
        allow: Vec<Fact<AllowSaid>>,
        /// an ask
        ask: Vec<Fact<AskSaid>>,
        /// a deny
        deny: Deny,
        /// what becomes of our answer where other hooks answer too
        several: Vec<Fact<String>>,
    }
    /// What no output does.
    SilenceSaid {
        /// what it is worth
        worth: Silence,
        /// in words
        what: String,
    }
    /// What an allow does.
    AllowSaid {
        /// what it is worth
        worth: Allow,
        /// in which of the agent's modes; empty for any that has no row of its own
        modes: Vec<String>,
        /// in words
        what: String,
    }
    /// What an ask does.
    AskSaid {
        /// what it is worth
        worth: Ask,
        /// with a person there or without
        attendance: WhoIsThere,
        /// in which of the agent's modes; empty for any
        modes: Vec<String>,
        /// in words
        what: String,
    }
    /// What a deny does.
    Deny {
        /// the form that we send, in words
        sent: Fact<String>,
        /// it has to end the call as well, or a later hook's allow lifts it
        ends: Fact<bool>,
        /// forms of it, and whether they hold the call
        forms: Vec<Fact<DenyForm>>,
        /// what the model is told
        told: Vec<Fact<String>>,
    }
    /// One form of a deny.
    DenyForm {
        /// in words
        form: String,
        /// the call does not run
        holds: bool,
    }
    /// Whether a person is there.
    Attendance {
        /// what it says about that, in words; unknown where it says nothing
        says: Vec<Fact<AttendanceSource>>,
        /// the modes that it reports
        modes: Fact<Vec<String>>,
        /// what those modes are worth knowing for, in words
        about: Vec<Fact<String>>,
    }
    /// One way of telling.
    AttendanceSource {
        /// `env NAME`, `payload KEY`, …
        from: String,
        /// what its values mean
        says: String,
    }
    /// What happens when the hook breaks in one way.
    Failure {
        /// the way
        kind: FailureKind,
        /// in words
        how: String,
        /// the hook entry as people write it
        bare: Vec<Fact<Gate>>,
        /// the entry as leastgrant writes it
        wired: Vec<Fact<Gate>>,
    }
    /// What the hook is asked about.
    Coverage {
        /// what kind of tool
        surface: Surface,
        /// before it runs, afterwards, or not
        seen: Seen,
        /// in words
        what: String,
    }
    /// One control file or folder.
    ControlPath {
        /// `~/`, `<repo>/`, `<any>/` or absolute; a trailing `/` is everything below
        path: String,
        /// hook config, settings, MCP wiring, instructions, …
        kind: String,
        /// in words
        decides: String,
        /// how strictly it is kept: `config`, `record`, `own`, `persistence`
        hold: String,
    }
    /// What switches hooks or prompts off.
    OffSwitch {
        /// `setting`, `flag`, `flag-value`, `env`
        form: String,
        /// its name
        name: String,
        /// the value that does it; empty for any, `*` for any that is not empty
        is: String,
        /// `hooks` or `prompts`
        effect: String,
    }
    /// A setting that lets calls pass.
    Grant {
        /// where it is in the file
        key: String,
        /// what passes
        what: String,
    }
    /// Where it writes down what ran.
    Transcript {
        /// where
        path: String,
        /// what can be read off it
        tells: String,
    }
    /// What it cannot do; the agent's and ours never mixed.
    Limits {
        /// the agent's
        upstream: Vec<Fact<String>>,
        /// ours
        ours: Vec<Fact<String>>,
    }
    /// What has been run: four different things.
    Verification {
        /// leastgrant in the real agent, enforcement seen happening
        live: Run,
        /// the real agent called a hook over its own transport
        transport: Run,
        /// the contract was read in the shipped program
        contract: Run,
        /// our side passes the suite
        conformance: Run,
    }
    /// One of the four.
    Run {
        /// whether
        done: bool,
        /// what was done, or why not
        what: String,
        /// the agent's versions
        #[serde(deserialize_with = "present")]
        version: Option<Versions>,
        /// the system
        #[serde(deserialize_with = "present")]
        os: Option<String>,
        /// the day
        #[serde(deserialize_with = "present")]
        date: Option<String>,
        /// the receipt that shows it
        #[serde(deserialize_with = "present")]
        receipt: Option<String>,
    }
}

words! {
    /// What we do with an event.
    Use {
        /// every call is judged
        Judges,
        /// what ran is recorded
        Records,
        /// settings are protected
        Protects,
        /// nothing
        Unused,
    }
    /// Whose a settings file is.
    Scope {
        /// the person's
        User,
        /// the project's, shared
        Project,
        /// the project's, on this machine
        Local,
        /// named at start
        Flag,
        /// the machine's
        Managed,
        /// part of a plugin or an extension
        Plugin,
    }
    /// How a settings file is read.
    Format {
        /// strictly
        Json,
        /// with comments
        Jsonc,
        /// TOML
        Toml,
        /// a program that the agent loads
        Plugin,
    }
    /// How a matcher is read.
    Dialect {
        /// a list of exact names, or else a regex that may match anywhere in the name
        ExactOrRegex,
        /// a regex that may match anywhere in the name
        Regex,
        /// a regex that has to match the whole name
        WholeRegex,
        /// there are no matchers
        None,
        /// not measured
        Unknown,
    }
    /// Unit of a timeout field.
    Unit {
        /// seconds
        Seconds,
        /// milliseconds
        Milliseconds,
        /// there is no such field
        None,
        /// not measured
        Unknown,
    }
    /// With a person there or without.
    WhoIsThere {
        /// with
        Attended,
        /// without
        Unattended,
    }
    /// How a hook breaks.
    FailureKind {
        /// it ends with an exit code that is no answer
        Crash,
        /// a signal ends it
        Signal,
        /// it takes too long
        Timeout,
        /// it can't be started
        Missing,
        /// it ends well and prints what is no answer
        BadOutput,
        /// the file that declares it can't be read
        BadSettings,
    }
    /// Whether the call runs all the same.
    Gate {
        /// it does not
        Closed,
        /// not measured
        Unknown,
        /// it does
        Open,
    }
    /// What kind of tool.
    Surface {
        /// commands
        Shell,
        /// reading files
        Read,
        /// writing files
        Write,
        /// deleting files
        Delete,
        /// MCP servers
        Mcp,
        /// starting subagents, and calls inside them
        Subagent,
        /// fetching and searching
        Web,
        /// anything else
        Other,
    }
    /// Whether the hook hears of it.
    Seen {
        /// before it happens
        Gated,
        /// some of it before it happens
        Partly,
        /// afterwards
        After,
        /// not measured
        Unknown,
        /// never
        Never,
    }
}
