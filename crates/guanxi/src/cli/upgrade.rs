//! `guanxi upgrade --check`: the effect that a start of this program would have on data.

use super::{effective, print, print_json};
use clap::Args;
use guanxi_server::config::{SettingFlags, Settings, complaints};
use guanxi_server::{
    DataFound, DataKind, Failure, Outcome, StartEffect, StartReport, start_of_cluster, start_of_directory,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code when a start is refused.
const EXIT_REFUSED: u8 = 1;
/// Exit code when the data is brought up to this program's version.
const EXIT_UPGRADES: u8 = 3;

/// Says what a start of this program would do with data of another version. It reads the version of the data, checks the
/// settings, and changes nothing. Exit codes: 0 serves the data as it is, 1 refuses, 3 brings the data up to its own version,
/// so make a backup first.
#[derive(Debug, Args)]
pub(super) struct Upgrade {
    /// Say what would happen; the start of a newer program, or `guanxi cluster init` of it, is the upgrade itself
    #[arg(long, required = true)]
    check: bool,
    /// A data directory, which a server may have open [default: that of the settings, or their databases]
    #[arg(value_name = "DIR", conflicts_with = "database")]
    dir: Option<PathBuf>,
    /// A database of a cluster, as postgresql://user@host/database; repeat it for each. Passwords belong in the --config file
    #[arg(long, value_name = "URL")]
    database: Vec<String>,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

impl Upgrade {
    /// Checks, and returns the exit code.
    pub(super) async fn run(&self, config: Option<&Path>) -> Outcome<ExitCode> {
        let complaints = complaints(config, std::env::vars());
        let report = self.report(config).await?;
        let told = Told { report: &report, complaints: &complaints };
        if self.json {
            print_json(&told.json())?;
        } else {
            told.print()?;
        }
        Ok(match told.verdict() {
            Verdict::Serves => ExitCode::SUCCESS,
            Verdict::Upgrades => ExitCode::from(EXIT_UPGRADES),
            Verdict::Refuses => ExitCode::from(EXIT_REFUSED),
        })
    }

    /// Looks at what the command line names, and otherwise at what the settings name.
    async fn report(&self, config: Option<&Path>) -> Outcome<StartReport> {
        if let Some(dir) = &self.dir {
            return start_of_directory(dir);
        }
        if !self.database.is_empty() {
            let named = self.database.iter().zip(1..).map(|(line, nth)| line_of(line, nth));
            let settings = Settings { databases: named.collect(), ..Settings::default() };
            return start_of_cluster(&settings).await;
        }
        let settings = effective(config, &SettingFlags::default(), None)?.settings;
        if !settings.databases.is_empty() {
            return start_of_cluster(&settings).await;
        }
        let dir = settings.data.ok_or_else(|| {
            Failure::usage(
                "say what to check: a data directory, --database URL, or a --config file that names one",
            )
        })?;
        start_of_directory(&dir)
    }
}

/// A line of the setting `databases` for an address without a name: the database itself knows its name.
fn line_of(url: &str, nth: usize) -> String {
    let is_url = ["postgresql://", "postgres://"].iter().any(|scheme| url.starts_with(scheme));
    if is_url { format!("database{nth}={url}") } else { url.to_owned() }
}

/// What a start would do in all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Serves,
    Upgrades,
    Refuses,
}

impl Verdict {
    const fn of(effect: &StartEffect) -> Self {
        match effect {
            StartEffect::None => Self::Serves,
            StartEffect::Upgrade => Self::Upgrades,
            StartEffect::Refused(_) => Self::Refuses,
        }
    }

    /// In data.
    const fn word(self) -> &'static str {
        match self {
            Self::Serves => "serves",
            Self::Upgrades => "upgrades",
            Self::Refuses => "refuses",
        }
    }
}

/// The report in words.
struct Told<'a> {
    report: &'a StartReport,
    complaints: &'a [String],
}

