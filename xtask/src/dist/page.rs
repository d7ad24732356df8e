//! The page of a release: what is new, from CHANGELOG.md, and the files with their checksums.

use super::files::{place, read, write};
use crate::steps::root;

/// The heading of changes that no release has yet.
const NEXT: &str = "Unreleased";

/// Writes `RELEASE.md` beside the files.
pub(super) fn make(version: &str) -> Result<(), String> {
    let changes = read(&root().join("CHANGELOG.md"))?;
    let sums = read(&place().join("SHA256SUMS"))?;
    write(&place().join("RELEASE.md"), &page(version, &changes, &sums)?)
}

/// The page, in Markdown.
fn page(version: &str, changes: &str, sums: &str) -> Result<String, String> {
    let is_said = section(changes, version).is_some();
    let changes = section(changes, version).or_else(|| section(changes, NEXT));
    let changes = changes.ok_or_else(|| format!("CHANGELOG.md has no `## {version}` and no `## {NEXT}`"))?;
    let note = if is_said {
        ""
    } else {
        "This page is a draft: CHANGELOG.md has no section of this version yet.\n\n"
    };
    let rows: Vec<String> = sums.lines().filter_map(row).collect();
    Ok(format!(
        "# guanxi {version}\n\n{note}{changes}\n\n## Files\n\n`sha256sum --check --ignore-missing SHA256SUMS` checks what you have \
         downloaded.\n\n| file | what it is | SHA-256 |\n|---|---|---|\n{}\n",
        rows.join("\n")
    ))
}

/// What is below a heading of a version, without the heading.
fn section<'a>(changes: &'a str, version: &str) -> Option<&'a str> {
    let is_of = |heading: &str| heading.split_whitespace().next() == Some(version);
    let mut sections = changes.split("\n## ").skip(1);
    let found = sections.find(|section| is_of(section.lines().next().unwrap_or_default()))?;
    Some(found.split_once('\n').map_or("", |(_, body)| body).trim())
}

/// A row of the table of files, of a line of `SHA256SUMS`.
fn row(line: &str) -> Option<String> {
    let (sum, name) = line.split_once("  ")?;
    Some(format!("| `{name}` | {} | `{sum}` |", kind(name)))
}

/// What a file is, by its name.
fn kind(name: &str) -> &'static str {
    match name {
        _ if name.ends_with("-symbols.tar.gz") => "symbols for debuggers",
        _ if name.contains("-image-") => "what an image is built from: `docker build - < FILE`",
        _ if name.ends_with(".cdx.json") => "bill of materials, CycloneDX",
        _ if name.ends_with("-musl.tar.gz") => "archive of the static program, for any Linux",
        _ if name.ends_with("-gnu.tar.gz") => "archive, for glibc 2.28 or newer",
        _ if name.starts_with("guanxi_server-") => "the server, for pip",
        _ if name.starts_with("guanxi-server-") => "the server, for npm",
        _ if name.starts_with("guanxi_client-") => "the client for Python",
        _ if name.starts_with("guanxi-client-") => "the client for TypeScript and JavaScript",
        _ if name.starts_with("guanxi_") => "package for Debian and Ubuntu",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: &str = "# Changelog\n\nNewest first.\n\n## Unreleased\n\n### Added\n\n- C.\n\n## 0.2.0 - 2026-11-27\n\n### Fixed\n\n\
                           - B.\n\n## 0.1.0\n\n- A.\n";

    #[test]
    fn the_page_has_the_changes_of_its_version_alone() {
        let page = page("0.2.0", CHANGES, "00ff  guanxi_0.2.0-1_amd64.deb\n").unwrap();
        assert!(page.starts_with("# guanxi 0.2.0\n\n### Fixed\n\n- B.\n\n## Files\n"), "{page}");
        assert!(
            page.ends_with("| `guanxi_0.2.0-1_amd64.deb` | package for Debian and Ubuntu | `00ff` |\n"),
            "{page}"
        );
        assert_eq!(section(CHANGES, "0.1.0"), Some("- A."));
        assert_eq!(section(CHANGES, "0.1"), None);
    }

    #[test]
    fn a_version_without_a_section_has_a_draft() {
        let draft = page("0.3.0", CHANGES, "").unwrap();
        assert!(draft.contains("This page is a draft") && draft.contains("\n- C.\n"), "{draft}");
        assert!(page("0.3.0", "# Changelog\n", "").is_err());
    }

    #[test]
    fn every_file_of_a_release_says_what_it_is() {
        for name in [
            "guanxi-0.1.0-x86_64-unknown-linux-gnu.tar.gz",
            "guanxi-0.1.0-aarch64-unknown-linux-musl.tar.gz",
            "guanxi-0.1.0-x86_64-unknown-linux-gnu-symbols.tar.gz",
            "guanxi-0.1.0-x86_64-unknown-linux-gnu.cdx.json",
            "guanxi-0.1.0-image-amd64.tar.gz",
            "guanxi_0.1.0-1_arm64.deb",
            "guanxi_server-0.1.0-py3-none-musllinux_1_2_x86_64.whl",
            "guanxi-server-linux-x64-0.1.0.tgz",
            "guanxi_client-0.1.0.tar.gz",
            "guanxi-client-0.1.0.tgz",
        ] {
            assert!(!kind(name).is_empty(), "{name}");
        }
    }
}
