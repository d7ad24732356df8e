//! Keys from an address: one GET, with a bound on everything.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use buffa::bytes::Bytes;
use connectrpc::ConnectError;
use connectrpc::client::{ClientTransport as _, full_body};
use guanxi_model::with_causes;
use guanxi_proto::{ClientTls, TlsProblem, Transport};
use http::uri::Scheme;
use http::{Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Limited};

use super::key_set::{KeySet, Origin};
use crate::limits::{JWKS_BYTES_MAX, JWKS_TIMEOUT};

/// Where an issuer publishes its keys, and how often they are read.
#[derive(Clone)]
pub struct JwksUrl {
    address: Uri,
    transport: Transport,
    pub(super) every: Duration,
}

impl fmt::Debug for JwksUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without its query, which may hold what others should not know.
        let Self { address, every, transport: _ } = self;
        let host = address.authority().map_or("", |authority| authority.as_str());
        write!(f, "{}://{host}{} every {every:?}", address.scheme_str().unwrap_or_default(), address.path())
    }
}

impl JwksUrl {
    /// Checks an address. An attacker that changes the answer on its way could sign in as any user. So only this machine is
    /// asked without TLS.
    ///
    /// # Errors
    /// How a right address looks.
    pub fn check(address: &str) -> Result<Uri, String> {
        let uri: Option<Uri> = address.parse().ok();
        let uri =
            uri.filter(|uri| uri.authority().is_some_and(|authority| !authority.as_str().contains('@')));
        let fits = uri.filter(|uri| {
            uri.scheme() == Some(&Scheme::HTTPS) || uri.scheme() == Some(&Scheme::HTTP) && is_here(uri)
        });
        fits.ok_or_else(|| {
            format!(
                "must be an https:// address of a JWKS, such as https://issuer.example/.well-known/jwks.json \
                 (http:// only for this machine), and is {address:?}"
            )
        })
    }

    /// The keys at an address, which are read this often. Its certificate must be of a CA that this machine trusts, or of a
    /// CA of the file if one is given.
    ///
    /// # Errors
    /// When the address is none, the CAs cannot be read, or this machine trusts no CA.
    pub fn new(address: &str, ca: Option<&Path>, every: Duration) -> Result<Self, String> {
        let address = Self::check(address)?;
        let is_secret = address.scheme() == Some(&Scheme::HTTPS);
        let tls = is_secret.then(|| ClientTls::read(ca, None)).transpose();
        let tls = tls.map_err(|error| error.to_string())?;
        let transport = Transport::to(&address, tls, false).map_err(|error| error.to_string())?;
        Ok(Self { address, transport, every })
    }

    /// Asks for the keys.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) async fn fetch(&self) -> Result<KeySet, String> {
        let answer = tokio::time::timeout(JWKS_TIMEOUT, self.ask()).await;
        let body = answer.map_err(|_late| format!("no answer within {} s", JWKS_TIMEOUT.as_secs()))??;
        KeySet::read(&body, Origin::Url)
    }

    async fn ask(&self) -> Result<Bytes, String> {
        let request = Request::get(self.address.clone())
            .header(header::ACCEPT, "application/json")
            .body(full_body(Bytes::new()))
            .map_err(|error| error.to_string())?;
        let answer = self.transport.send(request).await.map_err(|error| why(&error))?;
        // An address to which the answer redirects is not the one that the operator named.
        if answer.status() != StatusCode::OK {
            return Err(format!("it answers {}", answer.status()));
        }
        let body = Limited::new(answer.into_body(), JWKS_BYTES_MAX).collect().await;
        Ok(body.map_err(|error| format!("its answer cannot be read: {error}"))?.to_bytes())
    }
}

/// Returns why there is no answer: what is wrong with TLS, or else the causes of the error.
fn why(error: &ConnectError) -> String {
    TlsProblem::of(error).map_or_else(|| with_causes(error), |problem| problem.to_string())
}

/// Returns whether an address is one of this machine.
fn is_here(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_asked_for_over_tls_or_of_this_machine() {
        for good in [
            "https://issuer.example/.well-known/jwks.json",
            "https://issuer.example:8443/keys?tenant=a",
            "http://127.0.0.1:9/jwks",
            "http://[::1]:9/jwks",
            "http://localhost/jwks",
        ] {
            assert!(JwksUrl::check(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "issuer.example/jwks",
            "http://issuer.example/jwks",
            "http://127.0.0.1.example/jwks",
            "http://127.0.0.1@evil.example/jwks",
            "https://user:password@issuer.example/jwks",
            "file:///etc/jwks.json",
        ] {
            assert!(JwksUrl::check(bad).unwrap_err().contains("https://"), "{bad}");
        }
    }
}
