//! What a call would do: actions on targets, each with a capability and a blast radius.

use leastgrant_shell::Span;

use crate::path::Place;

/// One thing that a call would do.
#[derive(Clone, Debug)]
pub struct Action {
    /// what kind of thing
    pub capability: Capability,
    /// how far it reaches and what it costs to undo
    pub blast: Blast,
    /// on what
    pub targets: Vec<Target>,
    /// the learnable identity (see [`crate::signature`])
    pub signature: String,
    /// the command or tool as a person would say it, not redacted
    pub display: String,
    /// the part of the shell text that does it
    pub span: Option<Span>,
    /// why it could not be accounted for; none means understood
    pub opaque: Option<Opaque>,
    /// facts that raise floors by themselves
    pub marks: Vec<Mark>,
    /// what it does, in words, most telling first
    pub notes: Vec<String>,
    /// a safe way to the same end, where the knowledge has one
    pub safer: Option<String>,
    /// the knowledge family that judged it (`git`, `files`, …)
    pub family: &'static str,
}

/// Something that could not be accounted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// in the shell text
    pub span: Option<Span>,
    /// in words, lower case, no full stop
    pub why: String,
}

/// Facts that fire a floor whatever the capability says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// runs with more rights (`sudo`, a config key that runs programs)
    Privilege,
    /// runs what was fetched in the same call
    PipeToShell,
    /// fetches a package and runs it (`npx`, `uvx`)
    FetchRun,
    /// schedules itself or starts with the machine
    Persistence,
    /// changes published history or a production system
    Production,
    /// environment that injects code into other programs
    Injection,
    /// starts another agent with an off-switch
    AgentOffSwitch,
    /// opens a shell or interpreter that would read its commands from later typing
    LaterInput,
    /// runs a `leastgrant` subcommand that changes what it may do
    OwnCommand,
    /// puts an off-switch of a hook, or a change of our entry, into a settings file
    Disarm,
    /// leaves a safeguard out, so that no bundle was meant for it; fires no floor
    Unusual,
}

/// What kind of thing an action does (27 of the parity table, refined).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the ids in `id` are the documentation")]
pub enum Capability {
    Meta,
    ReadWorkspace,
    ReadOutside,
    WriteWorkspace,
    WriteOutside,
    Delete,
    /// a delete that can be made again or was made here: build output, files of this session, single tracked files
    DeleteKnown,
    SecretRead,
    Inspect,
    Build,
    Test,
    Package,
    /// an install from a lock file, or one that runs no scripts
    PackageLocked,
    PackagePublish,
    VcsRead,
    VcsWrite,
    VcsPush,
    VcsPublish,
    Container,
    /// a container without mounts outside, privileges or host namespaces
    ContainerBounded,
    Cloud,
    Iac,
    Database,
    Process,
    Privilege,
    Remote,
    Unknown,
    NetFetch,
    NetSend,
    /// a request that sends something to this machine itself
    NetLoopback,
    McpCall,
    McpRead,
    AgentSpawn,
}

impl Capability {
    /// Every capability with its id and default blast (source: parity table §6; refined rows are ours).
    pub const ALL: [(Self, &'static str, Blast); 33] = {
        use Exposure as E;
        use Reach as R;
        use Scale as S;
        use Undo as U;
        const fn b(reach: Reach, undo: Undo, exposure: Exposure, scale: Scale) -> Blast {
            Blast { reach, undo, exposure, scale }
        }
        [
            (Self::Meta, "meta", b(R::None, U::Trivial, E::None, S::Single)),
            (Self::ReadWorkspace, "fs.read.workspace", b(R::Workspace, U::Trivial, E::None, S::Single)),
            (Self::ReadOutside, "fs.read.outside", b(R::Machine, U::Trivial, E::None, S::Single)),
            (Self::WriteWorkspace, "fs.write.workspace", b(R::Workspace, U::Easy, E::None, S::Single)),
            (Self::WriteOutside, "fs.write.outside", b(R::Machine, U::Hard, E::None, S::Single)),
            (Self::Delete, "fs.delete", b(R::Workspace, U::Hard, E::None, S::Single)),
            (Self::DeleteKnown, "fs.delete.known", b(R::Workspace, U::Easy, E::None, S::Single)),
            (Self::SecretRead, "secret.read", b(R::Machine, U::Trivial, E::ReadsSecrets, S::Single)),
            (Self::Inspect, "exec.inspect", b(R::Workspace, U::Trivial, E::None, S::Single)),
            (Self::Build, "exec.build", b(R::Workspace, U::Easy, E::None, S::Many)),
            (Self::Test, "exec.test", b(R::Workspace, U::Easy, E::None, S::Many)),
            (Self::Package, "exec.pkg", b(R::Machine, U::Easy, E::None, S::Many)),
            (Self::PackageLocked, "exec.pkg.locked", b(R::Machine, U::Easy, E::None, S::Single)),
            (Self::PackagePublish, "exec.pkg.publish", b(R::External, U::Irreversible, E::None, S::Single)),
            (Self::VcsRead, "exec.vcs.read", b(R::Workspace, U::Trivial, E::None, S::Single)),
            (Self::VcsWrite, "exec.vcs.write", b(R::Workspace, U::Easy, E::None, S::Many)),
            (Self::VcsPush, "exec.vcs.push", b(R::Network, U::Easy, E::None, S::Single)),
            (Self::VcsPublish, "exec.vcs.publish", b(R::External, U::Hard, E::None, S::Many)),
            (Self::Container, "exec.container", b(R::Machine, U::Easy, E::None, S::Many)),
            (Self::ContainerBounded, "exec.container.bounded", b(R::Machine, U::Easy, E::None, S::Single)),
            (Self::Cloud, "exec.cloud", b(R::External, U::Hard, E::None, S::Many)),
            (Self::Iac, "exec.iac", b(R::External, U::Hard, E::None, S::Sweeping)),
            (Self::Database, "exec.db", b(R::External, U::Hard, E::None, S::Many)),
            (Self::Process, "exec.process", b(R::Machine, U::Easy, E::None, S::Single)),
            (Self::Privilege, "exec.privilege", b(R::Machine, U::Hard, E::None, S::Many)),
            (Self::Remote, "exec.remote", b(R::External, U::Hard, E::None, S::Many)),
            (Self::Unknown, "exec.unknown", b(R::Machine, U::Hard, E::None, S::Single)),
            (Self::NetFetch, "net.fetch", b(R::Network, U::Trivial, E::None, S::Single)),
            (Self::NetSend, "net.send", b(R::Network, U::Irreversible, E::CanExfiltrate, S::Single)),
            (Self::NetLoopback, "net.loopback", b(R::Machine, U::Easy, E::None, S::Single)),
            (Self::McpCall, "mcp.call", b(R::External, U::Hard, E::None, S::Single)),
            (Self::McpRead, "mcp.read", b(R::Network, U::Trivial, E::None, S::Single)),
            (Self::AgentSpawn, "agent.spawn", b(R::Workspace, U::Easy, E::None, S::Many)),
        ]
    };

    /// The id that rules, the ledger and people use.
    #[must_use]
    pub fn id(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("exec.unknown", |row| row.1)
    }

    /// The capability with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == id).map(|row| row.0)
    }

