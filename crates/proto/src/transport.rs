//! The connections of a client, over TCP or TLS.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use connectrpc::ConnectError;
use connectrpc::client::{ClientBody, ClientTransport, HttpClient};
use http::uri::Scheme;
use http::{Request, Response, Uri};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::last_words::{Connector, LastWords};
use crate::tls::ClientTls;

/// How long each address of a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A pool of connections to one server. Cheap to clone.
#[derive(Clone)]
pub struct Transport(Kind);

#[derive(Clone)]
enum Kind {
    Tcp(HttpClient),
    Tls(Pool<Connector, ClientBody>, LastWords),
}

impl Transport {
    /// Connections to an `http://` or `https://` address; whom to trust at the latter is what this machine trusts unless
    /// it is said.
    ///
    /// # Errors
    /// When this machine trusts no certificate.
    pub fn to(address: &Uri, tls: Option<ClientTls>, http2: bool) -> Result<Self, ConnectError> {
        if address.scheme() != Some(&Scheme::HTTPS) {
            return Ok(Self::tcp(http2));
        }
        let tls = tls.map_or_else(|| ClientTls::read(None, None), Ok);
        let tls = tls.map_err(|error| ConnectError::invalid_argument(error.to_string()))?;
        Ok(Self::tls(&tls, http2))
    }

    /// Connections that everybody on the way can read.
    fn tcp(http2: bool) -> Self {
        let connect = if http2 { HttpClient::plaintext_http2_only } else { HttpClient::plaintext };
        Self(Kind::Tcp(connect()))
    }

    /// Connections over TLS; the version of HTTP is agreed on in the handshake.
    fn tls(tls: &ClientTls, http2: bool) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.enforce_http(false);
        let builder = HttpsConnectorBuilder::new().with_tls_config((*tls.0).clone()).https_only();
        let connector = if http2 {
            builder.enable_http2().wrap_connector(tcp)
        } else {
            builder.enable_http1().wrap_connector(tcp)
        };
        let last_words = LastWords::default();
        let connector = Connector { tls: connector, last_words: last_words.clone() };
        Self(Kind::Tls(Pool::builder(TokioExecutor::new()).http2_only(http2).build(connector), last_words))
    }
}

impl ClientTransport for Transport {
    type ResponseBody = hyper::body::Incoming;
    type Error = ConnectError;

    fn send(
        &self,
        request: Request<ClientBody>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Self::ResponseBody>, Self::Error>> + Send>> {
        match &self.0 {
            Kind::Tcp(client) => client.send(request),
            Kind::Tls(pool, last_words) => {
                let (answer, last_words) = (pool.request(request), last_words.clone());
                Box::pin(async move {
                    answer.await.map_err(|error| match last_words.take() {
                        Some(said) => ConnectError::unavailable_from_transport("the request failed", said),
                        None => ConnectError::unavailable_from_transport("the request failed", error),
                    })
                })
            }
        }
    }
}
