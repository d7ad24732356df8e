//! What is ordered of `cargo xtask dist`: which kinds of packages, for which targets, of which binaries.

use std::path::{Path, PathBuf};

use super::targets::{TARGETS, Target};

/// A kind of package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Archives,
    Deb,
    Wheel,
    Npm,
    Image,
    Clients,
    Crates,
    Page,
}

impl Kind {
    /// In the order in which they are made.
    pub(super) const ALL: [Self; 8] = [
        Self::Archives,
        Self::Deb,
        Self::Wheel,
        Self::Npm,
        Self::Image,
        Self::Clients,
        Self::Crates,
        Self::Page,
    ];

    /// What an order calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Archives => "archives",
            Self::Deb => "deb",
            Self::Wheel => "wheel",
            Self::Npm => "npm",
            Self::Image => "image",
            Self::Clients => "clients",
            Self::Crates => "crates",
            Self::Page => "page",
        }
    }

    /// Whether it is made of a binary.
    fn is_of_binaries(self) -> bool {
        !matches!(self, Self::Crates | Self::Page)
    }

    fn named(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| format!("no such kind of package: {name}; there are {}", known()))
    }
}

/// An order.
#[derive(Debug)]
pub(super) struct Order {
    pub kinds: Vec<Kind>,
    pub targets: Vec<&'static Target>,
    /// Binaries that are not built anew, with their targets.
    binaries: Vec<(&'static Target, PathBuf)>,
    /// Only the programs that pack are installed.
    pub is_tools_alone: bool,
}

impl Order {
    /// Reads `[--tools] [--only KINDS] [--targets TARGETS] [--binary FILE]...`.
    ///
    /// # Errors
    /// An option, a kind or a target that does not exist; a binary of no target.
    pub(super) fn from(options: &[&str]) -> Result<Self, String> {
        let (mut kinds, mut targets) = (None, None);
        let (mut binaries, mut is_tools_alone) = (Vec::new(), false);
        let mut rest = options;
        while let Some((option, others)) = rest.split_first() {
            let value = others.first().ok_or_else(|| format!("{option} needs a value"));
            rest = match *option {
                "--tools" => {
                    is_tools_alone = true;
                    others
                }
                "--only" => {
                    kinds = Some(value?.split(',').map(Kind::named).collect::<Result<Vec<_>, _>>()?);
                    &others[1..]
                }
                "--targets" => {
                    targets = Some(value?.split(',').map(Target::named).collect::<Result<Vec<_>, _>>()?);
                    &others[1..]
                }
                "--binary" => {
                    let path = PathBuf::from(value?);
                    binaries.push((Target::of(&path)?, path));
                    &others[1..]
                }
                other => return Err(format!("no such option: {other}")),
            };
        }
        let targets = match targets {
            Some(targets) => targets,
            None if binaries.is_empty() => TARGETS.iter().collect(),
            None => binaries.iter().map(|(target, _)| *target).collect(),
        };
        let kinds = kinds.unwrap_or_else(|| Kind::ALL.to_vec());
        if !kinds.iter().any(|kind| kind.is_of_binaries()) {
            return Ok(Self { kinds, targets: Vec::new(), binaries: Vec::new(), is_tools_alone });
        }
        Ok(Self { kinds, targets, binaries, is_tools_alone })
    }

    /// Whether nothing was left out, so that the made files are those of a release.
    pub(super) fn is_whole(&self) -> bool {
        self.kinds.len() == Kind::ALL.len() && self.targets.len() == TARGETS.len() && self.binaries.is_empty()
    }

    /// The binary of a target that is not built anew.
    pub(super) fn binary_of(&self, target: &Target) -> Option<&Path> {
        self.binaries.iter().find(|(of, _)| *of == target).map(|(_, path)| path.as_path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_everything_unless_it_says_less() {
        let order = Order::from(&[]).unwrap();
        assert!(order.is_whole() && order.targets.len() == TARGETS.len());
        let order =
            Order::from(&["--only", "image,archives", "--targets", "x86_64-unknown-linux-musl"]).unwrap();
        assert_eq!(order.kinds, [Kind::Image, Kind::Archives]);
        assert_eq!(order.targets, [Target::named("x86_64-unknown-linux-musl").unwrap()]);
        assert!(!order.is_whole() && order.binary_of(order.targets[0]).is_none());
        assert!(
            Order::from(&["--only", "crates,page"]).unwrap().targets.is_empty(),
            "nothing is built for these"
        );
    }

    #[test]
    fn a_binary_brings_its_target_and_is_not_built() {
        let ours = std::env::current_exe().unwrap();
        let order = Order::from(&["--binary", ours.to_str().unwrap()]).unwrap();
        assert_eq!(order.binary_of(order.targets[0]), Some(ours.as_path()));
        assert!(order.targets.len() == 1 && !order.is_whole());
    }

    #[test]
    fn an_order_that_means_nothing_is_refused_with_what_there_is() {
        let error = |options: &[&str]| Order::from(options).unwrap_err();
        assert_eq!(
            error(&["--only", "rpm"]),
            "no such kind of package: rpm; there are archives, deb, wheel, npm, image, clients, crates, page"
        );
        assert_eq!(error(&["--only"]), "--only needs a value");
        assert_eq!(error(&["--fast"]), "no such option: --fast");
        assert!(error(&["--targets", "mips"]).contains("no target mips"));
    }
}