    /// The blast it has unless an argument says otherwise.
    #[must_use]
    pub fn default_blast(self) -> Blast {
        Self::ALL.iter().find(|row| row.0 == self).map_or(
            Blast { reach: Reach::Machine, undo: Undo::Hard, exposure: Exposure::None, scale: Scale::Single },
            |row| row.2,
        )
    }
}

/// How far an action reaches. Order: worse is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words are the documentation")]
pub enum Reach {
    None,
    Workspace,
    Machine,
    Network,
    External,
    Production,
}

/// What it costs to undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words are the documentation")]
pub enum Undo {
    Trivial,
    Easy,
    Hard,
    Irreversible,
}

/// What it may lay open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words are the documentation")]
pub enum Exposure {
    None,
    ReadsSecrets,
    CanExfiltrate,
}

/// How much it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words are the documentation")]
pub enum Scale {
    Single,
    Many,
    Sweeping,
}

/// Blast radius.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each type says it")]
pub struct Blast {
    pub reach: Reach,
    pub undo: Undo,
    pub exposure: Exposure,
    pub scale: Scale,
}

impl Blast {
    /// Tier 0 to 4: the worst of reach, undo and exposure, raised by scale where something is at stake
    /// (source: parity table §5.2).
    #[must_use]
    pub fn tier(self) -> u8 {
        let reach = match self.reach {
            Reach::None => 0,
            Reach::Workspace => 1,
            Reach::Machine | Reach::Network => 2,
            Reach::External => 3,
            Reach::Production => 4,
        };
        let undo = match self.undo {
            Undo::Trivial => 0,
            Undo::Easy => 1,
            Undo::Hard => 3,
            Undo::Irreversible => 4,
        };
        let exposure = match self.exposure {
            Exposure::None => 0,
            Exposure::ReadsSecrets => 3,
            Exposure::CanExfiltrate => 4,
        };
        let base = reach.max(undo).max(exposure);
        let amplifiable = reach >= 2 || undo >= 3 || exposure > 0;
        let bump = match self.scale {
            Scale::Single => 0,
            Scale::Many => 1,
            Scale::Sweeping => 2,
        };
        if base > 0 && amplifiable { (base + bump).min(4) } else { base }
    }

    /// The worse of both in reach, undo and exposure, and at least the tier of each; the scale of the one that weighs more,
    /// so that many small things within one bounded thing do not weigh more than either.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let scale = match self.tier().cmp(&other.tier()) {
            std::cmp::Ordering::Greater => self.scale,
            std::cmp::Ordering::Less => other.scale,
            std::cmp::Ordering::Equal => self.scale.max(other.scale),
        };
        Self { scale, ..self.at_least(other) }
    }

    /// The worse of both in every dimension. Never gate on the tier of a join of several actions: it is not
    /// tier-preserving.
    #[must_use]
    pub fn at_least(self, other: Self) -> Self {
        Self {
            reach: self.reach.max(other.reach),
            undo: self.undo.max(other.undo),
            exposure: self.exposure.max(other.exposure),
            scale: self.scale.max(other.scale),
        }
    }
}

/// What an action touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// what happens to it
    pub role: Role,
    /// what it is
    pub kind: TargetKind,
    /// as it was written
    pub text: String,
    /// in the shell text
    pub span: Option<Span>,
}

/// What happens to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words are the documentation")]
pub enum Role {
    List,
    Read,
    Write,
    Delete,
    Execute,
    Connect,
    Send,
}

impl Role {
    /// Whether it changes what it touches.
    #[must_use]
    pub fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Delete)
    }
}

/// What a target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// a file or folder
    Path(Place),
    /// a host on the network
    Host {
        /// ASCII form, lower case
        host: String,
        /// this machine itself
        local: bool,
    },
    /// a package, with or without version
    Package(String),
    /// anything else that has a name (a cloud resource, a process, a database)
    Named(String),
}
