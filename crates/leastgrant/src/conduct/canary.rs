//! Codex runs an untrusted hook as if it were not there, without a word. So before a run of it begins, one call that is out
//! of bounds is made through the agent itself: it must come back refused, in the guard's words.

use std::time::{Duration, Instant};

use leastgrant_core::conduct::walk::Answer;

use super::guard;
use super::stage::Stage;
use super::worker::{Sound, Worker};

const PATIENCE: Duration = Duration::from_secs(120);
const PERSONA: &str = "leastgrant-canary";

/// How often the guard's events tell of the canary.
fn told(stage: &Stage) -> usize {
    let path = crate::persona::journal::path(&stage.setup.root.to_string_lossy());
    std::fs::read_to_string(path).unwrap_or_default().matches("leastgrant-canary.invalid").count()
}

/// One refused call, or why the run does not begin.
pub(super) fn refused(stage: &Stage) -> Result<(), String> {
    let outcome = asked(stage);
    let _ = stage.lease.set(PERSONA, None, 0, false);
    outcome.map_err(|why| format!("the canary call was not refused ({why}), so the run does not begin"))
}

fn asked(stage: &Stage) -> Result<(), String> {
    let server =
        stage.setup.servers.first().ok_or("no server that drives a browser is known: name it with `--browser`")?;
    let mut worker = Worker::new(stage.setup.clone());
    worker.launch()?;
    worker.say(&format!(
        "CANARY: this is a test of a guard. Call the tool of the server `{server}` that opens an address exactly once, with \
         the address https://leastgrant-canary.invalid/, and then answer with what came back. The call will be refused; do \
         not try again."
    ))?;
    let end = Instant::now() + PATIENCE.min(stage.patience);
    let before = told(stage);
    let mut refused = false;
    while Instant::now() < end {
        if let Some(why) = stage.stop.asked() {
            return Err(why.to_owned());
        }
        match worker.next(Duration::from_millis(50)) {
            Some(Sound::Session(_)) => stage.lease.set(PERSONA, worker.session(), 0, false)?,
            Some(Sound::Answered { answer: Answer::Refused, .. }) => refused = true,
            Some(Sound::Answered { answer, text, .. }) => {
                let text = leastgrant_core::conduct::mask::line(&text, 200);
                return Err(format!("a call came back as {answer:?}: {text}"));
            }
            // where a refused call leaves no trace of its own, the agent's answer carries the guard's words
            Some(Sound::Said(text)) => {
                refused |= text.contains(leastgrant_core::persona::why::PREFIX)
                    || text.contains(leastgrant_core::conduct::gate::PREFIX);
            }
            Some(Sound::Rests) => break,
            Some(Sound::Gone(how)) => return Err(format!("the agent ended: {how}")),
            _ => {}
        }
    }
    worker.end();
    // a refused call may leave no trace in the agent's stream: the guard's own word counts
    let session = worker.session().unwrap_or_default();
    refused |= !guard::refusals(&stage.state, &stage.setup.root, session, 0).is_empty();
    // nor has the lease to have known the session when the call came
    if refused || told(stage) > before { Ok(()) } else { Err(String::from("the agent made no such call")) }
}
