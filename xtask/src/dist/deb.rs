//! The package for Debian and Ubuntu, by cargo-deb, and what a system does with it from installation to purge.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Built;
use super::debian::System;
use super::files::{
    copy, copy_folder, ending, list, make as make_folder, place, read, remove, workshop, write,
};
use super::minute::Minute;
use super::{symbols, targets, tools};
use crate::steps::{output, root, spawn};

/// The revision of a package of ours, and of one that is older, to upgrade from.
const REVISION: &str = "1";
const OLDER: &str = "0";

/// Files of a staged binary, and where the package has them. `man` and `completions` are folders.
const STAGED: &[(&str, &str)] = &[
    ("guanxi", "usr/bin/guanxi"),
    ("completions/guanxi.bash", "usr/share/bash-completion/completions/guanxi"),
    ("completions/_guanxi", "usr/share/zsh/vendor-completions/_guanxi"),
    ("completions/guanxi.fish", "usr/share/fish/vendor_completions.d/guanxi.fish"),
    ("README.md", "usr/share/doc/guanxi/README.md"),
    ("CHANGELOG.md", "usr/share/doc/guanxi/CHANGELOG.md"),
    ("docs/operations.md", "usr/share/doc/guanxi/operations.md"),
    ("docs/upgrade.md", "usr/share/doc/guanxi/upgrade.md"),
    ("guanxi.cdx.json", "usr/share/doc/guanxi/guanxi.cdx.json"),
];

/// Files of `deploy/debian`, and where the package has them.
const OURS: &[(&str, &str)] = &[
    ("guanxi.toml", "etc/guanxi/guanxi.toml"),
    ("guanxi.env", "etc/guanxi/guanxi.env"),
    ("copyright", "usr/share/doc/guanxi/copyright"),
    ("lintian-overrides", "usr/share/lintian/overrides/guanxi"),
];

/// What the unit of archives says, and what that of the package says: a fixed user owns the data, and settings lie in files.
const UNIT: &[(&str, &str)] = &[
    (
        "# systemd unit of guanxi. Copy it to /etc/systemd/system, the binary to /usr/local/bin, settings to\n\
         # /etc/guanxi/guanxi.env (GUANXI_... variables; the file may be missing), then: systemctl enable --now guanxi\n",
        "",
    ),
    (
        "ExecStart=/usr/local/bin/guanxi serve --data /var/lib/guanxi\n",
        "ExecStart=/usr/bin/guanxi serve --config /etc/guanxi/guanxi.toml\n",
    ),
    ("DynamicUser=yes\n", "User=guanxi\nGroup=guanxi\nRemoveIPC=yes\n"),
    ("Documentation=", "Documentation=man:guanxi(1) "),
];

/// Packs a target.
pub(super) fn make(built: &Built) -> Result<(), String> {
    pack(built, REVISION, &place())
}

/// Packs a target with a revision, into a folder.
fn pack(built: &Built, revision: &str, to: &Path) -> Result<(), String> {
    let folder = workshop("deb")?;
    let (root_folder, ours) = (folder.join("root"), root().join("deploy/debian"));
    for (from, to) in STAGED {
        copy(&built.folder.join(from), &root_folder.join(to))?;
    }
    copy_folder(&built.folder.join("man"), &root_folder.join("usr/share/man/man1"))?;
    for (from, to) in OURS {
        copy(&ours.join(from), &root_folder.join(to))?;
    }
    for script in ["postinst", "postrm"] {
        copy(&ours.join(script), &folder.join("scripts").join(script))?;
    }
    write(&folder.join("units/guanxi.service"), &unit(&read(&root().join("deploy/guanxi.service"))?)?)?;
    write(&folder.join("none.rs"), "")?;
    let glibc = symbols::glibc(&built.binary())?.unwrap_or(targets::GLIBC);
    let manifest = manifest(&read(&ours.join("package.toml"))?, &built.version, revision, glibc);
    write(&folder.join("Cargo.toml"), &manifest)?;
    let day = output(Command::new("git").args(["log", "-1", "--format=%aD"]).current_dir(root()))?;
    write(&folder.join("changelog"), &changelog(&built.version, revision, day.trim()))?;
    let mut deb = tools::with_tools(&["deb", "--no-build", "--no-strip", "--quiet", "--target"]);
    deb.arg(built.target.triple).arg("--output").arg(to);
    // One that is thrown away need not be small.
    deb.args((revision == OLDER).then_some("--fast"));
    spawn(deb.arg("--manifest-path").arg(folder.join("Cargo.toml")).current_dir(&folder))?;
    remove(&folder)
}

/// The unit of the package.
fn unit(text: &str) -> Result<String, String> {
    UNIT.iter().try_fold(text.to_owned(), |text, (from, to)| {
        let there = text.contains(from);
        there
            .then(|| text.replacen(from, to, 1))
            .ok_or_else(|| format!("deploy/guanxi.service lacks `{from}`"))
    })
}

/// What cargo-deb reads.
fn manifest(text: &str, version: &str, revision: &str, (major, minor): (u32, u32)) -> String {
    let depends = format!("adduser, libc6 (>= {major}.{minor})");
    text.replace("@VERSION@", version).replace("@REVISION@", revision).replace("@DEPENDS@", &depends)
}

