//! The guanxi binary: the command line.

mod cli;
mod progress;
mod remote;

use std::process::ExitCode;

/// A call is many small allocations: the system's allocator took about 7 % of a relation check in a profile.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
