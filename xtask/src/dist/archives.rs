//! Archives: a folder that is unpacked anywhere, and one with what debuggers read.

use super::build::Built;
use super::files::{copy, name_of, pack, place, remove, unpack, workshop};
use super::minute::Minute;
use crate::steps::{root, spawn};
use std::process::Command;

/// Packs both folders of a target, and puts the bill of materials beside them.
pub(super) fn make(built: &Built) -> Result<(), String> {
    for folder in [&built.folder, &built.symbols] {
        pack(folder, &place().join(format!("{}.tar.gz", name_of(folder)?)))?;
    }
    let bill = format!("{}.cdx.json", name_of(&built.folder)?);
    copy(&built.folder.join("guanxi.cdx.json"), &place().join(bill))
}

/// Unpacks an archive as a user would, and uses what is in it: as nobody with nothing writable but its data, then as in
/// the first minute of the README.
pub(super) fn check(built: &Built) -> Result<(), String> {
    let name = name_of(&built.folder)?;
    let folder = workshop("unpacked")?;
    unpack(&place().join(format!("{name}.tar.gz")), &folder)?;
    let binary = folder.join(name).join("guanxi");
    if built.target.is_native() {
        spawn(Command::new(root().join("deploy/check-unprivileged.sh")).arg(&binary))?;
    }
    Minute::new(&folder)?.spend(&built.target.command(&binary))?;
    remove(&folder)
}
