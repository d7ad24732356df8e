//! The commands of README and docs, pasted into a shell one after another, as a reader would.

use super::blocks::{Block, blocks, documents, root};
use crate::cli::run::Scratch;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, Ordering};
use std::{env, fs};

/// How long a document may take in all.
const DOCUMENT_SECONDS: &str = "120";
/// Documents that are followed at the same time: each has a server.
const DOCUMENTS_AT_ONCE: usize = 4;
/// How long a stream is listened to: a heartbeat comes within 15 seconds.
const STREAM_SECONDS: &str = "17";
/// The time of a call, in milliseconds.
const CALL_MS: &str = "20000";
/// Ports that no system gives away by itself, so that no process takes one between the test's look and the server.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// What a document's commands say in the end, beside that none of them fails.
const SAID: &[(&str, &str)] = &[
    ("README.md", "event: "),
    ("docs/accounts.md", "my phone"),
    ("docs/external-ids.md", r#""uid":"ext:0192d3a4-7b1c-7e55-8f00-77aa88bb99cc""#),
    ("docs/ten-minutes.md", "new: look, a heron!\nann follows: ['2']\n"),
    ("examples/python/README.md", "newly followed: True\n2: hello from Python"),
    ("examples/typescript/README.md", "newly followed: true\n2: hello from TypeScript"),
];
/// What is made of an example's files, and is not one of them.
const MADE: &[&str] = &["node_modules", "dist", "gen", ".venv", "__pycache__"];

/// What the examples' commands start, beside what their packages bring.
const PROGRAMS: &[&str] = &["node", "npm", "protoc", "python3"];

/// Two free ports, the second next to the first.
pub(super) fn ports() -> (u16, u16) {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    let span = PORTS.end - PORTS.start;
    let first = u16::try_from(std::process::id() % u32::from(span)).expect("the span is one");
    loop {
        let step = NEXT.fetch_add(2, Ordering::Relaxed);
        let port = PORTS.start + (first + step) % span;
        if free(port) && free(port + 1) {
            return (port, port + 1);
        }
    }
}

/// A place where a document's commands run: a directory instead of the machine's own, and programs on the path.
struct World {
    scratch: Scratch,
    api: u16,
    admin: u16,
    /// Where the shell begins.
    start: PathBuf,
}

impl World {
    fn new(document: &str) -> Self {
        let (api, admin) = ports();
        let scratch = Scratch::new();
        let start = scratch.path("work");
        let mut world = Self { scratch, api, admin, start };
        for directory in ["work", "lib", "backups", "bin"] {
            fs::create_dir(world.scratch.path(directory)).unwrap();
        }
        for (name, text) in [
            ("guanxi", include_str!("bin/guanxi")),
            ("curl", include_str!("bin/curl")),
            ("cargo", include_str!("bin/cargo")),
        ] {
            let path = PathBuf::from(world.scratch.file(&format!("bin/{name}"), text));
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        // A checkout has the packages of clients.
        symlink(root().join("clients"), world.scratch.path("work/clients")).unwrap();
        let follows = "1\t2\t1700000000\n2\t1\n3\t2\n7\t8\n8\t7\n1\t7\n";
        let posts = concat!(
            r#"{"author": 7, "key": "a1", "time": "2024-05-01T12:30:00Z", "text": "hello"}"#,
            "\n",
            r#"{"author": 8, "key": "b1", "time": 1714566660000, "text": "hi!", "reply_to": {"author": 7, "key": "a1"}}"#,
            "\n"
        );
        for (name, text) in [("follows.tsv.zst", follows), ("posts.ndjson.zst", posts)] {
            world.scratch.file(&format!("work/{name}"), zstd::encode_all(text.as_bytes(), 0).unwrap());
        }
        if let Some(example) = document.strip_prefix("examples/").and_then(|rest| rest.split('/').next()) {
            world.start = world.example(example);
        }
        world
    }

    /// An example's files at their place, with the packages that the setup has installed.
    fn example(&self, name: &str) -> PathBuf {
        let (from, to) = (root().join("examples").join(name), self.scratch.path("work/examples").join(name));
        for program in PROGRAMS {
            assert!(find(program).is_some(), "{program} is missing: run `cargo xtask setup`");
        }
        copy(&from, &to);
        symlink(root().join("proto"), self.scratch.path("work/proto")).unwrap();
        let packages = root().join("target/tools/examples").join(name);
        assert!(packages.join("installed.txt").exists(), "examples/{name}: run `cargo xtask setup`");
        for made in MADE.iter().filter(|made| packages.join(made).exists()) {
            symlink(packages.join(made), to.join(made)).unwrap();
        }
        to
    }

    /// A block with this world's ports and directories.
    fn placed(&self, text: &str) -> String {
        text.replace(":7420", &format!(":{}", self.api))
            .replace(":7421", &format!(":{}", self.admin))
            .replace("/var/lib", &self.scratch.arg("lib"))
            .replace("/backups/", &format!("{}/", self.scratch.arg("backups")))
    }

    /// What a shell is given: the blocks in order; the first command that fails ends it, and says where it stands.
    fn script(&self, name: &str, before: &str, blocks: &[Block]) -> String {
        let mut script =
            format!("trap 'echo \"FAILED: {name}:$BLOCK: $BASH_COMMAND\" >&2' ERR\nBLOCK=0\n{before}\n");
        for block in blocks.iter().filter(|block| block.mark.is_none()) {
            write!(script, "BLOCK={}\n{}\nguanxi @after\n", block.line, self.placed(&block.text)).unwrap();
        }
        script
    }

    fn shell(&self, script: &str) -> std::process::Output {
        let path = format!("{}:{}", self.scratch.arg("bin"), env::var("PATH").unwrap());
        let mut shell = Command::new("timeout");
        shell.args([DOCUMENT_SECONDS, "bash", "-euo", "pipefail", "-c", script]);
        for (name, _) in env::vars().filter(|(name, _)| name.starts_with("GUANXI_")) {
            shell.env_remove(name);
        }
        shell
            .env("PATH", path)
            .env("WORLD", self.scratch.path(""))
            .env("API_PORT", self.api.to_string())
            .env("ADMIN_PORT", self.admin.to_string())
            .env("GUANXI_BINARY", env!("CARGO_BIN_EXE_guanxi"))
            .env("REAL_CURL", find("curl").expect("curl is installed"))
            .env("STREAM_SECONDS", STREAM_SECONDS)
            .env("CALL_MS", CALL_MS)
            .env("API_ADDRESS", format!("127.0.0.1:{}", self.api))
            .env("API_URL", format!("http://127.0.0.1:{}", self.api))
            .current_dir(&self.start)
            .stdin(Stdio::null())
            .output()
            .expect("bash is there")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.shell("guanxi @stop");
    }
}

/// Where a program is.
fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(program)).find(|path| path.exists())
}

