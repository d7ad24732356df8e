//! Developer commands: `cargo xtask <command>`.
//!
//! Built first on a fresh machine, so it keeps to few dependencies.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a terminal is this program's interface")]

mod cluster;
#[cfg(feature = "codegen")]
mod codegen;
mod deploy_check;
mod dist;
mod fuzz;
mod long;
mod packages;
mod rebuild;
mod schemathesis;
mod screenshots;
mod setup;
mod steps;
mod test;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  setup                        install what the tests and benchmarks need (Debian)
  test [--seed N | --all]      setup, then the tests of the workspace: what is run at each change, or everything; ends with
                               what each suite costs and what was left out; --help says which is which
  cluster up [--databases N] [--release]
                               a cluster on this machine: 1 to 4 servers of PostgreSQL, two processes that answer calls, two that
                               work; prints where they are
  cluster down                 end it and remove what it left
  tidy                         hold the invariants of ARCHITECTURE.md against the tree
  lines [--json]               how many lines, files, functions and public items each package has
  codegen [--check]            generate the API's code from proto/; --check only compares
  crash --kills N [--seed S]   the long crash run: N kills of a serving process
  oracle --traces N [--seed S] [--on-disk-every K] [--json]
                               the long run of the simulator: homes of N random histories against their definition
  search-oracle [--searches N] [--seed S]
                               the long run of searches: what N of them show, 100,000 by default, against a look at everything,
                               with the index stopped, late, crashed or built anew meanwhile
  fuzz [--seconds N] [--seed S] [--keep] [TARGET]
                               the long run of the decoders' targets; --keep adds what is new to tests-data/fuzz
  malformed [--count N] [--seed S]
                               a million strings that are nearly HTTP, gRPC, JSON, tokens and ids, over real sockets
  schemathesis --seconds N [--seed S]
                               the long run of requests made of the OpenAPI document against the server
  deploy-check [--binary PATH] validate deploy/kubernetes, deploy/proxies and the systemd unit, and hold streams open through each
                               proxy; installs the proxies and a validator, and needs the network for that
  screenshots                  take the pictures of the console in docs/pictures; installs a font that has Chinese
  demo-picture                 draw docs/demo.svg from what the demo writes to a terminal
  dist [--only KINDS] [--targets TARGETS] [--binary FILE]... [--tools]
                               make what people install, for each platform, and try each from an empty place; --binary packs one
                               that is built, --tools only installs what packs
  image                        build a container image of what dist has made
  rebuild-times [--runs N]     how long the binary and the tests take to build after an edit; wants a quiet machine
";

/// In the place of the generator, a run of this program that has it.
#[cfg(not(feature = "codegen"))]
mod codegen {
    use crate::steps::{cargo, spawn};

    pub(crate) fn run(_root: &std::path::Path, check: bool) -> Result<(), String> {
        let args = ["run", "--quiet", "--package", "xtask", "--features", "codegen", "--", "codegen"];
        spawn(cargo(&args).args(check.then_some("--check")))
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["setup"] => setup::run(),
        ["test", words @ ..] => test::run(words),
        ["tidy"] => tidy::run(),
        ["lines", options @ ..] => tidy::lines(options),
        ["codegen"] => codegen::run(&steps::root(), false),
        ["codegen", "--check"] => codegen::run(&steps::root(), true),
        ["cluster", words @ ..] => cluster::run(words),
        ["crash", options @ ..] => long::crash(options),
        ["oracle", options @ ..] => long::oracle(options),
        ["search-oracle", options @ ..] => long::search_oracle(options),
        ["fuzz", options @ ..] => fuzz::run(options),
        ["malformed", options @ ..] => long::malformed(options),
        ["schemathesis", options @ ..] => long::schemathesis(options),
        ["deploy-check", options @ ..] => deploy_check::run(options),
        ["screenshots"] => screenshots::run(),
        ["dist", options @ ..] => dist::run(options),
        ["demo-picture"] => screenshots::demo_picture(),
        ["image"] => dist::image(),
        ["rebuild-times", options @ ..] => rebuild::run(options),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("no such command: {}\n\n{USAGE}", other.join(" "))),
    }
}
