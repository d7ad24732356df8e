//! A running server, as operators' verbs see it.

use guanxi_api::admin_client::{NotConnected, OperatorClient};
use guanxi_api::{Client, ClientOptions, ClientTls, TlsProblem};
use guanxi_model::{Error, Reason};
use guanxi_server::{Failure, Outcome};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The deadline of one call; an import batch may wait for a compaction.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A client of a listener, which has not called yet.
pub(crate) fn client(url: &str, token: Option<String>, tls: &TlsOptions) -> Outcome<Client> {
    let url = whole(url);
    let tls = url.starts_with("https://").then(|| tls.read()).transpose()?;
    let options = ClientOptions { token, timeout: CALL_TIMEOUT, tls, ..ClientOptions::new(&url) };
    Client::new(&options).map_err(Failure::usage)
}

/// An address with its scheme.
fn whole(url: &str) -> String {
    if url.contains("://") { url.to_owned() } else { format!("http://{url}") }
}

/// The certificates to trust and to show at an `https://` address.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsOptions {
    /// The CAs to trust; without it, those that this machine trusts.
    pub ca: Option<PathBuf>,
    /// The client's certificate and key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl TlsOptions {
    pub(crate) fn read(&self) -> Outcome<ClientTls> {
        let identity = self.identity.as_ref().map(|(cert, key)| (cert.as_path(), key.as_path()));
        ClientTls::read(self.ca.as_deref().map(Path::new), identity).map_err(Failure::usage)
    }
}

/// Connects to the admin listener of a server.
pub(crate) async fn connect(url: &str, token: Option<String>, tls: &TlsOptions) -> Outcome<OperatorClient> {
    let has_token = token.is_some();
    let client = client(url, token, tls)?;
    let url = whole(url);
    OperatorClient::connect(client).await.map_err(|error| match error {
        NotConnected::Tls(problem) => tls_failure(&format!("cannot speak to {url}"), &problem),
        NotConnected::Call(error) => not_let_in(&url, has_token, error),
    })
}

/// The failure of something because client and server did not come to speak, with what to do.
pub(crate) fn tls_failure(what: &str, problem: &TlsProblem) -> Failure {
    let failure = Failure::new(format_args!("{what}: {problem}"));
    match problem {
        TlsProblem::UnknownIssuer => failure.hint("name a file with its CA by --ca FILE"),
        TlsProblem::WrongName(_) => failure.hint("call it by one of those"),
        TlsProblem::Certificate(why) if why.contains("CaUsedAsEndEntity") => {
            failure.hint("it is one of a CA: make one for the server that this CA signs")
        }
        TlsProblem::IdentityWanted | TlsProblem::IdentityRefused => {
            failure.hint("show one that its CA has signed, by --client-cert FILE --client-key FILE")
        }
        _ => failure,
    }
}

fn not_let_in(url: &str, has_token: bool, error: Error) -> Failure {
    match error.reason {
        Reason::Unauthenticated if !has_token => Failure::new(format_args!(
            "the server at {url} wants a token: give --token-file, such as admin-token of its data directory"
        )),
        Reason::Unauthenticated => Failure::new(format_args!("the server at {url} does not know this token")),
        Reason::PermissionDenied => {
            Failure::new(format_args!("the token is not one of an operator for {url}"))
        }
        // Without a detail the server itself has said so.
        Reason::ShuttingDown if error.detail.is_some() => Failure::new(format_args!(
            "nothing answers at {url}; is the server running, and is this its admin listener?"
        )),
        _ => Failure::from(error).while_doing(format_args!("cannot reach {url}")),
    }
}