/// A changelog in Debian's own format, which every package has.
fn changelog(version: &str, revision: &str, day: &str) -> String {
    format!(
        "guanxi ({version}-{revision}) unstable; urgency=medium\n\n  * Release {version}: CHANGELOG.md in this directory says \
         what is new.\n\n -- guanxi <guanxi@users.noreply.github.com>  {day}\n"
    )
}

/// The file of a target in a folder.
fn package(built: &Built, folder: &Path) -> Result<PathBuf, String> {
    let end = format!("_{}.deb", built.target.cpu.debian);
    ending(folder, &end)?.pop().ok_or_else(|| format!("{} has no package {end}", folder.display()))
}

/// Lets lintian look at the package; then a system of this machine's processor goes through all that happens to one, and
/// another's program is unpacked and used.
pub(super) fn check(built: &Built) -> Result<(), String> {
    let package = package(built, &place())?;
    spawn(Command::new("lintian").args(["--allow-root", "--fail-on", "error"]).arg(&package))?;
    let folder = workshop("debian")?;
    if built.target.is_native() {
        life(built, &package, &folder)?;
    } else {
        spawn(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(folder.join("system")))?;
        let binary = folder.join("system/usr/bin/guanxi");
        Minute::new(&folder)?.spend(&built.target.command(&binary))?;
    }
    remove(&folder)
}

/// Installs an older revision, uses it, upgrades, removes, and purges.
fn life(built: &Built, package: &Path, folder: &Path) -> Result<(), String> {
    let older = folder.join("older");
    make_folder(&older)?;
    pack(built, OLDER, &older)?;
    let system = System::new(&folder.join("system"))?;
    system.install(&self::package(built, &older)?)?;
    for path in STAGED.iter().map(|(_, to)| *to).filter(|to| !to.contains("/doc/")) {
        system.must_have(path, true)?;
    }
    for path in ["usr/share/man/man1/guanxi.1.gz", "lib/systemd/system/guanxi.service"] {
        system.must_have(path, true)?;
    }
    Minute::new(folder)?.spend(&system.as_service("guanxi"))?;
    let mut server = system.as_service("guanxi");
    server.args(["serve", "--config", "/etc/guanxi/guanxi.toml"]);
    let post = Minute::new(folder)?.serve(&server, None)?;
    // A file that its owner has changed is kept as it is.
    let settings = system.path("etc/guanxi/guanxi.toml");
    write(&settings, &(read(&settings)? + "console = false\n"))?;
    system.install(package)?;
    if !read(&settings)?.ends_with("console = false\n") {
        return Err("the upgrade replaced changed settings".to_owned());
    }
    Minute::new(folder)?.serve(&server, Some(&post))?;
    system.run(&["dpkg", "--remove", "guanxi"])?;
    system.must_have("usr/bin/guanxi", false)?;
    system.must_have("etc/guanxi/guanxi.toml", true)?;
    if list(&system.path("var/lib/guanxi"))?.is_empty() {
        return Err("the removal took the data".to_owned());
    }
    system.run(&["dpkg", "--purge", "guanxi"])?;
    for gone in ["etc/guanxi", "var/lib/guanxi"] {
        system.must_have(gone, false)?;
    }
    let left = list(&system.path("usr/share/doc"))?;
    if left.iter().any(|name| name == "guanxi") { Err("the purge left documents".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_the_package_is_that_of_archives_with_a_fixed_user() {
        let unit = unit(&read(&root().join("deploy/guanxi.service")).unwrap()).unwrap();
        assert!(unit.starts_with("[Unit]\n"), "{unit}");
        for line in [
            "ExecStart=/usr/bin/guanxi serve --config /etc/guanxi/guanxi.toml",
            "User=guanxi",
            "StateDirectory=guanxi",
        ] {
            assert!(unit.lines().any(|have| have == line), "{line}");
        }
        assert!(!unit.contains("/usr/local") && !unit.contains("DynamicUser"));
        assert!(super::unit("[Unit]\n").unwrap_err().contains("lacks"));
    }

    #[test]
    fn the_manifest_asks_for_the_glibc_of_the_binary() {
        let text = read(&root().join("deploy/debian/package.toml")).unwrap();
        let manifest = manifest(&text, "1.2.3", "1", (2, 28));
        assert!(
            manifest.contains("depends = \"adduser, libc6 (>= 2.28)\"")
                && manifest.contains("version = \"1.2.3\"")
        );
        assert!(
            !["@VERSION@", "@REVISION@", "@DEPENDS@"].iter().any(|name| manifest.contains(name)),
            "{manifest}"
        );
    }

    #[test]
    fn every_file_that_is_packed_is_an_asset() {
        let text = read(&root().join("deploy/debian/package.toml")).unwrap();
        for (_, to) in STAGED.iter().chain(OURS) {
            let folder = Path::new(to).parent().unwrap().display();
            assert!(
                text.contains(&format!("[\"root/{to}\"")) || text.contains(&format!("[\"root/{folder}/*\"")),
                "{to}"
            );
        }
    }

    #[test]
    fn the_changelog_is_in_the_format_of_debian() {
        let text = changelog("0.1.0", "1", "Fri, 27 Nov 2026 10:15:45 +0000");
        assert!(text.starts_with("guanxi (0.1.0-1) unstable; urgency=medium\n\n  * "), "{text}");
        assert!(text.ends_with(".com>  Fri, 27 Nov 2026 10:15:45 +0000\n"), "{text}");
    }
}
