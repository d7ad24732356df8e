//! Images: a folder for `docker build` in an archive, and `cargo xtask image`, which builds from it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::build::{Built, host, version};
use super::files::{copy, make as make_folder, name_of, pack_content, place, read, remove, unpack, workshop};
use super::targets::Target;
use crate::steps::{root, spawn};

/// What builds images, in the order in which they are tried, and how each says whether it can.
const ENGINES: &[(&str, &[&str])] = &[("docker", &["info"]), ("podman", &["info"]), ("buildah", &["info"])];

/// What of a release the image has.
const FILES: &[&str] = &["guanxi", "LICENSE", "guanxi.cdx.json"];

/// The folder of a target that an image is built from.
fn context(built: &Built) -> PathBuf {
    place().join("work").join(format!("guanxi-{}-image-{}", built.version, built.target.cpu.debian))
}

/// Makes the folder that an image is built from, and an archive of it, for `docker build - < FILE`.
pub(super) fn make(built: &Built) -> Result<(), String> {
    let context = context(built);
    remove(&context)?;
    make_folder(&context.join("data"))?;
    for file in FILES {
        copy(&built.folder.join(file), &context.join(file))?;
    }
    copy(&root().join("deploy/Dockerfile"), &context.join("Dockerfile"))?;
    // Its files lie at the top of the archive, where a build looks for them.
    pack_content(&context, &archive(&context)?)
}

/// The archive of a folder that an image is built from.
fn archive(context: &Path) -> Result<PathBuf, String> {
    Ok(place().join(format!("{}.tar.gz", name_of(context)?)))
}

/// Looks for all that the Dockerfile copies in an unpacked archive.
pub(super) fn check(built: &Built) -> Result<(), String> {
    let folder = workshop("image")?;
    unpack(&archive(&context(built))?, &folder)?;
    let text = read(&folder.join("Dockerfile"))?;
    for from in copied(&text) {
        if !folder.join(from).exists() {
            return Err(format!("the Dockerfile copies {from}, which its archive lacks"));
        }
    }
    remove(&folder)
}

/// The files and folders that a Dockerfile copies.
fn copied(dockerfile: &str) -> impl Iterator<Item = &str> {
    let lines = dockerfile.lines().filter_map(|line| line.strip_prefix("COPY "));
    lines.filter_map(|line| line.split(' ').find(|word| !word.starts_with("--")))
}

/// Builds `guanxi:VERSION` and `guanxi:latest` for this machine.
///
/// # Errors
/// What is missing: the archives, or an engine that answers.
pub(crate) fn run() -> Result<(), String> {
    let built = Built::new(Target::named(&host()?)?, &version()?);
    if !built.binary().is_file() {
        return Err(format!("{} is not there: run `cargo xtask dist` first", built.binary().display()));
    }
    let engine = engine(ENGINES)?;
    make(&built)?;
    let context = context(&built);
    let mut order = Command::new(engine);
    order.args(["build", "--tag", &format!("guanxi:{}", built.version), "--tag", "guanxi:latest"]);
    order.arg("--file").arg(context.join("Dockerfile")).arg(&context);
    spawn(&mut order)
}

/// The first engine that answers.
fn engine<'a>(engines: &[(&'a str, &[&str])]) -> Result<&'a str, String> {
    let mut why = Vec::new();
    for (engine, asks) in engines {
        let answered = Command::new(engine).args(*asks).stdout(Stdio::null()).output();
        match answered {
            Ok(answer) if answer.status.success() => return Ok(engine),
            Ok(answer) => {
                let said = String::from_utf8_lossy(&answer.stderr);
                why.push(format!(
                    "{engine} does not answer ({})",
                    said.lines().last().unwrap_or_default().trim()
                ));
            }
            Err(_) => why.push(format!("{engine} is not installed")),
        }
    }
    Err(format!(
        "no container engine: {}. Start docker's service, or install podman or buildah (apt-get install podman)",
        why.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words after an instruction of the Dockerfile, for each line that has it.
    fn instructions(name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(root().join("deploy/Dockerfile")).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn the_image_copies_only_what_a_release_has_and_runs_as_nobody_of_note() {
        let text = std::fs::read_to_string(root().join("deploy/Dockerfile")).unwrap();
        assert!(copied(&text).count() > FILES.len());
        for from in copied(&text) {
            assert!(from == "data" || FILES.contains(&from), "{from} is not of a release");
        }
        assert!(
            instructions("RUN").is_empty() && instructions("ADD").is_empty(),
            "nothing is made in the image"
        );
        let user: u32 = instructions("USER")[0].split(':').next().unwrap().parse().unwrap();
        assert!(user > 0);
        let health = instructions("HEALTHCHECK");
        assert!(health[0].ends_with(r#"CMD ["/usr/local/bin/guanxi", "health"]"#), "{health:?}");
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = engine(&[("no-such-engine", &["info"]), ("false", &["info"])]).unwrap_err();
        assert!(error.contains("no-such-engine is not installed, false does not answer"), "{error}");
        assert_eq!(engine(&[("no-such-engine", &["info"]), ("true", &["info"])]), Ok("true"));
    }
}
