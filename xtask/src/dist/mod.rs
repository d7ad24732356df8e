//! `cargo xtask dist`: what people install; `cargo xtask image`: a container image of it.
//!
//! Each kind of package is a file of this folder, with two functions: `make` packs what is built, and `check` installs the
//! made file into an empty place and uses it as in the first minute of the README. Everything comes from the binary itself and
//! files of this repository; [`tools`] installs the programs that pack.

mod archives;
mod build;
mod clients;
mod crates;
mod deb;
mod debian;
mod files;
mod image;
mod minute;
mod npm;
mod order;
mod page;
mod sbom;
mod symbols;
mod targets;
mod tools;
mod wheel;

pub(crate) use image::run as image;

use build::Built;
use files::{checksums, list, make, place, remove};
use order::{Kind, Order};

use crate::steps::Steps;

/// Makes and checks what is ordered.
///
/// # Errors
/// An option that is unknown, or the steps that failed.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let order = Order::from(options)?;
    tools::install(&order)?;
    if order.is_tools_alone {
        return Ok(());
    }
    if order.is_whole() {
        remove(&place())?;
    }
    make(&place())?;
    let mut steps = Steps::default();
    let built = build_all(&order, &mut steps)?;
    for kind in Kind::ALL.into_iter().filter(|kind| order.kinds.contains(kind)) {
        pack(kind, &built, &mut steps);
    }
    steps.run("checksums", || checksums(&place()));
    if order.kinds.contains(&Kind::Page) {
        steps.run("release page", || page::make(&build::version()?));
    }
    eprintln!("dist: {} has {}", place().display(), list(&place())?.join(", "));
    steps.finish()
}

/// Builds and stages each target, or takes what is built.
fn build_all(order: &Order, steps: &mut Steps) -> Result<Vec<Built>, String> {
    let version = build::version()?;
    let mut built = Vec::new();
    for target in &order.targets {
        let taken = order.binary_of(target);
        steps.run(target.triple, || {
            built.push(build::stage(target, &version, taken)?);
            Ok(())
        });
    }
    Ok(built)
}

/// A package of a kind for each target that it is for.
fn pack(kind: Kind, built: &[Built], steps: &mut Steps) {
    match kind {
        Kind::Archives => each(kind, built.iter(), steps, archives::make, archives::check),
        Kind::Deb => each(kind, with_glibc(built), steps, deb::make, deb::check),
        Kind::Wheel => each(kind, built.iter(), steps, wheel::make, wheel::check),
        Kind::Npm => {
            steps.run("npm for people", || npm::make_for_people(&build::version()?));
            each(kind, is_static(built), steps, npm::make, npm::check);
        }
        Kind::Image => each(kind, with_glibc(built), steps, image::make, image::check),
        Kind::Clients => steps.run(kind.name(), || {
            let version = build::version()?;
            clients::check_versions(&version)?;
            clients::make()?;
            clients::check(built, &version)
        }),
        Kind::Crates => steps.run(kind.name(), crates::check),
        // It tells the checksums of all the others, so that it comes last.
        Kind::Page => {}
    }
}

/// Those that need no library of the system.
fn is_static(built: &[Built]) -> impl Iterator<Item = &Built> {
    built.iter().filter(|built| built.target.libc == targets::Libc::Musl)
}

/// Those that are linked against glibc.
fn with_glibc(built: &[Built]) -> impl Iterator<Item = &Built> {
    built.iter().filter(|built| built.target.libc == targets::Libc::Glibc)
}

/// Makes a package for each target, and checks it.
fn each<'a>(
    kind: Kind,
    built: impl Iterator<Item = &'a Built>,
    steps: &mut Steps,
    make: impl Fn(&Built) -> Result<(), String>,
    check: impl Fn(&Built) -> Result<(), String>,
) {
    for built in built {
        let name = format!("{} of {}", kind.name(), built.target.triple);
        steps.run(&name, || make(built).and_then(|()| check(built)));
    }
}
