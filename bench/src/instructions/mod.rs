//! What a call costs in instructions: through the router of the server in one process, without sockets, under
//! valgrind.
//!
//! Instructions are the same on a busy machine, so that a change of one percent shows. Each call is made by processes
//! of two lengths on copies of one directory, and the difference is the cost of the calls that one makes more: opening
//! and the first calls, which fill memory, cancel out. Of the threads only those that answer calls count.

mod callgrind;
mod calls;
mod child;
mod figures;
mod server;
#[cfg(test)]
mod tests;
mod world;

use crate::machine::runtime;
use crate::run::{Bench, Found, Place};
use calls::Kind;
pub(crate) use child::{Options as ChildOptions, main as child_main};
use figures::{Counted, Row, Table};
use std::path::Path;

/// How instructions are counted.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these calls
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Kind::ALL, hide_default_value = true)]
    calls: Vec<Kind>,
    /// Calls of the shorter process; they fill memory
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(child::CHECKED as i64..))]
    short: u32,
    /// Calls of the longer process more than that: those that count
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=4_000))]
    counted: u32,
    /// How often each is counted: what the counts differ by is told
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

impl Found for Table {}

impl Bench for Options {
    type Found = Table;
    const IS_PINNED: bool = false;

    fn run(&self, place: &Place) -> Result<Table, String> {
        if cfg!(debug_assertions) {
            eprintln!("this program was built without optimisation: its counts are not those of a release");
        }
        let world = place.dir.join("world");
        runtime()?.block_on(world::create(&world))?;
        let mut table = Table::default();
        for &kind in &self.calls {
            let counted = (0..self.runs).map(|_| count(kind, self, &world, &place.dir));
            let row = Row::of(kind, &counted.collect::<Result<Vec<_>, _>>()?).ok_or("nothing was counted")?;
            eprintln!("{row}");
            table.calls.push(row);
        }
        Ok(table)
    }
}

/// Counts one kind of call, once.
fn count(kind: Kind, options: &Options, world: &Path, place: &Path) -> Result<Counted, String> {
    let (short, long) = (options.short as usize, (options.short + options.counted) as usize);
    let run = |calls: usize| {
        let dir = tempfile::tempdir_in(place).map_err(|error| format!("{}: {error}", place.display()))?;
        let data = dir.path().join("data");
        copy(world, &data).map_err(|error| format!("{}: {error}", data.display()))?;
        callgrind::run(dir.path(), &ChildOptions::args(&data, kind, calls, long))
    };
    Ok(Counted::between(kind, run(short)?, run(long)?, u64::from(options.counted)))
}

/// Copies a directory.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
