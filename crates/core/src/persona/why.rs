//! Why the guard holds a call: named reasons and the words that the persona reads. The words of the reasons that an
//! existing conductor knows are fixed by it; only a host is ever named in them, never an address.

/// What every refusal begins with.
pub const PREFIX: &str = "Leopold persona guard: ";

/// A named reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// `ACTIVE.json` is there and is no readable JSON object (R1)
    ActiveUnreadable,
    /// `active` is no boolean
    ActiveField,
    /// `ACTIVE.json` names no flow (R2)
    NoFlow,
    /// the flow lies outside `flows/`
    FlowPath,
    /// no allowlist can be read from the flow (R3)
    NoAllowlist,
    /// the flow or `ACTIVE.json` is not what it was when the run was armed
    Tampered,
    /// the host is outside the allowlist (R4)
    Outside,
    /// an address that is no http(s) URL (R5)
    NotAUrl,
    /// another scheme than http(s)
    Scheme,
    /// a control character or a blank in the address
    Control,
    /// a host that is not spelled as hosts are
    HostForm,
    /// a navigation that names no address
    NoTarget,
    /// arguments that cannot be read in one way only
    Payload,
    /// arguments beyond what is read
    Limit,
    /// strict: a port that the flow does not name
    Port,
    /// strict: http where the flow says https
    PlainHttp,
    /// strict: a user name or password in the address
    Credentials,
    /// strict: runs code in the page
    Script,
    /// strict: starts a browser its own way, or sends along what the flow does not know of
    Launch,
    /// strict: a file outside the run's folder
    File,
    /// strict: searches the web
    WebSearch,
    /// strict: a command that reaches the network
    Shell,
    /// an action before the conductor's go-ahead
    Lease,
}

impl Why {
    /// Every reason with its id.
    pub const ALL: &[(Self, &'static str)] = &[
        (Self::ActiveUnreadable, "active-unreadable"),
        (Self::ActiveField, "active-field"),
        (Self::NoFlow, "no-flow"),
        (Self::FlowPath, "flow-path"),
        (Self::NoAllowlist, "no-allowlist"),
        (Self::Tampered, "tampered"),
        (Self::Outside, "outside"),
        (Self::NotAUrl, "not-a-url"),
        (Self::Scheme, "scheme"),
        (Self::Control, "control-character"),
        (Self::HostForm, "host-form"),
        (Self::NoTarget, "no-target"),
        (Self::Payload, "payload"),
        (Self::Limit, "limit"),
        (Self::Port, "port"),
        (Self::PlainHttp, "http"),
        (Self::Credentials, "credentials"),
        (Self::Script, "script"),
        (Self::Launch, "launch-option"),
        (Self::File, "file"),
        (Self::WebSearch, "web-search"),
        (Self::Shell, "shell"),
        (Self::Lease, "no-go-ahead"),
    ];

    /// Its id.
    #[must_use]
    pub fn id(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("unknown", |row| row.1)
    }
}

/// Why one call is held. `host` and `flow` are empty where they are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// the named reason
    pub why: Why,
    /// the host that would be visited, bounded
    pub host: String,
    /// the flow's name, bounded
    pub flow: String,
    /// what of it: the file, the field, the word; no address, bounded
    pub detail: String,
}

/// Longest host or name that is told or stored, in characters.
pub const LONGEST: usize = 253;

impl Block {
    /// A reason about a flow.
    #[must_use]
    pub fn new(why: Why, flow: &str) -> Self {
        Self { why, host: String::new(), flow: bounded(flow), detail: String::new() }
    }

    /// With the host.
    #[must_use]
    pub fn to(mut self, host: &str) -> Self {
        self.host = bounded(host);
        self
    }

    /// With what of it.
    #[must_use]
    pub fn of(mut self, detail: &str) -> Self {
        self.detail = bounded(detail);
        self
    }

