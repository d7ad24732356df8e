//! TLS of a listener: its certificate and key, read anew when the files change.

mod expiry;
mod handshake;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use metrics::{Counter, Gauge, gauge};
use thiserror::Error;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};

pub(crate) use handshake::{Handshake, shake_hands};

use crate::files::{self, LOOK_EVERY, Look, look};

/// Bytes of a file: a chain of certificates has a few kB, the CAs of a whole system 250 kB.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The protocols that clients are offered, best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Describes the metrics of TLS. They are there from the start, so that a rate begins at zero.
pub(crate) fn describe() {
    metrics::describe_counter!(
        "guanxi_tls_handshakes_total",
        "TLS handshakes by outcome: ok, failed (a certificate or version that was refused), late, plain (no TLS)."
    );
    metrics::describe_counter!(
        "guanxi_tls_reloads_total",
        "Times that changed certificates were read: ok, or failed (the one before stays)."
    );
    metrics::describe_gauge!(
        FAILING,
        "1 while the files of a listener's TLS have changed and cannot be used, so that those before stay; else 0."
    );
    metrics::describe_gauge!(
        EXPIRY,
        "When the certificate in force of a listener ends, in Unix seconds; 0 without TLS."
    );
    for outcome in ["ok", "failed"] {
        reloads(outcome).increment(0);
    }
    // A value that was set before stays.
    for listener in ["main", "admin"] {
        failing(listener).increment(0.0);
        ends(listener).increment(0.0);
    }
    for outcome in ["ok", "failed", "late", "plain"] {
        handshake::count(outcome).increment(0);
    }
}

fn reloads(outcome: &'static str) -> Counter {
    metrics::counter!("guanxi_tls_reloads_total", "outcome" => outcome)
}

const FAILING: &str = "guanxi_tls_reload_failing";
const EXPIRY: &str = "guanxi_tls_certificate_expiry_time_seconds";

fn failing(listener: &'static str) -> Gauge {
    gauge!(FAILING, "listener" => listener)
}

fn ends(listener: &'static str) -> Gauge {
    gauge!(EXPIRY, "listener" => listener)
}

/// The files of a listener's TLS, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, with those between it and a CA after it.
    pub cert: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The CAs of clients; with them, a client without a certificate of theirs is refused.
    pub client_ca: Option<PathBuf>,
}

impl TlsFiles {
    fn all(&self) -> impl Iterator<Item = &Path> {
        [&self.cert, &self.key].into_iter().chain(&self.client_ca).map(PathBuf::as_path)
    }
}

/// Why files are no TLS.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file has nothing of what it should hold, or something damaged.
    #[error("{path} holds no {what} in PEM")]
    Pem {
        /// The file.
        path: PathBuf,
        /// The content that the file should have.
        what: &'static str,
        /// The problem of the file.
        #[source]
        source: pem::Error,
    },
    /// Certificate and key are each readable and cannot be used together, or at all.
    #[error("the certificate {cert} cannot be used with the key {key}")]
    Pair {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// Why.
        #[source]
        source: rustls::Error,
    },
    /// The CAs of clients cannot be used.
    #[error("the CAs in {path} cannot be used")]
    ClientCa {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rustls::Error,
    },
}

/// The TLS of a listener. Files that are read anew hold for connections from then on; open connections go on as they are.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: RwLock<Arc<ServerConfig>>,
    /// The files as they were when they were read last, whether or not they could be used.
    seen: Mutex<Look>,
    /// The listener, as metrics call it.
    listener: &'static str,
}

impl Tls {
    /// Reads the files of a listener, which metrics call `main` or `admin`.
    ///
    /// # Errors
    /// When one cannot be read or used.
    pub fn read(files: TlsFiles, listener: &'static str) -> Result<Self, TlsError> {
        let seen = Mutex::new(look(files.all()));
        let Usable { config, expiry } = config(&files)?;
        ends(listener).set(expiry);
        Ok(Self { files, current: RwLock::new(Arc::new(config)), seen, listener })
    }