impl Told<'_> {
    /// The worst of all, since a start serves all or nothing.
    fn verdict(&self) -> Verdict {
        let of_data = self.report.found.iter().map(|found| Verdict::of(&found.effect)).max();
        let of_settings = if self.complaints.is_empty() { Verdict::Serves } else { Verdict::Refuses };
        of_data.unwrap_or(Verdict::Serves).max(of_settings)
    }

    /// The oldest version from which data is brought up.
    fn oldest(&self) -> u32 {
        let upgraded = self.report.found.iter().filter(|found| found.effect == StartEffect::Upgrade);
        upgraded.filter_map(|found| found.version).min().unwrap_or(self.report.writes)
    }

    /// Returns whether the program of before can go on with the data after this program has had it.
    fn has_way_back(&self) -> bool {
        match (self.verdict(), self.report.kind) {
            (Verdict::Serves | Verdict::Refuses, _) => true,
            (Verdict::Upgrades, DataKind::Directory) => false,
            (Verdict::Upgrades, DataKind::Cluster) => self.oldest() + 1 >= self.report.writes,
        }
    }

    /// The name of a version.
    fn version(&self, version: Option<u32>) -> String {
        let name = match self.report.kind {
            DataKind::Directory => "format",
            DataKind::Cluster => "tables",
        };
        version.map_or_else(|| "unknown".to_owned(), |version| format!("{name} {version}"))
    }

    /// The way back, as a sentence.
    fn way_back(&self) -> String {
        let StartReport { kind, writes, .. } = *self.report;
        let (mine, before) = (self.version(Some(writes)), self.version(Some(writes - 1)));
        match (self.verdict(), kind) {
            (Verdict::Refuses, _) => {
                "this program changes nothing, so the program of before goes on".to_owned()
            }
            (Verdict::Serves, DataKind::Directory) => {
                format!("the data stays at {mine}, so every program that opens {mine} can serve it again")
            }
            (Verdict::Serves, DataKind::Cluster) => {
                "the tables stay as they are, so the program of before goes on".to_owned()
            }
            (Verdict::Upgrades, DataKind::Directory) => format!(
                "only a backup: programs that open no more than {before} refuse the directory once it has {mine}, so run \
                 `guanxi backup` before"
            ),
            (Verdict::Upgrades, DataKind::Cluster) if self.has_way_back() => {
                format!(
                    "programs of {before} go on serving from {mine}, so processes can be replaced one after the other"
                )
            }
            (Verdict::Upgrades, DataKind::Cluster) => format!(
                "only a backup: programs older than {before} do not serve from {mine}, so end all processes and run \
                 `guanxi backup` before"
            ),
        }
    }

    /// What a start would do with one thing.
    fn effect(&self, found: &DataFound) -> String {
        let mine = self.version(Some(self.report.writes));
        match (&found.effect, self.report.kind) {
            (StartEffect::None, _) => "serves it as it is".to_owned(),
            (StartEffect::Upgrade, DataKind::Directory) => format!("upgrades it in place to {mine}"),
            (StartEffect::Upgrade, DataKind::Cluster) => {
                format!("refuses until `guanxi cluster init` of it has made {mine}")
            }
            (StartEffect::Refused(_), _) => "refuses".to_owned(),
        }
    }

    fn print(&self) -> Outcome {
        let StartReport { kind, reads, writes, found, notes } = self.report;
        let data = match kind {
            DataKind::Directory => "data directories",
            DataKind::Cluster => "databases",
        };
        let (first, last) = (self.version(Some(*reads.start())), reads.end());
        print(format_args!(
            "guanxi {} knows {data} of {first} to {last}, and works with {writes}",
            env!("CARGO_PKG_VERSION")
        ))?;
        let name = |found: &DataFound| found.name.chars().count();
        let width = found.iter().map(name).max().unwrap_or(0).max("DATA".len());
        print(format_args!("{:width$}  FOUND      A START OF THIS PROGRAM", "DATA"))?;
        for one in found {
            let version = self.version(one.version);
            print(format_args!("{:width$}  {version:9}  {}", one.name, self.effect(one)))?;
        }
        for one in found {
            if let StartEffect::Refused(problem) = &one.effect {
                print(format_args!("{}: {problem}", one.name))?;
            }
        }
        notes.iter().try_for_each(|note| print(format_args!("note: {note}")))?;
        match self.complaints {
            [] => print("settings: this program knows all of them")?,
            all => all.iter().try_for_each(|one| print(format_args!("settings: {one}")))?,
        }
        print(format_args!("way back: {}", self.way_back()))
    }

    fn json(&self) -> serde_json::Value {
        let StartReport { kind, reads, writes, found, notes } = self.report;
        let data = found.iter().map(|one| {
            let problem = match &one.effect {
                StartEffect::Refused(problem) => Some(problem),
                _ => None,
            };
            serde_json::json!({
                "name": one.name, "version": one.version, "start": Verdict::of(&one.effect).word(), "problem": problem,
            })
        });
        serde_json::json!({
            "program": env!("CARGO_PKG_VERSION"),
            "kind": match kind { DataKind::Directory => "directory", DataKind::Cluster => "cluster" },
            "reads": { "first": reads.start(), "last": reads.end() },
            "writes": writes,
            "data": data.collect::<Vec<_>>(),
            "notes": notes,
            "settings": self.complaints,
            "start": self.verdict().word(),
            "way_back": { "without_backup": self.has_way_back(), "text": self.way_back() },
        })
    }
}
