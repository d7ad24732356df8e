//! What the checks work with: a folder of their own, a binary, a certificate, and a served graph.

use crate::steps::{cargo, output, root, spawn};
use guanxi_servers::{Process, Signal, free_address};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Calls without a valid token that one address may make in a minute: few, so that the check sees whose address is counted.
pub(super) const UNKNOWN_PER_MINUTE: u32 = 3;

/// A folder below `target/`, and the binary that is checked.
pub(super) struct Work {
    dir: PathBuf,
    binary: PathBuf,
}

impl Work {
    /// Makes the folder anew, and finds the binary: the named one, else the one that was built last, else cargo builds one.
    pub(super) fn new(binary: Option<&str>) -> Result<Self, String> {
        let dir = root().join("target/deploy-check");
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        }
        fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let binary = match binary {
            Some(path) => PathBuf::from(path),
            None => built()?,
        };
        eprintln!("the binary is {}", binary.display());
        Ok(Self { dir, binary })
    }

    /// A path in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// A file in the folder.
    pub(super) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> Result<PathBuf, String> {
        let path = self.path(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// The binary, in an environment without settings of its own.
    pub(super) fn guanxi(&self) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GUANXI_")) {
            command.env_remove(name);
        }
        command
    }

    /// Makes a certificate for `localhost`, and a file with it and its key.
    pub(super) fn certificate(&self) -> Result<(), String> {
        let mut openssl = Command::new("openssl");
        openssl.args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ]);
        openssl.args(["-subj", "/CN=guanxi", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]);
        openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        openssl.arg("-keyout").arg(self.path("guanxi.key")).arg("-out").arg(self.path("guanxi.crt"));
        spawn(openssl.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let read =
            |name: &str| fs::read_to_string(self.path(name)).map_err(|error| format!("{name}: {error}"));
        self.file("guanxi.pem", read("guanxi.crt")? + &read("guanxi.key")?).map(drop)
    }
}

/// The binary that was built last in this workspace.
fn built() -> Result<PathBuf, String> {
    let candidates = ["release", "debug"].map(|profile| root().join("target").join(profile).join("guanxi"));
    let time = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    if let Some(last) = candidates.iter().filter(|path| path.exists()).max_by_key(|path| time(path)) {
        return Ok(last.clone());
    }
    spawn(&mut cargo(&["build", "--package", "guanxi"]))?;
    Ok(root().join("target/debug/guanxi"))
}

/// A server of a new graph, and a token of a service.
pub(super) struct Served {
    /// Where the API is.
    pub api: SocketAddr,
    /// The token.
    pub token: String,
    /// Ended when dropped.
    _process: Process,
}

impl Served {
    /// Serves a new graph on free ports of the loopback; it believes what a proxy at 127.0.0.1 says of callers.
    pub(super) fn start(work: &Work) -> Result<Self, String> {
        let (api, admin) = (free_address()?, free_address()?);
        let unknown = UNKNOWN_PER_MINUTE.to_string();
        let mut server = work.guanxi();
        server.arg("serve").arg("--data").arg(work.path("data"));
        server.args(["--listen", &api.to_string(), "--admin-listen", &admin.to_string(), "--behind-proxy"]);
        server.args(["--trusted-proxies", "127.0.0.1", "--rate-unknown-per-minute", &unknown]);
        server.args(["--free-space-reserve-mib", "1"]);
        let mut process = Process::start(&server, false, &work.path("guanxi.log"), Signal::TERM)?;
        process.wait_listening(api)?;
        let mut mint = work.guanxi();
        mint.args(["token", "create", "deploy-check", "--service", "read,write"]);
        mint.args(["--server", &format!("http://{admin}"), "--token-file"])
            .arg(work.path("data/admin-token"));
        let token = output(&mut mint)?.trim().to_owned();
        Ok(Self { api, token, _process: process })
    }
}
