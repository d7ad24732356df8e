//! The guanxi binary: the command line, the configuration, and the wiring of a backend to the API.

mod cli;
mod clock;
mod config;
mod edges;
mod failure;
mod progress;
mod telemetry;
mod wire;

use std::process::ExitCode;

/// Small allocations of one call dominate: about a tenth of a relation check with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
