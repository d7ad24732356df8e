//! The guanxi binary: the command line, the configuration, and the wiring of a backend to the API.

mod cli;
mod clock;
mod config;
mod failure;
mod nearest;
mod progress;
mod remote;
mod telemetry;
mod wire;

use std::process::ExitCode;

/// A call is many small allocations: the system's allocator took about 7 % of a relation check in a profile.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
