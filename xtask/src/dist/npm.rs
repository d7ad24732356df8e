//! The packages of npm: `npx guanxi-server demo`. One has a script that starts the program, and one for each processor has the
//! static program; npm installs the one that fits, as an optional dependency. No script runs at installation.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::build::Built;
use super::files::{copy, name_of, place, read, remove, workshop, write};
use super::minute::Minute;
use super::targets::{Libc, TARGETS, Target};
use crate::steps::{output, root, spawn};

/// What people type.
const NAME: &str = "guanxi-server";
/// The oldest Node.js that the script is written for.
const NODE: &str = ">=18";

/// The name of the package for a target.
fn name(target: &Target) -> String {
    format!("{NAME}-linux-{}", target.cpu.node)
}

/// The targets that have a package: static ones, which run on every Linux.
fn targets() -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().filter(|target| target.libc == Libc::Musl)
}

/// What all of them say.
fn common(name: &str, version: &str) -> Value {
    json!({
        "name": name,
        "version": version,
        "description": "guanxi, a social graph and home feed server in one binary",
        "license": "Apache-2.0",
        "repository": { "type": "git", "url": "git+https://github.com/guanxi/guanxi.git" },
    })
}

/// The manifest of the package for a target.
fn for_target(target: &Target, version: &str) -> Value {
    let mut manifest = common(&name(target), version);
    manifest["os"] = json!(["linux"]);
    manifest["cpu"] = json!([target.cpu.node]);
    manifest["files"] = json!(["bin/guanxi", "guanxi.cdx.json", "LICENSE"]);
    // Yarn keeps it as files, so that it can be started.
    manifest["preferUnplugged"] = json!(true);
    manifest
}

/// The manifest of the package that people name.
fn for_people(version: &str) -> Value {
    let mut manifest = common(NAME, version);
    manifest["bin"] = json!({ NAME: "guanxi-server.js", "guanxi": "guanxi-server.js" });
    manifest["engines"] = json!({ "node": NODE });
    manifest["files"] = json!(["guanxi-server.js", "README.md", "LICENSE"]);
    let exact = |target| (name(target), json!(version));
    manifest["optionalDependencies"] = Value::Object(targets().map(exact).collect());
    manifest
}

/// Packs a target.
pub(super) fn make(built: &Built) -> Result<(), String> {
    let folder = workshop("npm")?;
    let binary = folder.join("bin/guanxi");
    copy(&built.binary(), &binary)?;
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&binary, executable).map_err(|error| format!("{}: {error}", binary.display()))?;
    copy(&built.folder.join("guanxi.cdx.json"), &folder.join("guanxi.cdx.json"))?;
    let page = format!(
        "# {}\n\nThe program of [{NAME}](https://www.npmjs.com/package/{NAME}) for one platform.\n",
        name(built.target)
    );
    pack(&folder, &for_target(built.target, &built.version), &page)
}

/// Packs the package that people name.
pub(super) fn make_for_people(version: &str) -> Result<(), String> {
    let folder = workshop("npm")?;
    let ours = root().join("deploy/npm");
    copy(&ours.join("guanxi-server.js"), &folder.join("guanxi-server.js"))?;
    pack(&folder, &for_people(version), &read(&ours.join("README.md"))?)
}

/// Lets npm pack a folder.
fn pack(folder: &Path, manifest: &Value, page: &str) -> Result<(), String> {
    let text = serde_json::to_string_pretty(manifest).map_err(|error| error.to_string())?;
    write(&folder.join("package.json"), &(text + "\n"))?;
    write(&folder.join("README.md"), page)?;
    copy(&root().join("LICENSE"), &folder.join("LICENSE"))?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]).arg(place());
    spawn(npm.current_dir(folder))?;
    remove(folder)
}

/// The file of a package.
fn file(name: &str, version: &str) -> PathBuf {
    place().join(format!("{name}-{version}.tgz"))
}

/// Installs the package for people and the one for this machine from their files alone, and uses `npx`. What is for another
/// processor is unpacked.
pub(super) fn check(built: &Built) -> Result<(), String> {
    let folder = workshop("npx")?;
    let ours = file(&name(built.target), &built.version);
    if built.target.is_native() {
        let project = json!({ "name": "empty", "private": true });
        write(&folder.join("package.json"), &project.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
        npm.arg(format!("--cache={}", folder.join("cache").display()));
        spawn(npm.arg(&ours).arg(file(NAME, &built.version)).current_dir(&folder))?;
        // Ctrl-C of a terminal reaches all processes below npx; a signal here would reach npx alone.
        let mut npx = Command::new("npx");
        npx.args(["--offline", "--no", NAME, "demo", "--no-ui", "--duration", "1"]).current_dir(&folder);
        let minute = Minute::new(&folder)?;
        spawn(npx.args(minute.listeners()))?;
        minute.spend(&Command::new(folder.join("node_modules/.bin").join(NAME)))?;
    } else {
        spawn(Command::new("tar").arg("-xzf").arg(&ours).arg("-C").arg(&folder))?;
        let binary = folder.join("package/bin/guanxi");
        Minute::new(&folder)?.spend(&built.target.command(&binary))?;
    }
    let packed = output(Command::new("tar").arg("-tzf").arg(&ours))?;
    if !packed.lines().any(|line| line == "package/bin/guanxi") {
        return Err(format!("{} has no program", name_of(&ours)?));
    }
    remove(&folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_get_the_program_that_fits_and_no_script_runs() {
        let manifest = for_people("0.1.0");
        let wanted = json!({ "guanxi-server-linux-x64": "0.1.0", "guanxi-server-linux-arm64": "0.1.0" });
        assert_eq!(manifest["optionalDependencies"], wanted);
        assert_eq!(manifest["bin"]["guanxi-server"], "guanxi-server.js");
        assert!(manifest.get("scripts").is_none() && manifest.get("dependencies").is_none());
    }

    #[test]
    fn a_program_is_for_one_processor() {
        let manifest = for_target(Target::named("aarch64-unknown-linux-musl").unwrap(), "0.1.0");
        assert_eq!(manifest["name"], "guanxi-server-linux-arm64");
        assert_eq!((&manifest["os"], &manifest["cpu"]), (&json!(["linux"]), &json!(["arm64"])));
        assert!(manifest.get("scripts").is_none() && manifest.get("libc").is_none());
    }

    #[test]
    fn the_script_asks_for_the_packages_by_their_names() {
        let script = read(&root().join("deploy/npm/guanxi-server.js")).unwrap();
        assert!(script.starts_with("#!/usr/bin/env node\n"));
        assert!(script.contains("`guanxi-server-${process.platform}-${process.arch}`"));
        assert!(script.contains("/bin/guanxi`"));
    }
}
