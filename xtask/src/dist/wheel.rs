//! The wheels of PyPI: `pip install guanxi-server`. A wheel is an archive of the binary of a release, byte by byte, and of a module
//! that finds it; PyPI's own packer writes it from a folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Built;
use super::files::{copy, ending, make as make_folder, place, read, remove, workshop, write};
use super::minute::Minute;
use super::targets::{self, Libc, Target};
use super::{symbols, tools};
use crate::steps::{root, spawn};

/// The versions of Python that the module is written for.
const PYTHON: &str = ">=3.8";

/// The folder with the module, and what PyPI shows.
fn ours() -> PathBuf {
    root().join("deploy/python")
}

/// The tag of a platform, as PEP 600 and PEP 656 name them: by the glibc that the symbols ask for, or by the musl of
/// Alpine 3.13, which a static binary does not need.
fn platform(target: &Target, glibc: Option<(u32, u32)>) -> String {
    match target.libc {
        Libc::Glibc => {
            // pip knows no older tag of this form.
            let (major, minor) = glibc.unwrap_or(targets::GLIBC).max((2, 17));
            format!("manylinux_{major}_{minor}_{}", target.cpu.name)
        }
        Libc::Musl => format!("musllinux_1_2_{}", target.cpu.name),
    }
}

/// The end of a wheel's name.
fn end(built: &Built) -> Result<String, String> {
    Ok(format!("-py3-none-{}.whl", platform(built.target, symbols::glibc(&built.binary())?)))
}

/// The metadata that PyPI shows.
fn metadata(version: &str, page: &str) -> String {
    format!(
        "Metadata-Version: 2.4\nName: guanxi-server\nVersion: {version}\nSummary: A social graph and home feed server in one \
         binary.\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: {PYTHON}\nProject-URL: Repository, \
         https://github.com/guanxi/guanxi\nDescription-Content-Type: text/markdown\n\n{page}"
    )
}

/// Packs a target.
pub(super) fn make(built: &Built) -> Result<(), String> {
    let folder = workshop("wheel")?;
    let (name, end) = (format!("guanxi_server-{}", built.version), end(built)?);
    let info = folder.join(format!("{name}.dist-info"));
    copy(&built.binary(), &folder.join(format!("{name}.data/scripts/guanxi")))?;
    for file in ["__init__.py", "__main__.py"] {
        copy(&ours().join("guanxi_server").join(file), &folder.join("guanxi_server").join(file))?;
    }
    write(&info.join("METADATA"), &metadata(&built.version, &read(&ours().join("README.md"))?))?;
    let tag = end.trim_start_matches('-').trim_end_matches(".whl");
    write(
        &info.join("WHEEL"),
        &format!("Wheel-Version: 1.0\nGenerator: guanxi\nRoot-Is-Purelib: false\nTag: {tag}\n"),
    )?;
    write(
        &info.join("entry_points.txt"),
        "[console_scripts]\nguanxi-server = guanxi_server.__main__:main\n",
    )?;
    copy(&built.folder.join("LICENSE"), &info.join("licenses/LICENSE"))?;
    copy(&built.folder.join("guanxi.cdx.json"), &info.join("sboms/guanxi.cdx.json"))?;
    let mut pack = tools::python();
    // The time of files in the archive: the first that a zip file knows.
    pack.args(["-m", "wheel", "pack", "--dest-dir"]).arg(place()).env("SOURCE_DATE_EPOCH", "315532800");
    spawn(pack.arg(&folder))?;
    remove(&folder)
}

/// Installs a wheel with pip from the file alone, and uses both of its commands. pip takes none for another platform, so
/// that such a wheel is unpacked.
pub(super) fn check(built: &Built) -> Result<(), String> {
    let end = end(built)?;
    let wheel = ending(&place(), &end)?.pop().ok_or_else(|| format!("there is no wheel {end}"))?;
    let folder = workshop("pip")?;
    if is_for_pip_here(built.target) {
        let environment = folder.join("venv");
        spawn(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let mut pip = Command::new(environment.join("bin/pip"));
        spawn(pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(&wheel))?;
        for command in ["guanxi", "guanxi-server"] {
            Minute::new(&folder)?.spend(&Command::new(environment.join("bin").join(command)))?;
        }
    } else {
        let unpacked = unpack(&wheel, &folder)?;
        Minute::new(&folder)?.spend(&built.target.command(&unpacked))?;
    }
    remove(&folder)
}

/// Whether pip of this machine takes wheels of a target: those of its processor, for the C library that it runs on.
fn is_for_pip_here(target: &Target) -> bool {
    target.is_native() && target.libc == Libc::Glibc
}

/// Unpacks a wheel, which checks the hash of each file, and answers where the binary is.
fn unpack(wheel: &Path, folder: &Path) -> Result<PathBuf, String> {
    let to = folder.join("unpacked");
    make_folder(&to)?;
    spawn(tools::python().args(["-m", "wheel", "unpack", "--dest"]).arg(&to).arg(wheel))?;
    let package = ending(&to, "")?.pop().ok_or("the wheel is empty")?;
    let scripts = ending(&package, ".data")?.pop().ok_or("the wheel has no scripts")?;
    Ok(scripts.join("scripts/guanxi"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_that_of_the_symbols() {
        let tag = |triple: &str, glibc| platform(Target::named(triple).unwrap(), glibc);
        assert_eq!(tag("x86_64-unknown-linux-gnu", Some((2, 28))), "manylinux_2_28_x86_64");
        assert_eq!(tag("aarch64-unknown-linux-gnu", Some((2, 34))), "manylinux_2_34_aarch64");
        assert_eq!(tag("x86_64-unknown-linux-gnu", Some((2, 5))), "manylinux_2_17_x86_64");
        assert_eq!(tag("aarch64-unknown-linux-musl", None), "musllinux_1_2_aarch64");
    }

    #[test]
    fn the_metadata_has_its_headers_before_the_page() {
        let text = metadata("0.1.0", "# guanxi\n");
        let (headers, page) = text.split_once("\n\n").unwrap();
        assert_eq!(page, "# guanxi\n");
        assert!(headers.lines().all(|line| line.contains(": ")), "{headers}");
        assert!(headers.contains("\nName: guanxi-server\nVersion: 0.1.0\n"));
        assert!(ours().join("guanxi_server/__main__.py").is_file());
    }
}
