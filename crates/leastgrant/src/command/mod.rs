//! People's commands, a file each: `Args` and `run(&Args, &mut Ui) -> Exit`.

pub mod allow;
pub mod check;
pub mod demo;
pub mod deny;
pub mod doctor;
pub mod forget;
pub mod init;
pub mod install;
pub mod knowledge;
pub mod pause;
pub mod persona;
pub mod persona_report;
pub mod persona_resume;
pub mod persona_run;
pub mod persona_unlock;
pub mod resume;
pub mod rule;
pub mod rules;
pub mod uninstall;
pub mod verify;
