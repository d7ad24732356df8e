//! Generates the API's code and its reference from `proto/`.
//!
//! What it writes is committed, so that a build needs neither protoc nor a build script: messages, services and
//! clients with their descriptors and an OpenAPI document under `crates/proto/src/gen`, and `docs/api.md` from the
//! comments. The compilers it needs are heavy, so they are behind a feature which this command turns on by running itself again.

#[cfg(feature = "codegen")]
mod acting;
#[cfg(feature = "codegen")]
mod bounds;
#[cfg(feature = "codegen")]
mod comments;
#[cfg(feature = "codegen")]
mod exact;
#[cfg(feature = "codegen")]
mod find;
#[cfg(feature = "codegen")]
mod generate;
#[cfg(feature = "codegen")]
mod methods;
#[cfg(feature = "codegen")]
mod openapi;
#[cfg(feature = "codegen")]
mod packages;
#[cfg(feature = "codegen")]
mod reasons;
#[cfg(feature = "codegen")]
mod reference;
#[cfg(feature = "codegen")]
mod schemas;
#[cfg(feature = "codegen")]
mod unused;

use std::path::Path;

/// Writes the generated code of the workspace at `root`; with `check` only compares it with what is there.
///
/// # Errors
/// A message for the terminal, when a proto does not compile or (with `check`) the files differ.
#[cfg(feature = "codegen")]
pub(crate) fn run(root: &Path, check: bool) -> Result<(), String> {
    generate::run(root, check)
}

/// Writes the generated code of the workspace at `root`; with `check` only compares it with what is there.
///
/// # Errors
/// A message for the terminal, when a proto does not compile or (with `check`) the files differ.
#[cfg(not(feature = "codegen"))]
pub(crate) fn run(_root: &Path, check: bool) -> Result<(), String> {
    let mut args = vec!["run", "--quiet", "--package", "xtask", "--features", "codegen", "--", "codegen"];
    if check {
        args.push("--check");
    }
    crate::steps::spawn(&mut crate::steps::cargo(&args))
}
