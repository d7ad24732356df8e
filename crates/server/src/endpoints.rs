//! The file of a data directory that says where its server listens.

use crate::small_file::write_file;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

/// Its name.
const ENDPOINTS_FILE: &str = "endpoints.json";

/// Where a server listens.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Endpoints {
    /// The API; of a process that answers no calls, its only listener.
    pub listen: SocketAddr,
    /// Operators' calls, metrics and health.
    pub admin_listen: SocketAddr,
    /// The server's process.
    pub pid: u32,
    /// Whether the API is served over TLS.
    #[serde(default)]
    pub tls: bool,
    /// Whether operators' calls are.
    #[serde(default)]
    pub admin_tls: bool,
}

impl Endpoints {
    /// The URL of the admin listener.
    pub fn admin_url(&self) -> String {
        let scheme = if self.admin_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.admin_listen)
    }

    /// The URL of the main listener.
    pub fn api_url(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}", self.listen)
    }

    /// Returns the endpoints that the server of a directory has written, if the file is there.
    pub fn read(dir: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(dir.join(ENDPOINTS_FILE)).ok()?).ok()
    }

    pub(super) fn write(&self, dir: &Path) -> io::Result<()> {
        write_file(dir, ENDPOINTS_FILE, 0o644, serde_json::to_string(self)?.as_bytes())
    }

    pub(super) fn remove(dir: &Path) -> io::Result<()> {
        match fs::remove_file(dir.join(ENDPOINTS_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
