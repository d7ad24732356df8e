//! The manifests: whether Kubernetes would take them, and guanxi their settings.

use super::work::Work;
use crate::steps::{output, root, spawn};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The packages of the validator, each with its version.
const PACKAGES: &str = include_str!("kubernetes.txt");
/// Prints the settings of manifests.
const SETTINGS: &str = include_str!("settings.py");
/// The folders of `deploy/kubernetes`.
const FOLDERS: [&str; 2] = ["one", "cluster"];
/// The oldest version of Kubernetes that knows all that the manifests say, which is `sleep` before the end; and a new one.
const VERSIONS: [&str; 2] = ["1.30.0", "1.37.0"];
/// Where the validator is, below `target/`.
fn environment() -> PathBuf {
    root().join("target/tools/kubernetes")
}

/// Installs the validator into an environment of its own; quick and silent when it is there with these versions.
pub(super) fn install() -> Result<(), String> {
    let environment = environment();
    let (mark, list) = (environment.join("installed.txt"), environment.join("packages.txt"));
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == PACKAGES) {
        return Ok(());
    }
    eprintln!("deploy-check: installing kubernetes-validate");
    spawn(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
    fs::write(&list, PACKAGES).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut pip = Command::new(environment.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement"]).arg(&list);
    spawn(&mut pip)?;
    fs::write(&mark, PACKAGES).map_err(|error| format!("{}: {error}", mark.display()))
}

fn python() -> Command {
    Command::new(environment().join("bin/python"))
}

/// Validates every manifest, without a field that Kubernetes does not know.
pub(super) fn validate() -> Result<(), String> {
    for version in VERSIONS {
        for folder in FOLDERS {
            let place = root().join("deploy/kubernetes").join(folder);
            let entries = fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?;
            let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            let mut validator = python();
            validator.args(["-m", "kubernetes_validate", "--strict", "--quiet", "-k", version]).args(&files);
            output(&mut validator)?;
            eprintln!("{} files in {folder} are valid for Kubernetes {version}", files.len());
        }
    }
    Ok(())
}

/// Lets guanxi read the settings of every container, which refuses unknown ones.
pub(super) fn settings(work: &Work) -> Result<(), String> {
    for folder in FOLDERS {
        let place = root().join("deploy/kubernetes").join(folder);
        let told = output(python().args(["-c", SETTINGS]).arg(&place))?;
        for line in told.lines() {
            let container: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            check(work, &container).map_err(|error| format!("{folder}: {}: {error}", container["name"]))?;
        }
        eprintln!("the settings of {} containers in {folder} are known", told.lines().count());
    }
    Ok(())
}

fn check(work: &Work, container: &Value) -> Result<(), String> {
    let file = work.file("settings.toml", container["file"].as_str().unwrap_or_default())?;
    let mut guanxi = work.guanxi();
    for (name, value) in container["env"].as_object().into_iter().flatten() {
        guanxi.env(name, value.as_str().unwrap_or_default());
    }
    guanxi.arg("--config").arg(file).args(["config", "--json"]);
    let shown: Value = serde_json::from_str(&output(&mut guanxi)?).map_err(|error| error.to_string())?;
    // A variable with our prefix that is no setting is ignored by guanxi, since Kubernetes makes such ones.
    let set = container["env"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, _)| name.strip_prefix("GUANXI_"));
    for key in set.map(str::to_ascii_lowercase) {
        if shown[&key]["source"] != format!("env GUANXI_{}", key.to_ascii_uppercase()) {
            return Err(format!("there is no setting `{key}`"));
        }
    }
    Ok(())
}