    /// Reads the files anew. If they cannot be used, that is logged and what holds stays. Answers whether they could.
    pub fn reload(&self) -> bool {
        // Before they are read, so that what is written meanwhile is seen by the next look.
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = look(self.files.all());
        let cert = self.files.cert.display();
        let read = config(&self.files);
        let outcome = if read.is_ok() { "ok" } else { "failed" };
        reloads(outcome).increment(1);
        failing(self.listener).set(if read.is_ok() { 0.0 } else { 1.0 });
        match read {
            Ok(Usable { config, expiry }) => {
                ends(self.listener).set(expiry);
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
                tracing::info!(%cert, "read the certificate anew");
                true
            }
            Err(error) => {
                let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                tracing::error!(%error, why, %cert, "the new certificate cannot be used; the one before stays");
                false
            }
        }
    }

    /// Reads the files anew whenever they change. Never completes.
    pub async fn follow_files(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let tls = Arc::clone(&self);
            // A panic there has been told by its hook.
            let _ended = tokio::task::spawn_blocking(move || tls.reload_if_changed()).await;
        }
    }

    fn reload_if_changed(&self) {
        let changed = *self.seen.lock().unwrap_or_else(PoisonError::into_inner) != look(self.files.all());
        if changed {
            self.reload();
        }
    }

    /// Returns the configuration for a new connection.
    fn config(&self) -> Arc<ServerConfig> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The use of the files.
struct Usable {
    config: ServerConfig,
    /// When the certificate ends, in Unix seconds; 0 if that cannot be read.
    expiry: f64,
}

fn config(files: &TlsFiles) -> Result<Usable, TlsError> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("the versions are those of the provider");
    let builder = match &files.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            let refused = |source| TlsError::ClientCa { path: path.clone(), source };
            for ca in certificates(path)? {
                roots.add(ca).map_err(refused)?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            let verifier = verifier.map_err(|error| refused(rustls::Error::General(error.to_string())))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let pair = |source| TlsError::Pair { cert: files.cert.clone(), key: files.key.clone(), source };
    let chain = certificates(&files.cert)?;
    let expiry = chain.first().and_then(expiry::expiry).unwrap_or_default() as f64;
    let mut config = builder.with_single_cert(chain, key(&files.key)?).map_err(pair)?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(Usable { config, expiry })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = bytes(path)?;
    let read: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&bytes).collect();
    let read = read.and_then(|all| if all.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(all) });
    read.map_err(|source| TlsError::Pem { path: path.to_owned(), what: "certificate", source })
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(&bytes(path)?).map_err(|source| TlsError::Pem {
        path: path.to_owned(),
        what: "private key",
        source,
    })
}

fn bytes(path: &Path) -> Result<Vec<u8>, TlsError> {
    files::read(path, FILE_BYTES_MAX).map_err(|source| TlsError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_certs::Authority;
    use std::fs;

    #[tokio::test(start_paused = true)]
    async fn changed_files_are_read_anew_and_bad_ones_change_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let ca = Authority::new("ca");
        let pair = ca.sign(dir.path(), "server", &["localhost"]);
        let files = TlsFiles { cert: pair.cert.clone(), key: pair.key.clone(), client_ca: None };
        let tls = Arc::new(Tls::read(files, "main").unwrap());
        let following = tokio::spawn(Arc::clone(&tls).follow_files());
        let changed = async |before: &Arc<ServerConfig>| {
            tokio::time::sleep(2 * LOOK_EVERY).await;
            !Arc::ptr_eq(before, &tls.config())
        };
        let first = tls.config();
        assert!(!changed(&first).await, "nothing was written");
        // Swapped in as a whole, as tools that renew certificates do.
        let next = ca.sign(dir.path(), "next", &["localhost", "guanxi.example"]);
        fs::rename(&next.cert, &pair.cert).unwrap();
        assert!(!changed(&first).await, "half a pair cannot be used");
        fs::rename(&next.key, &pair.key).unwrap();
        assert!(changed(&first).await);
        let second = tls.config();
        fs::remove_file(&pair.key).unwrap();
        assert!(!changed(&second).await, "a file that is gone leaves what holds");
        following.abort();
    }
}
