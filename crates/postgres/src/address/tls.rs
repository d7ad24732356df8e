//! TLS to databases.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as RustlsStream;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

/// Which certificates are taken for those of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TlsTrust {
    /// Any: traffic is hidden from listeners alone.
    Anybody,
    /// Those that one of these issuers has signed, for any name; `None` for the issuers that this machine trusts.
    Issuer(Option<PathBuf>),
    /// Those of them that are for the name of the host.
    Name(Option<PathBuf>),
}

/// A connector by TLS; empty for an address in the clear, which never asks for it.
#[derive(Clone)]
pub(crate) struct DatabaseTls(Option<TlsConnector>);

impl DatabaseTls {
    /// Connects in the clear.
    pub(crate) const NONE: Self = Self(None);

    /// Connects by TLS.
    ///
    /// # Errors
    /// Why certificates cannot be read, with the name of their file.
    pub(crate) fn new(trust: &TlsTrust) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier = DatabaseVerifier::new(trust, provider)?;
        let config =
            config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
        Ok(Self(Some(TlsConnector::from(Arc::new(config)))))
    }
}

impl fmt::Debug for DatabaseTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DatabaseTls").field(&self.0.is_some()).finish()
    }
}

/// The issuers that this machine trusts, some hundred files, read once for all databases.
static TRUSTED_HERE: LazyLock<RootCertStore> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
});

/// The issuers of a file, or those that this machine trusts.
fn issuers(file: Option<&Path>) -> Result<RootCertStore, String> {
    let Some(file) = file else {
        let roots = TRUSTED_HERE.clone();
        let none =
            "this machine trusts no issuer of certificates: name those of the database by `sslrootcert`";
        return if roots.is_empty() { Err(none.to_owned()) } else { Ok(roots) };
    };
    let mut roots = RootCertStore::empty();
    let wrong = |problem: String| format!("`sslrootcert` {}: {problem}", file.display());
    let certificates = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = certificates.map_err(|error| match error {
        pem::Error::Io(error) => wrong(error.to_string()),
        error => wrong(format!("it is no certificate in PEM: {error:?}")),
    })?;
    for certificate in certificates {
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("it has no certificate".to_owned())) } else { Ok(roots) }
}

/// Verifies the certificate of a database as far as its address says.
#[derive(Debug)]
struct DatabaseVerifier {
    provider: Arc<CryptoProvider>,
    /// None if any certificate is taken.
    issued: Option<Arc<WebPkiServerVerifier>>,
    is_any_name: bool,
}

impl DatabaseVerifier {
    fn new(trust: &TlsTrust, provider: Arc<CryptoProvider>) -> Result<Self, String> {
        let (roots, is_any_name) = match trust {
            TlsTrust::Anybody => (None, true),
            TlsTrust::Issuer(file) => (Some(issuers(file.as_deref())?), true),
            TlsTrust::Name(file) => (Some(issuers(file.as_deref())?), false),
        };
        let verifier = |roots| WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone());
        let issued = roots.map(|roots| verifier(roots).build()).transpose();
        let issued = issued.map_err(|error| error.to_string())?;
        Ok(Self { provider, issued, is_any_name })
    }
}

impl ServerCertVerifier for DatabaseVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(issued) = &self.issued else { return Ok(ServerCertVerified::assertion()) };
        match issued.verify_server_cert(own, between, name, ocsp, now) {
            // The name is looked at last: the rest is right.
            Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
                if self.is_any_name =>
            {
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, own, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, own, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<Socket> for DatabaseTls {
    type Stream = DatabaseTlsStream;
    type TlsConnect = DatabaseHandshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<DatabaseHandshake, io::Error> {
        let Some(connector) = self.0.clone() else { return Ok(DatabaseHandshake(None)) };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(DatabaseHandshake(Some((connector, name))))
    }
}

/// A handshake with a host, to be done.
pub(crate) struct DatabaseHandshake(Option<(TlsConnector, ServerName<'static>)>);

impl TlsConnect<Socket> for DatabaseHandshake {
    type Stream = DatabaseTlsStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<DatabaseTlsStream, io::Error>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        Box::pin(async move {
            let Some((connector, name)) = self.0 else { return Err(io::ErrorKind::Unsupported.into()) };
            Ok(DatabaseTlsStream(connector.connect(name, stream).await?))
        })
    }
}

/// A connection by TLS.
pub(crate) struct DatabaseTlsStream(RustlsStream<Socket>);

impl AsyncRead for DatabaseTlsStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for DatabaseTlsStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl TlsStream for DatabaseTlsStream {
    /// None: passwords are not bound to the certificate, which is verified itself.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}
