//! People's commands, a file each: `Args` and `run(&Args, &mut Ui) -> Exit`.

pub mod check;
pub mod demo;
pub mod doctor;
pub mod install;
pub mod knowledge;
pub mod pause;
pub mod resume;
pub mod uninstall;
