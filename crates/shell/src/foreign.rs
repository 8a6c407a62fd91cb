//! Text that another language reads: PowerShell and the command prompt of Windows, where that is clear.

use crate::walk::Walk;
use crate::{Span, Value, Why, Word};

/// Marks a command that is clearly not for a POSIX-like shell.
pub(crate) fn look(walk: &mut Walk<'_>, span: Span, words: &[Word]) {
    let Some(first) = words.first() else { return };
    if first.value.exact().is_some_and(is_cmdlet) {
        walk.opaque(span, Why::OtherLanguage);
        return;
    }
    for word in words {
        if word.quoted {
            continue;
        }
        if let Value::Exact(text) = &word.value
            && percent_variable(text)
        {
            walk.opaque(word.span, Why::OtherLanguage);
            return;
        }
    }
}

/// `Get-ChildItem` and its like: an approved verb, a dash, a noun in capitals.
fn is_cmdlet(name: &str) -> bool {
    let Some((verb, noun)) = name.split_once('-') else {
        return false;
    };
    let known = matches!(
        verb,
        "Add"
            | "Clear"
            | "Close"
            | "Compare"
            | "Compress"
            | "Convert"
            | "ConvertFrom"
            | "ConvertTo"
            | "Copy"
            | "Disable"
            | "Enable"
            | "Enter"
            | "Exit"
            | "Expand"
            | "Export"
            | "Find"
            | "Format"
            | "Get"
            | "Group"
            | "Import"
            | "Install"
            | "Invoke"
            | "Join"
            | "Measure"
            | "Mount"
            | "Move"
            | "New"
            | "Out"
            | "Pop"
            | "Push"
            | "Read"
            | "Receive"
            | "Register"
            | "Remove"
            | "Rename"
            | "Resolve"
            | "Restart"
            | "Resume"
            | "Save"
            | "Select"
            | "Send"
            | "Set"
            | "Show"
            | "Sort"
            | "Split"
            | "Start"
            | "Stop"
            | "Suspend"
            | "Tee"
            | "Test"
            | "Trace"
            | "Unblock"
            | "Uninstall"
            | "Unregister"
            | "Update"
            | "Use"
            | "Wait"
            | "Where"
            | "Write"
            | "ForEach"
    );
    known
        && noun.starts_with(|c: char| c.is_ascii_uppercase())
        && noun.bytes().all(|c| c.is_ascii_alphanumeric())
}

/// `%USERPROFILE%`: at least three capitals between two percent signs.
fn percent_variable(text: &str) -> bool {
    text.split('%').skip(1).any(|piece| {
        piece.len() >= 4
            && piece.bytes().all(|c| c.is_ascii_uppercase() || c == b'_')
            && text.contains(&format!("%{piece}%"))
    })
}
