//! Whether a server answers that it is ready.

use super::remote::TlsOptions;
use crate::failure::{Failure, Outcome};
use connectrpc::client::{ClientTransport as _, full_body};
use guanxi_api::Transport;
use http_body_util::{BodyExt as _, Limited};
use std::time::Duration;

/// How long a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of the answer that are read: a word.
const ANSWER_MAX: usize = 1 << 10;

/// Asks the operator's listener of a server for `/readyz`.
///
/// # Errors
/// When it does not answer, or is not ready.
pub(crate) async fn is_ready(url: &str, tls: &TlsOptions) -> Outcome {
    let base = url.trim_end_matches('/');
    let request = http::Request::get(format!("{base}/readyz")).body(full_body(String::new().into()));
    let request = request.map_err(|error| Failure::usage(format_args!("{url} is no address: {error}")))?;
    let tls = url.starts_with("https://").then(|| tls.read()).transpose()?;
    let transport = Transport::to(request.uri(), tls, false)?;
    let answer = async {
        let (head, body) = transport.send(request).await?.into_parts();
        let body = Limited::new(body, ANSWER_MAX).collect().await?.to_bytes();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((head.status, body))
    };
    let (status, body) = tokio::time::timeout(TIMEOUT, answer)
        .await
        .map_err(|_| Failure::new(format_args!("nothing answers at {url} within {TIMEOUT:?}")))?
        .map_err(|error| Failure::new(format_args!("nothing answers at {url}: {error}")))?;
    if status.is_success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&body);
    Err(Failure::new(format_args!("the server at {url} is not ready: {status}, {}", said.trim())))
}
