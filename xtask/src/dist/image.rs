//! `cargo xtask image`: a container image of what `cargo xtask dist` has made.

use std::process::{Command, Stdio};

use super::files::{copy, make, place, remove};
use super::{metadata, release};
use crate::steps::{root, spawn};

/// What builds images, in the order in which they are tried, and how each says whether it can.
const ENGINES: &[(&str, &[&str])] = &[("docker", &["info"]), ("podman", &["info"]), ("buildah", &["info"])];

/// What of a release the image has.
const FILES: &[&str] = &["guanxi", "LICENSE", "guanxi.cdx.json"];

/// Builds `guanxi:VERSION` and `guanxi:latest`.
///
/// # Errors
/// What is missing: the archives, or an engine that answers.
pub(crate) fn run() -> Result<(), String> {
    let release = release(&metadata()?)?;
    let staged = place().join(&release.name);
    if !staged.join("guanxi").is_file() {
        return Err(format!("{} is not there: run `cargo xtask dist` first", staged.display()));
    }
    let engine = engine(ENGINES)?;
    let context = place().join("image");
    remove(&context)?;
    make(&context.join("data"))?;
    for file in FILES {
        copy(&staged.join(file), &context.join(file))?;
    }
    copy(&root().join("deploy/Dockerfile"), &context.join("Dockerfile"))?;
    let mut build = Command::new(engine);
    build.args(["build", "--tag", &format!("guanxi:{}", release.version), "--tag", "guanxi:latest"]);
    build.arg("--file").arg(context.join("Dockerfile")).arg(&context);
    spawn(&mut build)
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
        let copied = instructions("COPY");
        assert!(copied.len() > FILES.len());
        for line in copied {
            let from = line.split(' ').find(|word| !word.starts_with("--")).unwrap();
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
