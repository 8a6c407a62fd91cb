//! `leastgrant persona report RUN_DIR`: the report of a run again, from its journals alone.

use std::path::PathBuf;

use crate::conduct::report;
use crate::exit::Exit;
use crate::render::Ui;
use crate::render::words::count;

/// Arguments of `persona report`.
#[derive(clap::Args)]
pub struct Args {
    /// the run's folder
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
}

/// Writes the report.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match report::write(&args.run) {
        Ok(written) if ui.json => ui.json(&serde_json::json!({
            "markdown": written.markdown,
            "html": written.html,
            "personas": written.personas,
            "findings": written.findings,
        })),
        Ok(written) => {
            let (personas, findings) =
                (count(written.personas, "persona", "personas"), count(written.findings, "finding", "findings"));
            ui.line(format!("{findings} of {personas}"));
            ui.line(written.markdown.display());
            ui.line(written.html.display());
        }
        Err(why) => {
            ui.error(&why);
            return Exit::Impossible;
        }
    }
    Exit::Ok
}