    /// What the persona reads.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{PREFIX}{}", self.words())
    }

    fn words(&self) -> String {
        const CLOSED: &str = "fail closed";
        const NO_RETRY: &str =
            "the persona stays inside the flow's bounds; journal the wall as a finding instead of retrying.";
        let Self { host, flow, detail, .. } = self;
        let to = if host.is_empty() { String::from("this address") } else { format!("host \"{host}\"") };
        match self.why {
            Why::ActiveUnreadable => format!(
                ".leopold/persona/ACTIVE.json is not a readable JSON object{}, so the run's bounds cannot be proven — {CLOSED}; fix the file, or remove it if no run is active.",
                dashed(detail)
            ),
            Why::ActiveField => format!(
                "the field \"active\" of .leopold/persona/ACTIVE.json is neither true nor false, so it cannot be told whether a run is active — {CLOSED}; fix the file, or remove it if no run is active."
            ),
            Why::NoFlow => format!(
                ".leopold/persona/ACTIVE.json names no flow, so the domain allowlist cannot be read — {CLOSED}."
            ),
            Why::FlowPath => format!(
                "the flow that .leopold/persona/ACTIVE.json names is not a file below .leopold/persona/flows/ — {CLOSED}."
            ),
            Why::NoAllowlist => {
                format!("no domain allowlist can be read from flow \"{flow}\"{} — {CLOSED}.", dashed(detail))
            }
            Why::Tampered => format!(
                "{detail} is not what it was when flow \"{flow}\" was armed — {CLOSED}; a person looks at it and runs `leastgrant persona disarm`."
            ),
            Why::Outside => {
                format!("navigation to host \"{host}\" is outside the domain allowlist of flow \"{flow}\" — {NO_RETRY}")
            }
            Why::NotAUrl => format!(
                "an address of this call is not an http(s) URL, so it cannot be shown to be inside the domain allowlist of flow \"{flow}\" — {CLOSED}."
            ),
            Why::Scheme => format!(
                "navigation to {to} by the scheme \"{detail}\" is outside the bounds of flow \"{flow}\": only http and https are — {NO_RETRY}"
            ),
            Why::Control => format!(
                "an address of this call holds a blank or a control character; a browser would go to {to}, other programs elsewhere — {CLOSED} for flow \"{flow}\"."
            ),
            Why::HostForm => format!(
                "the host of an address is not spelled as hosts are ({detail}); a browser would go to {to}, other programs elsewhere — {CLOSED} for flow \"{flow}\"."
            ),
            Why::NoTarget => format!(
                "this navigation names no address, so it cannot be shown to be inside the domain allowlist of flow \"{flow}\" — {CLOSED}."
            ),
            Why::Payload => format!(
                "the call cannot be read in one way only{}, so its addresses cannot be judged while a run is active — {CLOSED}.",
                dashed(detail)
            ),
            Why::Limit => format!("the call's arguments are too many or too deep to be read — {CLOSED}."),
            Why::Port => {
                format!("port {detail} of {to} is not one that flow \"{flow}\" names — {NO_RETRY}")
            }
            Why::PlainHttp => format!("{to} by http, where flow \"{flow}\" says https — {NO_RETRY}"),
            Why::Credentials => {
                format!(
                    "an address to {to} carries a user name or password; flow \"{flow}\" is walked without — {NO_RETRY}"
                )
            }
            Why::Script => format!(
                "code in the page could go anywhere, and flow \"{flow}\" does not permit scripts — use the page as a person would, or journal the wall as a finding."
            ),
            Why::Launch => format!(
                "\"{detail}\" changes how the browser is started or what it sends, which flow \"{flow}\" does not know of — {NO_RETRY}"
            ),
            Why::File => format!(
                "\"{detail}\" names a file outside .leopold/persona/runs/, which is all that flow \"{flow}\" may read or write — {NO_RETRY}"
            ),
            Why::WebSearch => {
                format!("a web search leaves the domain allowlist of flow \"{flow}\", which does not permit one.")
            }
            Why::Shell => format!(
                "this command reaches {} from outside the browser while flow \"{flow}\" is walked — {NO_RETRY}",
                if host.is_empty() { String::from("the network, and its host cannot be read") } else { to }
            ),
            Why::Lease => format!(
                "the turn of flow \"{flow}\" has no go-ahead yet: hand in the persona-turn block and act when the conductor says so."
            ),
        }
    }
}

fn dashed(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}

/// One line of bounded length without control characters, secrets masked.
#[must_use]
pub fn bounded(text: &str) -> String {
    let line: String =
        text.chars().take(LONGEST * 4).map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect();
    let masked = crate::redact::redact(&line);
    if masked.chars().count() <= LONGEST { masked } else { masked.chars().take(LONGEST).chain(['…']).collect() }
}
