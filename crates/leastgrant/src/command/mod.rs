//! People's commands, a file each: `Args` and `run(&Args, &mut Ui) -> Exit`.

pub mod allow;
pub mod ask;
pub mod check;
pub mod config;
pub mod demo;
pub mod deny;
pub mod doctor;
pub mod forget;
pub mod init;
pub mod install;
pub mod knowledge;
pub mod ledger;
pub mod past;
pub mod pause;
pub mod persona;
pub mod resume;
pub mod rule;
pub mod rules;
pub mod simulate;
pub mod status;
pub mod trail;
pub mod trust;
pub mod uninstall;
pub mod verify;
pub mod why;
