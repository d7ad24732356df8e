//! The tree as the rules see it: tracked and new files, and what cargo says of the packages.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::lex;
use crate::steps;

/// One text file, or a picture.
pub(super) struct File {
    /// Relative to the root, with forward slashes.
    pub path: String,
    pub text: String,
    /// For Rust files: the text with comments and the insides of literals blanked, line for line.
    pub code: String,
}

impl File {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let code = if is_rust(path) { lex::code(text) } else { String::new() };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    /// Written by a generator, which says so in the first lines.
    pub(super) fn is_generated(&self) -> bool {
        self.path.contains("/gen/") || self.text.lines().take(3).any(|line| line.contains("@generated"))
    }

    pub(super) fn is_rust(&self) -> bool {
        is_rust(&self.path)
    }

    /// A file that serves tests, benchmarks or examples only.
    pub(super) fn is_test(&self) -> bool {
        let path = self.path.as_str();
        let starts = |folder: &str| path.starts_with(folder);
        ["/tests/", "/benches/", "/examples/", "/conformance/"].iter().any(|part| path.contains(part))
            || path.ends_with("/tests.rs")
            || ["bench/", "crates/certs/", "crates/testkit/"].into_iter().any(starts)
    }

    /// The code that goes into the product: none of a test file, and without test modules in the others.
    pub(super) fn product_code(&self) -> String {
        if self.is_test() { String::new() } else { lex::without_tests(&self.code) }
    }
}

/// One package of the workspace and those it depends on.
pub(super) struct Package {
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: String,
    /// Names of dependencies of every kind, with "dev" for those of tests only.
    pub dependencies: Vec<(String, bool)>,
}

/// A dependency from a registry.
pub(super) struct Foreign {
    pub name: String,
    pub version: String,
    pub licence: String,
}

/// Everything the rules look at.
pub(super) struct Tree {
    pub files: Vec<File>,
    pub packages: Vec<Package>,
    pub foreign: Vec<Foreign>,
}

impl Tree {
    /// Reads the tree: tracked files, and new ones that git does not ignore.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        let listed = steps::output(&mut git)?;
        let mut files: Vec<File> = listed
            .split('\0')
            .filter(|path| !path.is_empty())
            .filter_map(|path| {
                // A picture has no lines. It is listed for the links that lead to it.
                let text = if Path::new(path).extension().is_some_and(|extension| extension == "png") {
                    root.join(path).exists().then(String::new)
                } else {
                    std::fs::read_to_string(root.join(path)).ok()
                };
                text.map(|text| File::new(path, &text))
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let (packages, foreign) = packages(root)?;
        Ok(Self { files, packages, foreign })
    }

    /// The Rust files that people write.
    pub(super) fn sources(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_rust() && !file.is_generated())
    }
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

fn packages(root: &Path) -> Result<(Vec<Package>, Vec<Foreign>), String> {
    let args =
        ["metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"];
    let metadata = steps::output(&mut steps::cargo(&args))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let listed = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let used = used_ids(&metadata);
    let ours = listed.iter().filter(|package| package["source"].is_null()).map(|it| package(it, root));
    let foreign = listed
        .iter()
        .filter(|package| !package["source"].is_null() && used.contains(&text(&package["id"]).as_str()))
        .map(|package| Foreign {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
        });
    Ok((ours.collect(), foreign.collect()))
}

/// The packages that the resolved graph reaches on our platform.
fn used_ids(metadata: &Value) -> Vec<&str> {
    let nodes = metadata["resolve"]["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    nodes.iter().filter_map(|node| node["id"].as_str()).collect()
}

fn package(package: &Value, root: &Path) -> Package {
    let manifest = text(&package["manifest_path"]);
    let folder = Path::new(&manifest).parent().and_then(|folder| folder.strip_prefix(root).ok());
    let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    Package {
        name: text(&package["name"]),
        folder: folder.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
        dependencies: dependencies.iter().map(|it| (text(&it["name"]), it["kind"] == "dev")).collect(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
