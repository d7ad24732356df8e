//! Directories that cannot be written: what only reads works all the same.

use super::run::{NOSTR, Ran, Scratch, Server, guanxi, run};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// How to run the binary so that a directory cannot be written.
enum Barrier {
    /// It is mounted read-only, in a mount namespace of the run's own.
    Mount(&'static [&'static str]),
    /// Its mode forbids it to the user who runs.
    Mode,
}

impl Barrier {
    /// Those that this machine lets us raise; the second always.
    fn all() -> Vec<Self> {
        let ways: [&[&str]; 2] = [&["-m"], &["-r", "-m"]];
        let may = |way: &&&[&str]| {
            let ran =
                Command::new("unshare").args(**way).args(["sh", "-c", "mount --bind /tmp /tmp"]).output();
            ran.is_ok_and(|ran| ran.status.success())
        };
        ways.iter().find(may).map(|way| Self::Mount(way)).into_iter().chain([Self::Mode]).collect()
    }

    /// A run behind the barrier.
    fn run(&self, scratch: &Scratch, dir: &str, args: &[&str]) -> Ran {
        let mut command = match self {
            Self::Mount(way) => {
                let script =
                    "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
                let mut command = Command::new("unshare");
                command.args(*way).args(["sh", "-c", script, "sh", dir]).arg(env!("CARGO_BIN_EXE_guanxi"));
                command
            }
            Self::Mode if is_root() => {
                // Modes do not bind root, who can be the user `nobody`.
                let binary = scratch.path("guanxi");
                if !binary.exists() {
                    fs::copy(env!("CARGO_BIN_EXE_guanxi"), &binary).unwrap();
                }
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(binary);
                command
            }
            Self::Mode => guanxi(),
        };
        command.env("TMPDIR", scratch.path("tmp")).args(args).args(["--data", dir]);
        Ran::of(&mut command)
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Every file below a directory, with its length and when it was changed.
fn listing(dir: &Path) -> Vec<(String, u64, std::time::SystemTime)> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let (path, meta) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
        rows.push((path.display().to_string(), meta.len(), meta.modified().unwrap()));
        if meta.is_dir() {
            rows.extend(listing(&path));
        }
    }
    rows.sort();
    rows
}

fn set_modes(dir: &Path, of_dirs: u32, of_files: u32) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_modes(&path, of_dirs, of_files);
        } else {
            fs::set_permissions(&path, fs::Permissions::from_mode(of_files)).unwrap();
        }
    }
    fs::set_permissions(dir, fs::Permissions::from_mode(of_dirs)).unwrap();
}

#[test]
fn what_only_reads_works_where_nothing_can_be_written() {
    let scratch = Scratch::new();
    fs::set_permissions(scratch.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(scratch.path("tmp")).unwrap();
    fs::set_permissions(scratch.path("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
    let dir = scratch.arg("data");
    run(&["import", "edges", NOSTR, "--data", &dir, "--json"]).json();
    let expected = run(&["export", "edges", "--data", &dir]).stdout;
    // What a killed server leaves is in its journals alone.
    let mut server = Server::start(&dir, &["--no-auth"]);
    server.call("Follow", &serde_json::json!({ "subject": "29826", "object": "29827" }));
    server.signal("KILL");
    server.wait();

    for barrier in Barrier::all() {
        if matches!(barrier, Barrier::Mode) {
            set_modes(&scratch.path("data"), 0o555, 0o444);
        }
        let before = listing(&scratch.path("data"));
        let behind = |args: &[&str]| barrier.run(&scratch, &dir, args);
        behind(&["import", "edges", NOSTR]).failed(1, "cannot be written");
        let proof = behind(&["verify", "--json"]);
        assert!(proof.stderr.contains("its journals are copied to"), "{proof:?}");
        assert_eq!((&proof.json()["clean"], &proof.json()["forward"]), (&true.into(), &215_217.into()));
        let homes = behind(&["verify", "--feed", "--sample", "3", "--json"]);
        assert_eq!(homes.json()["viewers"], 3, "{homes:?}");
        let list = behind(&["export", "edges"]);
        assert_eq!(list.code, 0, "{list:?}");
        assert!(
            list.stdout.lines().any(|line| line.starts_with("29826\t29827\t")),
            "the journal was not read"
        );
        assert_eq!(list.stdout.lines().count(), expected.lines().count() + 1);
        assert_eq!(behind(&["backup", "/dev/null"]).code, 0);
        assert!(before == listing(&scratch.path("data")), "something was written");
        assert_eq!(fs::read_dir(scratch.path("tmp")).unwrap().count(), 0, "a mirror was left");
    }
    set_modes(&scratch.path("data"), 0o755, 0o644);
    let server = Server::start(&dir, &["--no-auth"]);
    for barrier in Barrier::all() {
        set_modes(&scratch.path("data"), 0o755, 0o444);
        barrier.run(&scratch, &dir, &["verify"]).failed(1, "is in use by another process");
    }
    server.stop();
}
