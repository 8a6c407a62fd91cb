//! A private network for one run: this program starts itself again in a network namespace that has loopback and nothing
//! else. Whether that worked is read off the kernel, not taken for granted.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// What stands between the agent and the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// nothing but loopback exists
    Namespace,
    /// loopback addresses and dead proxies only
    None,
}

impl Isolation {
    /// As it stands in a receipt.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Namespace => "network namespace",
            Self::None => "not isolated",
        }
    }

    /// What holds for this process, by its interfaces.
    #[must_use]
    pub fn here() -> Self {
        let devices = std::fs::read_to_string("/proc/net/dev").unwrap_or_default();
        let names: Vec<&str> =
            devices.lines().skip(2).filter_map(|line| line.split(':').next()).map(str::trim).collect();
        if names == ["lo"] { Self::Namespace } else { Self::None }
    }
}

/// The ways in, best first: with its own process ids nothing that was started survives the run.
const WAYS: [&[&str]; 2] = [&["--net", "--pid", "--fork", "--kill-child", "--mount-proc"], &["--net"]];

/// Starts `program` with `args` in a namespace of its own and waits for it.
///
/// # Errors
/// The machine does not allow it, and why.
pub fn reenter(program: &Path, args: &[OsString]) -> Result<ExitStatus, String> {
    let mut why = String::new();
    for way in WAYS {
        let tried = unshare(way, OsStr::new("true"), &[]).stdin(Stdio::null()).stdout(Stdio::null()).output();
        match tried {
            Ok(tried) if tried.status.success() => {
                return unshare(way, program.as_os_str(), args).status().map_err(|error| error.to_string());
            }
            Ok(tried) => why = String::from_utf8_lossy(&tried.stderr).trim().to_owned(),
            Err(error) => why = format!("`unshare` could not be started: {error}"),
        }
    }
    Err(why)
}

fn unshare(way: &[&str], program: &OsStr, args: &[OsString]) -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::getuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    // the namespace begins without even loopback
    command.args(way).args(["--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]).arg(program).args(args);
    command
}