/// Copies a directory without what was made in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if MADE.iter().any(|made| name == *made) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(name));
        } else {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

/// What a document says that its commands say.
fn outputs(text: &str) -> impl Iterator<Item = &str> {
    text.split("```output\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(shown, _)| shown))
}

/// Runs a document's blocks.
fn run(document: &Path) -> Result<(), String> {
    let name = document.strip_prefix(root()).unwrap().display().to_string();
    let text = fs::read_to_string(document).unwrap();
    let blocks = blocks(&text);
    if blocks.iter().all(|block| block.mark.is_some()) {
        return Ok(());
    }
    let world = World::new(&name);
    // A document that starts no server speaks of one that runs; the reference's calls are without tokens, as the demo.
    let before = match name.as_str() {
        "docs/api.md" => "guanxi serve --data \"$WORLD/lib/guanxi\" --no-auth; rm \"$WORLD/special\"",
        _ if text.contains("guanxi serve --data") => "",
        _ => "guanxi serve --data \"$WORLD/lib/guanxi\"",
    };
    let output = world.shell(&world.script(&name, before, &blocks));
    let expected = SAID.iter().find(|(document, _)| *document == name).map_or("", |(_, said)| said);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let untrue = outputs(&text).find(|shown| !stdout.contains(shown));
    if output.status.success() && stdout.contains(expected) && untrue.is_none() {
        return Ok(());
    }
    let log = fs::read_to_string(world.scratch.path("server.log")).unwrap_or_default();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!(
        "{name}: {}\nnot said: {}\n{}\n{}\nserver: {log}",
        output.status,
        untrue.unwrap_or(expected),
        said(&output.stdout),
        said(&output.stderr)
    ))
}

#[test]
fn every_command_of_the_documents_runs_as_it_stands() {
    let waiting = Mutex::new(documents());
    let next = || waiting.lock().unwrap().pop();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work =
            || std::iter::from_fn(next).filter_map(|document| run(&document).err()).collect::<Vec<_>>();
        let workers: Vec<_> = (0..DOCUMENTS_AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
