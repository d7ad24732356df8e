//! Where a cluster is that was brought up, and which processes it has: a file in its directory.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use guanxi_servers::{end_left, is_left};
use serde_json::{Value, json};

/// The file of the directory that says so, written when all is up.
const FILE: &str = "cluster.json";

/// A process of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedProcess {
    /// What it is called.
    pub name: String,
    /// Its process id.
    pub pid: u32,
    /// Where it is reached, in words.
    pub address: String,
}

/// A cluster that was brought up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClusterPlace {
    /// Its directory.
    pub dir: PathBuf,
    /// Its processes, those that answer calls first and the servers last: so they are ended.
    pub processes: Vec<PlacedProcess>,
}

impl ClusterPlace {
    /// What the directory says, if it is that of a cluster that was up.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub(super) fn read(dir: &Path) -> Result<Option<Self>, String> {
        let file = dir.join(FILE);
        if !file.exists() {
            return Ok(None);
        }
        let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = fs::read(&file).map_err(|error| broken(&error))?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| broken(&error))?;
        let process = |value: &Value| {
            Some(PlacedProcess {
                name: value["name"].as_str()?.to_owned(),
                pid: u32::try_from(value["pid"].as_u64()?).ok()?,
                address: value["address"].as_str()?.to_owned(),
            })
        };
        let all =
            value["processes"].as_array().into_iter().flatten().map(process).collect::<Option<Vec<_>>>();
        let processes = all.ok_or_else(|| broken(&"it does not name its processes"))?;
        Ok(Some(Self { dir: dir.to_owned(), processes }))
    }

    /// Writes it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn write(&self) -> Result<(), String> {
        let process = |process: &PlacedProcess| json!({ "name": process.name, "pid": process.pid, "address": process.address });
        let all: Vec<Value> = self.processes.iter().map(process).collect();
        let file = self.dir.join(FILE);
        let text = json!({ "processes": all }).to_string();
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn runs(&self, process: &PlacedProcess) -> bool {
        is_left(process.pid, &self.dir.to_string_lossy())
    }

    /// Whether any of it runs.
    pub(super) fn is_running(&self) -> bool {
        self.processes.iter().any(|process| self.runs(process))
    }

    /// Ends what runs of it.
    ///
    /// # Errors
    /// What had to be killed.
    pub(super) fn end(&self) -> Result<(), String> {
        let dir = self.dir.to_string_lossy();
        let ends = self.processes.iter().filter_map(|process| end_left(process.pid, &dir).err());
        let late: Vec<String> = ends.collect();
        if late.is_empty() { Ok(()) } else { Err(late.join("; ")) }
    }

    /// What a user is told of it.
    pub(super) fn told(&self) -> String {
        let mut text = String::new();
        for process in &self.processes {
            let gone = if self.runs(process) { "" } else { "   (gone)" };
            let PlacedProcess { name, pid, address } = process;
            let _infallible = writeln!(text, "  {name:<8} pid {pid:<8} {address}{gone}");
        }
        let dir = self.dir.display();
        let admin =
            self.processes.first().and_then(|first| first.address.rsplit(' ').next()).unwrap_or_default();
        let _infallible = write!(
            text,
            "configuration: {dir}/cluster.toml\nadmin token:   {dir}/api1/admin-token\nlogs:          {dir}/*.log\n\
             a token that calls the API:\n  guanxi token create dev --service read,write --server {admin} --token-file \
             {dir}/api1/admin-token\n`cargo xtask cluster down` ends all of it and removes {dir}"
        );
        text
    }
}
