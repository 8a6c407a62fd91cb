//! Windows commands by name: their switches begin with a slash.

use crate::action::{Capability, Reach, Role, Scale, Undo};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb;

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let switch = |arg: &&Arg| {
        let text = arg.prefix();
        text.starts_with('/') && text.len() <= 12 && !text.get(1..).unwrap_or_default().contains('/')
    };
    let paths: Vec<Arg> = parsed.args.iter().filter(|arg| !switch(arg) && !arg.prefix().starts_with('-')).cloned().collect();
    let has = |names: &[&str]| parsed.args.iter().any(|arg| names.contains(&arg.prefix().to_ascii_lowercase().as_str()));
    match verb::program(scene).as_str() {
        "findstr" => {
            // `/c:text`, `/i`, then the pattern, then files
            let given = parsed.args.iter().any(|arg| arg.prefix().to_ascii_lowercase().starts_with("/c:") || arg.prefix().to_ascii_lowercase().starts_with("/g:"));
            for arg in paths.iter().skip(usize::from(!given)) {
                draft::add_slot(draft, scene.world, &scene.cwd, arg, crate::knowledge::Slot::MaybeRead);
            }
        }
        "fc" | "comp" | "expand" | "tree.com" | "where" | "verify" | "path" | "ver" | "query" | "quser" | "qwinsta" | "driverquery" | "gpresult" | "getmac"
        | "nbtstat" | "pathping" | "tracert" | "doskey" | "prompt" | "choice" | "timeout.exe" | "waitfor" => {
            for arg in paths.iter().filter(|arg| draft::looks_like_path(arg.prefix())) {
                verb::path(draft, scene, arg, Role::Read);
            }
        }
        "del" | "erase" | "rd" => {
            draft.become_(Capability::Delete);
            if has(&["/s", "/q"]) {
                draft.blast.scale = Scale::Many;
            }
            paths.iter().for_each(|arg| verb::path(draft, scene, arg, Role::Delete));
        }
        "copy" | "xcopy" | "robocopy" | "replace" | "move" | "ren" | "rename" => {
            draft.become_(Capability::WriteWorkspace);
            if has(&["/mir", "/purge"]) {
                draft.blast.undo = Undo::Irreversible;
                draft.blast.scale = Scale::Sweeping;
            }
            if let Some((to, from)) = paths.split_last() {
                from.iter().for_each(|arg| verb::path(draft, scene, arg, Role::Read));
                verb::path(draft, scene, to, Role::Write);
            }
        }
        "md" | "mklink" | "attrib" | "compact" | "makecab" | "extrac32" | "label" => {
            draft.become_(Capability::WriteWorkspace);
            paths.iter().filter(|arg| !arg.prefix().starts_with('+')).for_each(|arg| verb::path(draft, scene, arg, Role::Write));
        }
        "icacls" | "cacls" | "takeown" if paths.len() > 1 || has(&["/f", "/r", "/reset", "/grant", "/deny"]) || !parsed.args.is_empty() && parsed.args.len() > 1 => {
            verb::privileged(draft, "changes who may reach files");
        }
        "sfc" | "dism" | "pnputil" | "powercfg" | "fsutil" | "subst" | "certreq" | "recover" if !has(&["/list", "/query", "/l", "/getactivescheme", "/enum-drivers"]) => {
            verb::privileged(draft, "changes the system");
        }
        "bitsadmin" | "certoc" | "forfiles" => {
            draft.become_(Capability::Unknown);
            draft.blast.reach = Reach::Network;
            draft.opaque(Some(scene.span), "fetches or runs something under a harmless name");
        }
        _ => {}
    }
}
