//! What must not be in a tracked file: paths of somebody's machine, and package sources other than the public one.

use super::tree::{File, Tree};

/// Beginnings of absolute paths that exist on one machine only. Split, so that this file does not name itself.
const MACHINE_PATHS: &[&str] =
    &[concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];

/// Settings that send cargo, pip or npm to another host.
const REGISTRY_SETTINGS: &[&str] =
    &[concat!("replace", "-with"), concat!("index", "-url"), concat!("extra", "-index")];

/// The only place that locked packages come from.
const PUBLIC_INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks every text file, line by line.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    tree.files.iter().filter(|file| !file.path.starts_with("tests-data/")).flat_map(file).collect()
}

fn file(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        let place = format!("{}:{}", file.path, number + 1);
        if let Some(path) = MACHINE_PATHS.iter().find(|path| begins_somewhere(line, path)) {
            complaints.push(format!(
                "{place}: `{path}...` is a path of one machine: make it relative or a parameter"
            ));
        }
        if let Some(setting) = REGISTRY_SETTINGS.iter().find(|setting| line.contains(**setting)) {
            complaints.push(format!(
                "{place}: `{setting}` belongs into your own settings, not into the repository"
            ));
        }
        let source = file.path.ends_with("Cargo.lock").then(|| line.strip_prefix("source = ")).flatten();
        if source.is_some_and(|source| source.trim_matches('"') != PUBLIC_INDEX) {
            complaints.push(format!("{place}: locked from another place than crates.io: {line}"));
        }
    }
    complaints
}

/// Whether an absolute path begins with `prefix` in the line: nothing of a longer path or URL stands before it.
fn begins_somewhere(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '/' | '*'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_and_foreign_sources_are_found() {
        let bad = format!("let p = \"{}someone/x\";", MACHINE_PATHS[1]);
        assert_eq!(file(&File::new("a.rs", &bad)).len(), 1);
        assert_eq!(file(&File::new("a.rs", "GET api/home/timeline, target/work/x")), Vec::<String>::new());
        let lock = format!("source = \"{PUBLIC_INDEX}\"\nsource = \"git+https://example.org/x\"\n");
        assert_eq!(file(&File::new("Cargo.lock", &lock)).len(), 1);
        assert_eq!(file(&File::new(".cargo/config.toml", REGISTRY_SETTINGS[0])).len(), 1);
    }
}
