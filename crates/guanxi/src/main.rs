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

fn main() -> ExitCode {
    cli::main()
}
