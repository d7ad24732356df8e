//! What a binary needs of the system it runs on, by its own headers and symbols.

use std::path::Path;
use std::process::Command;

use crate::steps::output;

/// The processor that a binary is for.
pub(super) fn machine(binary: &Path) -> Result<String, String> {
    let header = readelf("--file-header", binary)?;
    let machine = header.lines().find_map(|line| line.trim().strip_prefix("Machine:"));
    machine
        .map(|machine| machine.trim().to_owned())
        .ok_or_else(|| format!("{} names no machine", binary.display()))
}

/// The libraries that are linked when a binary starts.
pub(super) fn needed(binary: &Path) -> Result<Vec<String>, String> {
    Ok(libraries(&readelf("--dynamic", binary)?))
}

/// The newest version of glibc that a binary has symbols of; none for a static one.
pub(super) fn glibc(binary: &Path) -> Result<Option<(u32, u32)>, String> {
    Ok(newest(&readelf("--version-info", binary)?))
}

fn readelf(question: &str, binary: &Path) -> Result<String, String> {
    output(Command::new("readelf").args(["--wide", question]).arg(binary).env("LC_ALL", "C"))
}

/// The libraries of a dynamic section, as `readelf --dynamic` shows them.
fn libraries(shown: &str) -> Vec<String> {
    let needed = shown.lines().filter(|line| line.contains("(NEEDED)"));
    let name = |line: &str| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned());
    needed.filter_map(name).collect()
}

/// The newest `GLIBC_MAJOR.MINOR` that `readelf --version-info` shows.
fn newest(shown: &str) -> Option<(u32, u32)> {
    let versions = shown.split("GLIBC_").skip(1).filter_map(|rest| {
        let word = rest.split(|letter: char| !letter.is_ascii_digit() && letter != '.').next()?;
        let mut numbers = word.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSIONS: &str = "\
Version needs section '.gnu.version_r' contains 2 entries:
 Addr: 0x0000000000000a38  Offset: 0x00000a38  Link: 7 (.dynstr)
  000000: Version: 1  File: libm.so.6  Cnt: 1
  0x0010:   Name: GLIBC_2.27  Flags: none  Version: 5
  0x0020: Version: 1  File: libc.so.6  Cnt: 4
  0x0030:   Name: GLIBC_2.9  Flags: none  Version: 9
  0x0040:   Name: GLIBC_2.2.5  Flags: none  Version: 2
  0x0050:   Name: GLIBC_PRIVATE  Flags: none  Version: 3
";

    #[test]
    fn the_newest_glibc_is_told_by_numbers_and_not_by_letters() {
        assert_eq!(newest(VERSIONS), Some((2, 27)));
        assert_eq!(newest(&VERSIONS.replace("2.27", "2.34")), Some((2, 34)));
        assert_eq!(newest("No version information found in this file.\n"), None);
    }

    #[test]
    fn libraries_are_those_that_the_dynamic_section_names() {
        let shown = " 0x01 (NEEDED)             Shared library: [libgcc_s.so.1]\n\
                     0x01 (NEEDED)             Shared library: [libc.so.6]\n\
                     0x0c (INIT)               0x70000\n";
        assert_eq!(libraries(shown), ["libgcc_s.so.1", "libc.so.6"]);
        assert!(libraries("There is no dynamic section in this file.\n").is_empty());
    }
}
