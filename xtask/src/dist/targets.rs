//! The platforms that a release is built for, and what each packager calls them.

use std::path::Path;
use std::process::Command;

use super::symbols;

/// The oldest glibc that a release runs on: that of Debian 10, Ubuntu 20.04 and RHEL 8.
pub(super) const GLIBC: (u32, u32) = (2, 28);

/// Libraries of glibc itself: a release needs no others.
const GLIBC_LIBRARIES: &[&str] =
    &["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "ld-linux"];

/// The C library of a binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Libc {
    /// Linked when the program starts.
    Glibc,
    /// A part of the binary, which needs no file of the system.
    Musl,
}

/// A processor, with the names that others give it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cpu {
    /// Rust, Python, and `uname -m`.
    pub name: &'static str,
    /// Debian and images.
    pub debian: &'static str,
    /// Node.js.
    pub node: &'static str,
    /// `Machine:` of `readelf -h`.
    machine: &'static str,
    /// What comes before the names of binutils' programs on another processor.
    binutils: &'static str,
    /// The program that runs a binary on another processor.
    emulator: &'static str,
    /// Where the emulator finds the C library.
    system: &'static str,
}

const X86_64: Cpu = Cpu {
    name: "x86_64",
    debian: "amd64",
    node: "x64",
    machine: "X86-64",
    binutils: "x86_64-linux-gnu-",
    emulator: "qemu-x86_64",
    system: "/usr/x86_64-linux-gnu",
};

const AARCH64: Cpu = Cpu {
    name: "aarch64",
    debian: "arm64",
    node: "arm64",
    machine: "AArch64",
    binutils: "aarch64-linux-gnu-",
    emulator: "qemu-aarch64",
    system: "/usr/aarch64-linux-gnu",
};

/// A platform.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// What rustc calls it.
    pub triple: &'static str,
    pub cpu: Cpu,
    pub libc: Libc,
}

/// All that a release is built for.
pub(super) const TARGETS: [Target; 4] = [
    Target { triple: "x86_64-unknown-linux-gnu", cpu: X86_64, libc: Libc::Glibc },
    Target { triple: "x86_64-unknown-linux-musl", cpu: X86_64, libc: Libc::Musl },
    Target { triple: "aarch64-unknown-linux-gnu", cpu: AARCH64, libc: Libc::Glibc },
    Target { triple: "aarch64-unknown-linux-musl", cpu: AARCH64, libc: Libc::Musl },
];

impl Target {
    /// The target of that name.
    pub(super) fn named(triple: &str) -> Result<&'static Self, String> {
        let known = || TARGETS.each_ref().map(|target| target.triple).join(", ");
        TARGETS
            .iter()
            .find(|target| target.triple == triple)
            .ok_or_else(|| format!("a release has no target {triple}; it has {}", known()))
    }

    /// The target that a binary was built for, by what its file says.
    pub(super) fn of(binary: &Path) -> Result<&'static Self, String> {
        let (machine, needed) = (symbols::machine(binary)?, symbols::needed(binary)?);
        let libc = if needed.is_empty() { Libc::Musl } else { Libc::Glibc };
        let found = TARGETS.iter().find(|target| machine.contains(target.cpu.machine) && target.libc == libc);
        found.ok_or_else(|| format!("{} is for {machine}, which a release has not", binary.display()))
    }

    /// What cargo-zigbuild calls it: with the oldest glibc.
    pub(super) fn zig(&self) -> String {
        let (major, minor) = GLIBC;
        match self.libc {
            Libc::Glibc => format!("{}.{major}.{minor}", self.triple),
            Libc::Musl => self.triple.to_owned(),
        }
    }

    /// Whether this machine runs its binaries by itself.
    pub(super) fn is_native(&self) -> bool {
        self.cpu.name == std::env::consts::ARCH
    }

    /// A program of binutils for its files.
    pub(super) fn binutils(&self, program: &str) -> Command {
        let prefix = if self.is_native() { "" } else { self.cpu.binutils };
        Command::new(format!("{prefix}{program}"))
    }

    /// Checks that a binary runs where a release promises it.
    ///
    /// # Errors
    /// A library or a version of glibc that may be missing there.
    pub(super) fn check(&self, binary: &Path) -> Result<(), String> {
        let (needed, glibc) = (symbols::needed(binary)?, symbols::glibc(binary)?);
        let is_foreign = |name: &&String| !GLIBC_LIBRARIES.iter().any(|ours| name.starts_with(ours));
        let foreign: Vec<&String> = needed.iter().filter(is_foreign).collect();
        let name = self.triple;
        match self.libc {
            Libc::Musl if !needed.is_empty() => Err(format!("{name} is not static: it needs {needed:?}")),
            Libc::Glibc if !foreign.is_empty() => {
                Err(format!("{name} needs {foreign:?}, which systems may lack"))
            }
            Libc::Glibc if glibc > Some(GLIBC) => {
                let ((major, minor), (promised, oldest)) = (glibc.unwrap_or_default(), GLIBC);
                Err(format!("{name} needs glibc {major}.{minor}, and {promised}.{oldest} is promised"))
            }
            Libc::Musl | Libc::Glibc => Ok(()),
        }
    }

    /// A binary of the target as a command, by an emulator where this machine needs one.
    pub(super) fn command(&self, binary: &Path) -> Command {
        if self.is_native() {
            return Command::new(binary);
        }
        let mut command = Command::new(self.cpu.emulator);
        command.args(["-L", self.cpu.system]).arg(binary);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_found_by_its_name_and_by_a_file() {
        assert_eq!(Target::named("aarch64-unknown-linux-musl").unwrap().zig(), "aarch64-unknown-linux-musl");
        assert_eq!(Target::named("x86_64-unknown-linux-gnu").unwrap().zig(), "x86_64-unknown-linux-gnu.2.28");
        let error = Target::named("sparc").unwrap_err();
        assert!(error.contains("no target sparc; it has x86_64-unknown-linux-gnu, "), "{error}");
        let target = Target::of(&std::env::current_exe().unwrap()).unwrap();
        assert!(target.is_native() && target.libc == Libc::Glibc);
    }

    #[test]
    fn a_binary_that_needs_more_than_is_promised_is_refused() {
        let ours = std::env::current_exe().unwrap();
        let error = Target::named("x86_64-unknown-linux-musl").unwrap().check(&ours).unwrap_err();
        assert!(error.contains("is not static: it needs [") && error.contains("libc.so.6"), "{error}");
        // Rust links libgcc_s on a system that has it, and a release must not.
        let error = Target::named("x86_64-unknown-linux-gnu").unwrap().check(&ours).unwrap_err();
        assert!(error.contains("libgcc_s.so.1"), "{error}");
    }
}
