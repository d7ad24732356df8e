//! `guanxi health`: whether a server answers, for containers and scripts that have no other client.

use crate::remote::TlsOptions;
use clap::Args;
use connectrpc::client::{ClientTransport as _, full_body};
use guanxi_api::Transport;
use guanxi_server::config::{Settings, address};
use guanxi_server::{Endpoints, Failure, Outcome};
use http_body_util::{BodyExt as _, Limited};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How long a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of the answer that are read: a word.
const ANSWER_MAX: usize = 1 << 10;

/// Asks a server whether it is ready: done if it is, failed if it is not or does not answer.
#[derive(Debug, Args)]
pub(super) struct Health {
    /// The data directory of a server on this machine
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The admin listener of a server [default: that of --data, or of the settings]
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    server: Option<String>,
}

impl Health {
    /// Asks.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let url = match (&self.server, &settings.data) {
            (Some(url), _) => url.clone(),
            (None, Some(dir)) => match Endpoints::read(dir) {
                Some(endpoints) => url_of(endpoints.admin_listen, endpoints.admin_tls),
                None => return Err(Failure::new(format_args!("no server serves {}", dir.display()))),
            },
            (None, None) => {
                let listener = address(&settings.admin_listen).map_err(Failure::usage)?;
                url_of(listener, settings.admin_tls_files().is_some())
            }
        };
        let identity = settings.client_cert.clone().zip(settings.client_key.clone());
        is_ready(&url, &TlsOptions { ca: settings.ca.clone(), identity }).await?;
        super::print("ready")
    }
}

/// Asks the operator's listener of a server for `/readyz`.
///
/// # Errors
/// When it does not answer, or is not ready.
async fn is_ready(url: &str, tls: &TlsOptions) -> Outcome {
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

/// Where a listener of this machine is reached.
fn url_of(listener: SocketAddr, tls: bool) -> String {
    let mut to = listener;
    if listener.ip().is_unspecified() {
        to.set_ip(if listener.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    format!("{}://{to}", if tls { "https" } else { "http" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_all_addresses_is_asked_on_loopback() {
        for (listener, url) in [
            ("0.0.0.0:7421", "http://127.0.0.1:7421"),
            ("[::]:7421", "http://[::1]:7421"),
            ("10.0.0.1:80", "http://10.0.0.1:80"),
        ] {
            assert_eq!(url_of(listener.parse().unwrap(), false), url);
        }
    }
}
