//! Folders and files of what is made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::steps::{output, root, spawn};

/// Where everything is put that people download.
pub(super) fn place() -> PathBuf {
    root().join("target/release-archives")
}

/// A folder that is removed when the step that uses it ends well; kept otherwise, to look at.
pub(super) fn workshop(name: &str) -> Result<PathBuf, String> {
    let folder = place().join("work").join(name);
    remove(&folder)?;
    make(&folder)?;
    Ok(folder)
}

/// The last part of a path.
pub(super) fn name_of(path: &Path) -> Result<String, String> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| format!("{} has no name", path.display()))
}

/// The names in a folder, in order.
pub(super) fn list(folder: &Path) -> Result<Vec<String>, String> {
    let read = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        read.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// The files of a folder whose names end so, in order.
pub(super) fn ending(folder: &Path, end: &str) -> Result<Vec<PathBuf>, String> {
    let names = list(folder)?.into_iter().filter(|name| name.ends_with(end));
    Ok(names.map(|name| folder.join(name)).collect())
}

pub(super) fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

/// Copies a file with its rights, and makes the folder that it lies in.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if let Some(folder) = to.parent() {
        make(folder)?;
    }
    fs::copy(from, to).map(drop).map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

/// Copies a folder with its folders.
pub(super) fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    make(to)?;
    for name in list(from)? {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() { copy_folder(&from, &to)? } else { copy(&from, &to)? }
    }
    Ok(())
}

pub(super) fn read(from: &Path) -> Result<String, String> {
    fs::read_to_string(from).map_err(|error| format!("{}: {error}", from.display()))
}

/// Writes a file, and makes the folder that it lies in.
pub(super) fn write(to: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = to.parent() {
        make(folder)?;
    }
    fs::write(to, text).map_err(|error| format!("cannot write {}: {error}", to.display()))
}

pub(super) fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Packs a folder into `to`, a `.tar.gz`.
pub(super) fn pack(folder: &Path, to: &Path) -> Result<(), String> {
    tar(folder.parent().ok_or("a folder lies somewhere")?, &name_of(folder)?, to)
}

/// Packs what is in a folder into `to`, a `.tar.gz`, without the folder itself.
pub(super) fn pack_content(folder: &Path, to: &Path) -> Result<(), String> {
    tar(folder, ".", to)
}

/// Packs so that the same content gives the same bytes.
fn tar(within: &Path, what: &str, to: &Path) -> Result<(), String> {
    let owner = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    let mut tar = Command::new("tar");
    tar.args(owner).args(["--use-compress-program", "gzip -n -9", "-cf"]);
    spawn(tar.arg(to).arg(what).current_dir(within))
}

/// Unpacks an archive into a folder.
pub(super) fn unpack(archive: &Path, folder: &Path) -> Result<(), String> {
    spawn(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder))
}

/// Writes `SHA256SUMS` of every file in the folder, which `sha256sum -c` reads.
pub(super) fn checksums(place: &Path) -> Result<(), String> {
    let is_made = |name: &String| place.join(name).is_file() && name != "SHA256SUMS" && name != "RELEASE.md";
    let made = list(place)?.into_iter().filter(is_made);
    let sums = output(Command::new("sha256sum").args(made).current_dir(place))?;
    write(&place.join("SHA256SUMS"), &sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_copied_with_its_folders() {
        let place = std::env::temp_dir().join(format!("guanxi-dist-docs-{}", std::process::id()));
        copy_folder(&root().join("docs"), &place).unwrap();
        let same =
            |name: &str| fs::read(place.join(name)).ok() == fs::read(root().join("docs").join(name)).ok();
        let copied = ["operations.md", "adr/README.md"].map(|name| place.join(name).is_file() && same(name));
        remove(&place).unwrap();
        assert_eq!(copied, [true; 2]);
    }

    #[test]
    fn the_same_folder_gives_the_same_archive() {
        let place = std::env::temp_dir().join(format!("guanxi-dist-{}", std::process::id()));
        let folder = place.join("things");
        let mut bytes = Vec::new();
        for _ in 0..2 {
            write(&folder.join("one"), "1").unwrap();
            pack(&folder, &place.join("things.tar.gz")).unwrap();
            bytes.push(fs::read(place.join("things.tar.gz")).unwrap());
            remove(&folder).unwrap();
        }
        checksums(&place).unwrap();
        let sums = fs::read_to_string(place.join("SHA256SUMS")).unwrap();
        remove(&place).unwrap();
        assert!(bytes[0] == bytes[1] && !bytes[0].is_empty());
        assert!(sums.ends_with("  things.tar.gz\n"), "{sums}");
    }
}
