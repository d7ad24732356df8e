//! The connections of a client, over TCP or TLS, and the way to services of the same process.

use std::sync::Arc;
use std::time::Duration;

use buffa::bytes::Bytes;
use connectrpc::ConnectError;
use connectrpc::client::{BoxFuture, ClientBody, ClientTransport, HttpClient};
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body_util::Either;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::last_words::{Connector, LastWords};
use crate::tls::ClientTls;

/// How long each address of a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The body of an answer that services of this process give.
pub type InProcessBody = UnsyncBoxBody<Bytes, ConnectError>;

/// Answers requests in the process of their client.
pub type InProcess =
    Arc<dyn Fn(Request<ClientBody>) -> BoxFuture<'static, Response<InProcessBody>> + Send + Sync>;

/// A pool of connections to one server, or services of this process. Cheap to clone.
#[derive(Clone)]
pub struct Transport(Kind);

#[derive(Clone)]
enum Kind {
    Tcp(HttpClient),
    Tls(Pool<Connector, ClientBody>, LastWords),
    InProcess(InProcess),
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

    /// No connections: `answer` answers each request, where its client is.
    pub(crate) const fn in_process(answer: InProcess) -> Self {
        Self(Kind::InProcess(answer))
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
    type ResponseBody = Either<Incoming, InProcessBody>;
    type Error = ConnectError;

    fn send(
        &self,
        request: Request<ClientBody>,
    ) -> BoxFuture<'static, Result<Response<Self::ResponseBody>, Self::Error>> {
        match &self.0 {
            Kind::Tcp(client) => {
                let answer = client.send(request);
                Box::pin(async move { Ok(answer.await?.map(Either::Left)) })
            }
            Kind::Tls(pool, last_words) => {
                let (answer, last_words) = (pool.request(request), last_words.clone());
                Box::pin(async move {
                    let answer = answer.await.map_err(|error| match last_words.take() {
                        Some(said) => ConnectError::unavailable_from_transport("the request failed", said),
                        None => ConnectError::unavailable_from_transport("the request failed", error),
                    });
                    Ok(answer?.map(Either::Left))
                })
            }
            Kind::InProcess(answer) => {
                let answer = answer(request);
                Box::pin(async move { Ok(answer.await.map(Either::Right)) })
            }
        }
    }
}
