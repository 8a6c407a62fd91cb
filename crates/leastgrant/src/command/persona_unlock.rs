//! `leastgrant persona unlock commit|push`: lets the workers of the run in this project commit or push, until it ends. Only a
//! person at a terminal can; a forced push stays refused.

use crate::conduct::lease;
use crate::exit::Exit;
use crate::install::place::Places;
use crate::install::terminal;
use crate::render::Ui;

/// Arguments of `persona unlock`.
#[derive(clap::Args)]
pub struct Args {
    /// what is let through
    #[arg(value_parser = ["commit", "push"])]
    what: String,
}

/// Unlocks.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    if let Err(why) = terminal::person() {
        ui.error(&format!("only a person at a terminal can unlock git for personas: {why}"));
        return Exit::Bad;
    }
    let unlocked = Places::from_env(None).and_then(|places| {
        let root = crate::persona::scene::project(&places.here).unwrap_or_else(|| places.project.clone());
        let root = root.canonicalize().map_err(|error| format!("`{}`: {error}", root.display()))?;
        lease::unlock(&places.state, &root, &args.what)
    });
    match unlocked {
        Ok(()) => ui.line(format!("workers of this run may {} now, until it ends", args.what)),
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    }
    Exit::Ok
}
