//! What all journeys of a run share.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::Duration;

use leastgrant_core::conduct::bounds::Bounds;

use super::lease::Held;
use super::news::News;
use super::stop::Stop;
use super::worker::Setup;

/// The stage of a run.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) state: PathBuf,
    pub(super) run: PathBuf,
    pub(super) bounds: Bounds,
    pub(super) flow_text: String,
    pub(super) app_version: String,
    pub(super) setup: Setup,
    pub(super) lease: Held,
    pub(super) patience: Duration,
    pub(super) stop: Stop,
}

/// One journey that is to be walked.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) persona: String,
    pub(super) contract: String,
}

/// Where news go; nobody may be listening.
#[derive(Clone, Debug)]
pub(super) struct Wire(pub(super) Sender<News>);

impl Wire {
    pub(super) fn send(&self, news: News) {
        let _ = self.0.send(news);
    }
}
