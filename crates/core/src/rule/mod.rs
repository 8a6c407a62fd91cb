//! Rules that a person wrote: schema, matching, layers. Deny wins, then ask, then allow; an allow never lifts an
//! integrity floor.

/// What a matching rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// may run, although an ask floor holds
    Allow,
    /// a person decides
    Ask,
    /// must not run
    Deny,
}

/// Where a rule comes from; later is narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// for every user of the machine
    Machine,
    /// the person's own
    User,
    /// the project's (can only tighten until trusted)
    Project,
    /// this session's
    Session,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// what it says
    pub effect: Effect,
    /// exact command text, or a glob on signatures
    pub pattern: String,
    /// where it comes from
    pub layer: Layer,
    /// the project root it is bound to; none for all
    pub project: Option<String>,
    /// why, in the person's words
    pub note: Option<String>,
    /// milliseconds since 1970 after which it no longer counts
    pub until_ms: Option<i64>,
}
