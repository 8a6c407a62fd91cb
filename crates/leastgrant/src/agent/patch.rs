//! Patches in the envelope `*** Begin Patch … *** End Patch`: which files they change, how, and what they add. A line
//! that could be a header is one, wherever it stands: one file too many only tightens, one too few would not.

use leastgrant_core::call::{ChangeKind, FileChange};

/// Most files of one patch.
const FILES: usize = 2_000;

/// The changes of a patch.
///
/// # Errors
/// It is no patch, names no file, or has a header that is not known.
pub fn read(text: &str) -> Result<Vec<FileChange>, String> {
    if text.contains('\0') {
        return Err(String::from("the patch holds a NUL byte"));
    }
    let mut changes: Vec<FileChange> = Vec::new();
    let mut begun = false;
    for line in text.lines() {
        let bare = line.trim();
        if !line.starts_with(['+', '-'])
            && let Some(rest) = bare.strip_prefix("***")
        {
            begun |= rest.trim() == "Begin Patch";
            header(rest.trim(), line.starts_with(' '), &mut changes)?;
            if changes.len() > FILES {
                return Err(format!("a patch of more than {FILES} files"));
            }
        } else if let (Some(added), Some(change)) = (line.strip_prefix('+'), changes.last_mut()) {
            change.added.push_str(added);
            change.added.push('\n');
        }
    }
    match (begun, changes.is_empty()) {
        (false, _) => Err(String::from("it is no patch: `*** Begin Patch` is missing")),
        (true, true) => Err(String::from("the patch names no file")),
        (true, false) => Ok(changes),
    }
}

fn header(said: &str, indented: bool, changes: &mut Vec<FileChange>) -> Result<(), String> {
    let path = |text: &str| match text.trim() {
        "" => Err(format!("the patch has a header without a path: `*** {said}`")),
        path => Ok(path.to_owned()),
    };
    let mut add = |text: &str, kind| -> Result<(), String> {
        changes.push(FileChange { path: path(text)?, kind, added: String::new() });
        Ok(())
    };
    if let Some(file) = said.strip_prefix("Add File:") {
        return add(file, ChangeKind::Add);
    }
    if let Some(file) = said.strip_prefix("Update File:") {
        return add(file, ChangeKind::Update);
    }
    if let Some(file) = said.strip_prefix("Delete File:") {
        return add(file, ChangeKind::Delete);
    }
    if let Some(file) = said.strip_prefix("Move to:") {
        let to = path(file)?;
        let last = changes.last_mut().ok_or("the patch moves a file that it does not name")?;
        match &last.kind {
            ChangeKind::Update => last.kind = ChangeKind::Move { to },
            // a second one, or one where it does not belong: both places count
            _ => changes.push(FileChange { path: to, kind: ChangeKind::Update, added: String::new() }),
        }
        return Ok(());
    }
    // a line of context may look like anything
    if indented || matches!(said, "Begin Patch" | "End Patch" | "End of File") {
        return Ok(());
    }
    Err(format!("the patch has a header that is not known: `*** {}`", said.chars().take(80).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match read(text) {
            Ok(changes) => changes
                .iter()
                .map(|change| format!("{:?} {} {:?}", change.kind, change.path, change.added))
                .collect::<Vec<_>>()
                .join("; "),
            Err(why) => why,
        }
    }

    #[test]
    fn every_file_counts() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: ../c\n@@\n-old\n+new\n ctx\n\
                     *** Delete File: d e\n*** End Patch\n";
        assert_eq!(told(patch), "Add a \"x\\n\"; Move { to: \"../c\" } b \"new\\n\"; Delete d e \"\"");
        assert_eq!(told(&patch.replace('\n', "\r\n")).matches("; ").count(), 2);
    }

    #[test]
    fn what_could_be_a_header_is_one() {
        let hidden = "*** Begin Patch\n*** Update File: a\n@@\n x\n  *** Delete File: b\n*** End Patch";
        assert!(told(hidden).contains("Delete b"));
        let added = "*** Begin Patch\n*** Add File: a\n+*** Delete File: b\n*** End Patch";
        assert_eq!(told(added), "Add a \"*** Delete File: b\\n\"", "an added line is content");
    }

    #[test]
    fn anything_else_is_no_patch() {
        for text in [
            "",
            "rm -rf /",
            "*** Begin Patch\n*** End Patch",
            "*** Add File: a\n+x",
            "*** Begin Patch\n*** Add File:\n+x",
            "*** Begin Patch\n*** Move to: x\n*** End Patch",
            "*** Begin Patch\n*** Rename File: a\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\u{0}\n*** End Patch",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
        let twice = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Move to: c\n*** End Patch";
        assert_eq!(told(twice), "Move { to: \"b\" } a \"\"; Update c \"\"");
    }
}
