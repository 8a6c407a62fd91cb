//! People's commands, a file each: `Args` and `run(&Args, &mut Ui) -> Exit`.

pub mod check;
pub mod knowledge;
