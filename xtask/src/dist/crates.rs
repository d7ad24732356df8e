//! The crates for crates.io: which there are, in the order of their dependencies. Cargo packs each of them and uploads none.

use std::process::Command;

use crate::steps::cargo;

/// Packs every crate that is published, and prints them in the order in which `cargo publish --workspace` uploads them. It is
/// that command which builds each crate from its package before the first upload, so that this one need not.
pub(super) fn check() -> Result<(), String> {
    let args = ["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--locked"];
    let mut publish: Command = cargo(&args);
    let answer = publish.output().map_err(|error| format!("cargo publish: {error}"))?;
    let said = String::from_utf8_lossy(&answer.stderr);
    if !answer.status.success() {
        return Err(format!("cargo {}:\n{said}", args.join(" ")));
    }
    let order = uploaded(&said);
    eprintln!("dist: `cargo publish --workspace` uploads {}", order.join(", "));
    match (order.last(), order.contains(&"guanxi-client")) {
        (Some(_), true) if order.contains(&"guanxi") => Ok(()),
        _ => Err("the crates lack guanxi or guanxi-client".to_owned()),
    }
}

/// The crates that cargo would upload, in its order.
fn uploaded(said: &str) -> Vec<&str> {
    let names = said.lines().filter_map(|line| line.trim().strip_prefix("Uploading "));
    names.filter_map(|rest| rest.split(' ').next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::root;
    use std::fs;
    use std::path::{Component, Path, PathBuf};

    #[test]
    fn the_order_is_that_of_the_uploads() {
        let said = "   Packaging guanxi v0.1.0 (/x)\n   Uploading guanxi-model v0.1.0 (/x)\nwarning: aborting upload due to dry \
                    run\n   Uploading guanxi v0.1.0 (/x)\n";
        assert_eq!(uploaded(said), ["guanxi-model", "guanxi"]);
    }

    /// The sources below a folder.
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "tests" {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }

    /// Whether a file looks for another outside of its crate.
    fn leaves(file: &Path, package: &Path, to: &str) -> bool {
        let mut depth = file.strip_prefix(package).unwrap().components().count() - 1;
        Path::new(to).components().any(|part| {
            let next = if part == Component::ParentDir { depth.checked_sub(1) } else { Some(depth + 1) };
            depth = next.unwrap_or_default();
            next.is_none()
        })
    }

    #[test]
    fn a_published_crate_includes_no_file_from_outside_of_it() {
        let folders = fs::read_dir(root().join("crates")).unwrap().flatten().map(|entry| entry.path());
        let is_published = |folder: &PathBuf| {
            fs::read_to_string(folder.join("Cargo.toml"))
                .is_ok_and(|text| text.contains("\npublish = true\n"))
        };
        let published: Vec<PathBuf> = folders.chain([root().join("console")]).filter(is_published).collect();
        assert!(published.len() > 10);
        for package in published {
            let mut files = Vec::new();
            sources(&package.join("src"), &mut files);
            for file in files {
                let text = fs::read_to_string(&file).unwrap();
                let product = text.split("#[cfg(test)]").next().unwrap_or_default();
                for included in ["include_str!(\"", "include_bytes!(\""] {
                    for rest in product.split(included).skip(1) {
                        let to = rest.split('"').next().unwrap();
                        assert!(!leaves(&file, &package, to), "{}: {to}", file.display());
                    }
                }
            }
        }
    }
}
