//! Objects in a cloud's storage: uploads send, downloads write here, mirrors delete.

use crate::action::{Capability, Exposure, Reach, Role, Scale};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb::{self, words};

/// `gs://…`, `s3://…`, `remote:path`, `https://account.blob…`
fn remote(text: &str) -> bool {
    text.contains("://") || text.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.contains('/') && name.len() > 1)
}

/// From the first to the last of these.
pub(super) fn transfer(draft: &mut Draft, scene: &Scene<'_>, ends: &[Arg], moves: bool, mirrors: bool) {
    let Some((to, from)) = ends.split_last() else {
        draft.opaque(Some(scene.span), "what is copied where is not known");
        return;
    };
    let uploads = remote(to.prefix());
    if from.is_empty() || from.iter().chain([to]).any(|arg| arg.exact().is_none()) {
        draft.opaque(Some(scene.span), "what is copied where is not known");
    }
    if uploads {
        draft.become_(Capability::Cloud);
        draft.blast.scale = Scale::Single;
        for arg in from.iter().filter(|arg| !remote(arg.prefix())) {
            draft.blast.exposure = Exposure::CanExfiltrate;
            draft.note("sends files of this machine");
            if arg.exact() != Some("-") {
                verb::path(draft, scene, arg, Role::Send);
            }
        }
    } else if to.exact() == Some("-") {
        verb::looks(draft, Capability::Cloud);
        draft.blast.exposure = Exposure::ReadsSecrets;
        draft.note("prints what an object holds");
    } else {
        draft.become_(Capability::WriteWorkspace);
        draft.blast.reach = Reach::Network;
        verb::path(draft, scene, to, if mirrors { Role::Delete } else { Role::Write });
    }
    if mirrors {
        draft.blast.undo = crate::action::Undo::Irreversible;
        draft.blast.scale = Scale::Sweeping;
        draft.note("removes what is not at the source");
    }
    if moves {
        draft.blast.undo = draft.blast.undo.max(crate::action::Undo::Hard);
        for arg in from.iter().filter(|arg| !remote(arg.prefix())) {
            verb::path(draft, scene, arg, Role::Delete);
        }
    }
}

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let start = words.iter().position(|word| *word != "storage").unwrap_or_default();
    let program = verb::program(scene);
    let first = words.get(start).copied().unwrap_or_default();
    let rest: Vec<Arg> = parsed.operands.iter().skip(start + 1).map(|operand| operand.1.clone()).collect();
    let mirrors = parsed.has(&["-d"]) || parsed.args.iter().any(|arg| arg.prefix().starts_with("--delete"));
    match first {
        "" => draft.become_(Capability::Inspect),
        "ls" | "lsd" | "lsl" | "lsf" | "lsjson" | "du" | "stat" | "hash" | "about" | "size" | "list" | "tree" | "snapshots" | "stats" | "version"
        | "info" | "check" | "find" | "head" | "ncdu" | "listremotes" | "md5sum" | "sha1sum" | "la" | "diff" => {
            verb::looks(draft, Capability::Cloud);
        }
        "cat" | "dump" | "get-object" => {
            verb::looks(draft, Capability::Cloud);
            draft.blast.exposure = Exposure::ReadsSecrets;
            draft.note("prints what an object holds");
        }
        "signurl" | "share" | "link" | "sign-url" | "presign" => {
            verb::looks(draft, Capability::Cloud);
            draft.blast.exposure = Exposure::CanExfiltrate;
            draft.note("makes an address that everyone can read");
        }
        "rm" | "rb" | "delete" | "purge" | "rmdir" | "rmdirs" | "cleanup" | "deletefile" | "forget" | "prune" | "del" | "remove" => {
            verb::destroys(draft, Capability::Cloud, Scale::Sweeping);
        }
        "cp" | "copy" | "copyto" | "mv" | "move" | "moveto" | "rsync" | "sync" | "bisync" | "mirror" | "put" | "get" | "upload" | "download" | "make" => {
            let mirrors = mirrors || matches!(first, "bisync") || first == "sync" && program == "rclone";
            transfer(draft, scene, &rest, first.starts_with('m') && first != "mirror" && first != "make", mirrors);
        }
        "backup" | "create" => {
            draft.become_(Capability::Cloud);
            draft.blast.exposure = Exposure::CanExfiltrate;
            for arg in &rest {
                verb::path(draft, scene, arg, Role::Send);
            }
        }
        "restore" | "extract" | "mount" | "serve" => draft.opaque(Some(scene.span), "writes or serves whole folders"),
        "acl" | "defacl" | "iam" | "setacl" | "website" | "cors" | "lifecycle" | "label" | "versioning" | "policy" | "anonymous" | "mb" | "mkdir"
        | "touch" | "setmeta" | "rewrite" | "config" | "retention" | "admin" | "alias" | "init" | "unlock" | "key" => {
            draft.become_(Capability::Cloud);
        }
        _ => draft.opaque(Some(scene.span), "a subcommand that is not known"),
    }
    let public = parsed.args.iter().any(|arg| {
        let text = arg.prefix();
        text.contains("AllUsers") || text.contains("public-read") || text.contains("allUsers") || text == "public"
    });
    if public {
        draft.blast.exposure = Exposure::CanExfiltrate;
        draft.note("opens it to everyone");
    }
}
