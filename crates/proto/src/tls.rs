//! TLS of the client: whom it trusts, what it shows of itself, and why a connection did not come about.

use std::error::Error as StdError;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use connectrpc::ConnectError;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, AlertDescription, CertificateError, ClientConfig, RootCertStore};

/// Bytes of a file: the CAs of a whole system have 250 kB.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Whom a client trusts, and how it shows who it is. Cheap to clone.
#[derive(Clone)]
pub struct ClientTls(pub(crate) Arc<ClientConfig>);

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientTls")
    }
}

/// Why files, or this machine, give no TLS.
#[derive(Debug)]
pub enum ClientTlsError {
    /// A file cannot be read, or does not hold what it should.
    File {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The certificate of the client and its key cannot be used together.
    Identity(rustls::Error),
    /// This machine trusts no CA.
    NoRoots,
}

impl fmt::Display for ClientTlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, what, why } => write!(f, "no {what} can be read in {}: {why}", path.display()),
            Self::Identity(error) => {
                write!(f, "the client's certificate cannot be used with its key: {error}")
            }
            Self::NoRoots => f.write_str(
                "this machine trusts no CA: install its CA certificates, or name a file with the CA",
            ),
        }
    }
}

impl StdError for ClientTlsError {}

impl ClientTls {
    /// Trusts the CAs of a file, or without one those that this machine trusts; shows a certificate, given with its
    /// key, to servers that ask for one.
    ///
    /// # Errors
    /// When a file cannot be read or used, or this machine trusts no certificate.
    pub fn read(ca: Option<&Path>, identity: Option<(&Path, &Path)>) -> Result<Self, ClientTlsError> {
        let mut roots = RootCertStore::empty();
        if let Some(path) = ca {
            for ca in certificates(path)? {
                roots.add(ca).map_err(|error| unusable(path, "CA certificate", error))?;
            }
        } else {
            // Some certificates of a system may be of unused kinds; those that are left out are not trusted.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                return Err(ClientTlsError::NoRoots);
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the versions are those of the provider")
            .with_root_certificates(roots);
        let config = match identity {
            None => config.with_no_client_auth(),
            Some((cert, key)) => {
                let read = PrivateKeyDer::from_pem_slice(&bytes(key, "private key")?);
                let private = read.map_err(|error| unusable(key, "private key", error))?;
                config
                    .with_client_auth_cert(certificates(cert)?, private)
                    .map_err(ClientTlsError::Identity)?
            }
        };
        Ok(Self(Arc::new(config)))
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ClientTlsError> {
    let bytes = bytes(path, "certificate")?;
    let read: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&bytes).collect();
    let read = read.and_then(|all| if all.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(all) });
    read.map_err(|error| unusable(path, "certificate", error))
}

fn bytes(path: &Path, what: &'static str) -> Result<Vec<u8>, ClientTlsError> {
    let mut bytes = Vec::new();
    // A directory opens, and reads as an error that says nothing.
    let file = match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::Error::other("it is a directory")),
        Ok(_) => File::open(path),
        Err(error) => Err(error),
    };
    let read = file.and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| unusable(path, what, error))
}

fn unusable(path: &Path, what: &'static str, why: impl fmt::Display) -> ClientTlsError {
    ClientTlsError::File { path: path.to_owned(), what, why: why.to_string() }
}

/// Why client and server did not come to speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsProblem {
    /// No CA that is trusted here has signed the server's certificate.
    UnknownIssuer,
    /// The server's certificate is for other names than the one that was called.
    WrongName(String),
    /// The server's certificate is out of its time.
    OutOfTime(String),
    /// The server's certificate cannot be used for another reason.
    Certificate(String),
    /// The server wants a certificate of the client.
    IdentityWanted,
    /// The server does not accept the client's certificate.
    IdentityRefused,
    /// The server speaks without TLS.
    ServerIsPlain,
    /// The server speaks TLS, and was called without.
    ServerIsTls,
    /// Something else.
    Other(String),
}

impl fmt::Display for TlsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownIssuer => {
                f.write_str("no CA that is trusted here has signed the server's certificate")
            }
            Self::WrongName(why) => write!(f, "the server's certificate is for other names: {why}"),
            Self::OutOfTime(why) => write!(f, "the server's certificate is out of its time: {why}"),
            Self::Certificate(why) => write!(f, "the server's certificate cannot be used: {why}"),
            Self::IdentityWanted => f.write_str("the server wants a certificate of its clients"),
            Self::IdentityRefused => f.write_str("the server does not accept this client's certificate"),
            Self::ServerIsPlain => f.write_str("the server does not speak TLS: call it by http://"),
            Self::ServerIsTls => f.write_str("the server speaks TLS: call it by https://"),
            Self::Other(why) => write!(f, "the TLS connection failed: {why}"),
        }
    }
}

impl TlsProblem {
    /// The problem behind a call's error, if it is one of TLS.
    pub fn of(error: &ConnectError) -> Option<Self> {
        let mut link: Option<&(dyn StdError + 'static)> = Some(error);
        while let Some(cause) = link {
            if let Some(found) = inner(cause) {
                return Some(Self::of_rustls(found));
            }
            link = cause.source();
        }
        None
    }

    fn of_rustls(error: &rustls::Error) -> Self {
        use rustls::Error::{AlertReceived, InvalidCertificate, InvalidMessage};
        match error {
            InvalidCertificate(why) => Self::of_certificate(why),
            AlertReceived(AlertDescription::CertificateRequired) => Self::IdentityWanted,
            AlertReceived(
                AlertDescription::UnknownCA
                | AlertDescription::BadCertificate
                | AlertDescription::DecryptError
                | AlertDescription::CertificateExpired
                | AlertDescription::CertificateUnknown
                | AlertDescription::CertificateRevoked
                | AlertDescription::UnsupportedCertificate,
            ) => Self::IdentityRefused,
            InvalidMessage(_) => Self::ServerIsPlain,
            other => Self::Other(other.to_string()),
        }
    }

    fn of_certificate(error: &CertificateError) -> Self {
        match error {
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::WrongName(error.to_string())
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::OutOfTime(error.to_string()),
            other => Self::Certificate(other.to_string()),
        }
    }
}

/// The error of rustls in one link of a chain; those of input and output carry it inside rather than as their source.
pub(crate) fn inner<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    if let Some(found) = error.downcast_ref() {
        return Some(found);
    }
    let carried: &(dyn StdError + 'static) = error.downcast_ref::<io::Error>()?.get_ref()?;
    inner(carried)
}
