//! `leastgrant`: the hook is recognised from the arguments before anything else is built; people's commands go to
//! [`leastgrant::cli`]. The only place that ends the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|word| word == "hook") {
        return leastgrant::hook::main(args.get(1..).unwrap_or_default());
    }
    leastgrant::cli::main().into()
}
