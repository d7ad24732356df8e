//! The clients for Python and TypeScript as packages. Each is installed from its file alone, and its example calls a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Built;
use super::files::{
    copy, copy_folder, list, make as make_folder, name_of, place, read, remove, workshop, write,
};
use super::minute::{Minute, alone};
use super::tools;
use crate::steps::{output, root, spawn};

/// Builds an archive of sources and a wheel by the backend that `pyproject.toml` names, which changes `sys.argv`.
const BUILD: &str =
    "import sys, setuptools.build_meta as b; to = sys.argv[1]; b.build_sdist(to); b.build_wheel(to)";

/// What a client's example says when its calls, its home and its stream were answered.
const SAID: [&str; 3] = ["newly followed: ", "hello from ", "new: 1 post"];

/// Packs both.
pub(super) fn make() -> Result<(), String> {
    let folder = workshop("clients")?;
    copy_sources(&root().join("clients/python"), &folder)?;
    spawn(
        tools::python()
            .args(["-c", BUILD])
            .arg(place())
            .current_dir(&folder)
            .stdout(std::process::Stdio::null()),
    )?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]).arg(place());
    spawn(npm.current_dir(root().join("clients/typescript")))?;
    remove(&folder)
}

/// Copies a client without what tests have left, so that packing leaves nothing in the repository.
fn copy_sources(from: &Path, to: &Path) -> Result<(), String> {
    for name in list(from)? {
        let (from, to) = (from.join(&name), to.join(&name));
        let is_left = name == "__pycache__" || name == "build" || name.ends_with(".egg-info");
        match (is_left, from.is_dir()) {
            (true, _) => {}
            (false, true) => copy_folder(&from, &to)?,
            (false, false) => copy(&from, &to)?,
        }
    }
    Ok(())
}

/// Installs both beside a server of this machine, and lets each run its example.
pub(super) fn check(built: &[Built], version: &str) -> Result<(), String> {
    let server = built.iter().find(|built| built.target.is_native());
    let server = server.ok_or("the clients call a server of this machine: add its target, or --binary")?;
    let folder = workshop("client-users")?;
    let examples =
        [python(&folder.join("python"), version)?, typescript(&folder.join("typescript"), version)?];
    let mut serve = server.target.command(&server.binary());
    serve.arg("serve").arg("--data").arg(folder.join("data"));
    Minute::new(&folder)?.beside(&serve, |url| examples.iter().try_for_each(|example| run(example, url)))?;
    remove(&folder)
}

/// Runs an example against a server.
fn run(example: &Command, url: &str) -> Result<(), String> {
    let folder = example.get_current_dir().unwrap_or(Path::new("/")).to_owned();
    let said = output(&mut alone(example, &folder, &[format!("API_URL={url}")]))?;
    let missing = SAID.iter().find(|words| !said.contains(**words));
    missing.map_or(Ok(()), |words| Err(format!("{example:?} does not say `{words}`:\n{said}")))
}

fn python(folder: &Path, version: &str) -> Result<Command, String> {
    let environment = folder.join("venv");
    make_folder(folder)?;
    spawn(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let wheel = place().join(format!("guanxi_client-{version}-py3-none-any.whl"));
    let mut pip = Command::new(environment.join("bin/pip"));
    spawn(pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(wheel))?;
    copy(&root().join("clients/python/example.py"), &folder.join("example.py"))?;
    let mut example = Command::new(environment.join("bin/python"));
    example.arg("example.py").current_dir(folder);
    Ok(example)
}

fn typescript(folder: &Path, version: &str) -> Result<Command, String> {
    write(&folder.join("package.json"), r#"{ "name": "empty", "private": true, "type": "module" }"#)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
    npm.arg(format!("--cache={}", folder.join("cache").display()));
    spawn(npm.arg(place().join(format!("guanxi-client-{version}.tgz"))).current_dir(folder))?;
    let source = read(&root().join("clients/typescript/example.ts"))?;
    write(&folder.join("example.js"), &without_types(&source))?;
    let mut example = Command::new("node");
    example.arg("example.js").current_dir(folder);
    Ok(example)
}

/// The example as JavaScript: an older Node.js does not leave types out by itself.
fn without_types(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.starts_with("import type "));
    lines.map(|line| line.replace(": FollowRequest", "") + "\n").collect()
}

/// The versions that the manifests of the clients say, with their files.
fn versions() -> Result<Vec<(PathBuf, String)>, String> {
    let mut found = Vec::new();
    for (file, mark) in [
        ("clients/python/pyproject.toml", "version = \""),
        ("clients/typescript/package.json", "\"version\": \""),
    ] {
        let path = root().join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let rest = text.split_once(mark).ok_or_else(|| format!("{file} has no version"))?.1;
        found.push((path, rest.split('"').next().unwrap_or_default().to_owned()));
    }
    Ok(found)
}

/// Checks that the clients are of the release's version.
pub(super) fn check_versions(version: &str) -> Result<(), String> {
    let other = versions()?.into_iter().find(|(_, of)| of != version);
    other.map_or(Ok(()), |(path, of)| {
        Err(format!("{} has version {of}, the release {version}", name_of(&path)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_have_the_version_of_the_workspace() {
        check_versions(env!("CARGO_PKG_VERSION")).unwrap();
        assert!(check_versions("0.0.0").unwrap_err().contains("pyproject.toml has version "));
    }

    #[test]
    fn the_example_without_types_is_javascript() {
        let source = read(&root().join("clients/typescript/example.ts")).unwrap();
        let script = without_types(&source);
        assert!(source.contains(": FollowRequest") && source.contains("import type "));
        assert!(!script.contains("FollowRequest") && script.contains("const request = { subject: 1n"));
    }

    #[test]
    fn what_tests_leave_is_not_packed() {
        let place = std::env::temp_dir().join(format!("guanxi-dist-clients-{}", std::process::id()));
        for name in ["from/build/x", "from/a.egg-info/x", "from/package/x", "from/x"] {
            write(&place.join(name), "").unwrap();
        }
        copy_sources(&place.join("from"), &place.join("to")).unwrap();
        let names = list(&place.join("to")).unwrap();
        remove(&place).unwrap();
        assert_eq!(names, ["package", "x"]);
    }
}
