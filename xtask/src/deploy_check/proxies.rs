//! The proxies: their files with ports and certificates of this run, their own checks, and their processes.

use super::work::Work;
use crate::setup::Tool;
use crate::steps::{output, root};
use guanxi_servers::{Process, Signal, free_address};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs, from Debian's packages.
pub(super) const TOOLS: &[Tool] = &[
    Tool::new("nginx", "nginx", "the check of deploy/proxies"),
    Tool::new("caddy", "caddy", "the check of deploy/proxies"),
    Tool::new("haproxy", "haproxy", "the check of deploy/proxies"),
    Tool::new("curl", "curl", "the check of deploy/proxies"),
    Tool::new("openssl", "openssl", "the check of deploy/proxies"),
];

/// A proxy whose file is shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proxy {
    Nginx,
    Caddy,
    Haproxy,
}

impl Proxy {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Nginx, Self::Caddy, Self::Haproxy];

    /// The name of its program.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Caddy => "caddy",
            Self::Haproxy => "haproxy",
        }
    }

    /// Its file in `deploy/proxies`.
    const fn shipped(self) -> &'static str {
        match self {
            Self::Nginx => "nginx.conf",
            Self::Caddy => "Caddyfile",
            Self::Haproxy => "haproxy.cfg",
        }
    }

    /// What this run writes instead of texts of the file, each of which is there.
    fn places(self, work: &Work, listen: SocketAddr, api: SocketAddr) -> Vec<(&'static str, String)> {
        let path = |name: &str| work.path(name).display().to_string();
        let mut places = vec![("127.0.0.1:7420", api.to_string())];
        places.extend(match self {
            Self::Nginx => vec![
                ("listen 443 ssl http2;", format!("listen {listen} ssl http2;")),
                ("server_name guanxi.example;", "server_name localhost;".to_owned()),
                ("/etc/nginx/guanxi.crt", path("guanxi.crt")),
                ("/etc/nginx/guanxi.key", path("guanxi.key")),
            ],
            Self::Caddy => {
                let (port, crt, key) = (listen.port(), path("guanxi.crt"), path("guanxi.key"));
                vec![(
                    "guanxi.example {\n",
                    format!(
                        "{{\n\tadmin off\n\tauto_https disable_redirects\n}}\nlocalhost:{port} {{\n\tbind 127.0.0.1\n\ttls {crt} {key}\n"
                    ),
                )]
            }
            Self::Haproxy => {
                vec![("bind :443", format!("bind {listen}")), ("/etc/haproxy/guanxi.pem", path("guanxi.pem"))]
            }
        });
        places
    }

    /// The words that check a file, and those that serve it without going to the background.
    fn commands(self, file: &Path) -> (Command, Command) {
        let with = |program: &str, words: &[&str]| {
            let mut command = Command::new(program);
            command.args(words).arg(file);
            command
        };
        match self {
            Self::Nginx => (with("/usr/sbin/nginx", &["-t", "-c"]), with("/usr/sbin/nginx", &["-c"])),
            Self::Caddy => {
                let words = |verb| [verb, "--adapter", "caddyfile", "--config"];
                (with("caddy", &words("validate")), with("caddy", &words("run")))
            }
            Self::Haproxy => {
                (with("/usr/sbin/haproxy", &["-c", "-f"]), with("/usr/sbin/haproxy", &["-db", "-f"]))
            }
        }
    }

    /// Writes its file for this run; returns the path.
    fn place(self, work: &Work, listen: SocketAddr, api: SocketAddr) -> Result<PathBuf, String> {
        let shipped = root().join("deploy/proxies").join(self.shipped());
        let mut text =
            fs::read_to_string(&shipped).map_err(|error| format!("{}: {error}", shipped.display()))?;
        for (from, to) in self.places(work, listen, api) {
            if !text.contains(from) {
                return Err(format!("{} has no {from:?}", shipped.display()));
            }
            text = text.replace(from, &to);
        }
        let file = work.file(self.shipped(), text)?;
        if self != Self::Nginx {
            return Ok(file);
        }
        let (dir, file) = (work.path(""), file.display().to_string());
        let dir = dir.display();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {dir}/{kind};"));
        let main = format!(
            "daemon off;\nworker_processes 1;\npid {dir}/nginx.pid;\nerror_log {dir}/nginx-errors.log;\nevents {{}}\n\
             http {{\naccess_log off;\n{}\ninclude {file};\n}}\n",
            temporary.join("\n")
        );
        work.file("nginx-main.conf", main)
    }

    /// Lets it check its file, and starts it in front of the API; returns where it listens.
    pub(super) fn start(self, work: &Work, api: SocketAddr) -> Result<(Process, SocketAddr), String> {
        let listen = free_address()?;
        let file = self.place(work, listen, api)?;
        let (mut check, mut run) = self.commands(&file);
        for command in [&mut check, &mut run] {
            // Caddy keeps state in its user's home.
            for variable in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
                command.env(variable, work.path("home"));
            }
        }
        output(&mut check)?;
        let log = work.path(&format!("{}.log", self.name()));
        let mut process = Process::start(&run, false, &log, Signal::TERM)?;
        process.wait_listening(listen)?;
        Ok((process, listen))
    }
}
