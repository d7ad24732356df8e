//! TLS of the listeners and keys for JWTs: read at the start, and anew when the files change or on SIGHUP.

use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use guanxi_api::{ConnectionBounds, Jwt, ListenerOptions, Tls, TrustedProxies};
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How the listeners of a server are reached.
pub(super) struct TlsListeners {
    main: Option<Arc<Tls>>,
    admin: Option<Arc<Tls>>,
    proxies: TrustedProxies,
    jwt: Option<Arc<Jwt>>,
    /// Watched only with TLS or JWTs: without them the signal ends the process, as that of a terminal that goes.
    hangup: Option<Signal>,
}

impl TlsListeners {
    /// Reads the files that the settings name.
    pub(super) fn read(settings: &Settings, jwt: Option<Arc<Jwt>>) -> Outcome<Self> {
        let read = |files: Option<_>, listener| {
            let read = files.map(|files| Tls::read(files, listener).map(Arc::new)).transpose();
            read.map_err(|error| Failure::from(error).while_doing("cannot speak TLS"))
        };
        let (main, admin) = (read(settings.tls_files(), "main")?, read(settings.admin_tls_files(), "admin")?);
        let is_read_anew = main.is_some() || admin.is_some() || jwt.is_some();
        let hangup = is_read_anew.then(|| signal(SignalKind::hangup())).transpose()?;
        let proxies = TrustedProxies::parse(&settings.trusted_proxies).map_err(Failure::usage)?;
        if settings.behind_proxy && settings.trusted_proxies.is_empty() {
            tracing::warn!(
                "behind_proxy without trusted_proxies: all callers have the proxy's address, so that one who tries \
                 tokens out spends what its health checks may ask for, too"
            );
        }
        Ok(Self { main, admin, proxies, jwt, hangup })
    }

    /// Returns whether the main and the admin listener speak TLS.
    pub(super) const fn secret(&self) -> (bool, bool) {
        (self.main.is_some(), self.admin.is_some())
    }

    /// How the main listener treats its connections.
    pub(super) fn main(&self, bounds: ConnectionBounds) -> ListenerOptions {
        ListenerOptions { bounds, tls: self.main.clone(), proxies: self.proxies.clone() }
    }

    /// How the admin listener treats its connections.
    pub(super) fn admin(&self, bounds: ConnectionBounds) -> ListenerOptions {
        ListenerOptions { tls: self.admin.clone(), ..self.main(bounds) }
    }

    /// Reads changed files anew. Never completes.
    pub(super) async fn follow(self) {
        let Some(mut hangup) = self.hangup else { return std::future::pending().await };
        let all: Vec<Arc<Tls>> = self.main.into_iter().chain(self.admin).collect();
        for tls in &all {
            tokio::spawn(Arc::clone(tls).follow_files());
        }
        if let Some(jwt) = self.jwt.clone() {
            tokio::spawn(async move { jwt.follow().await });
        }
        while hangup.recv().await.is_some() {
            if let Some(jwt) = self.jwt.clone() {
                let _ended = tokio::task::spawn_blocking(move || jwt.reload()).await;
            }
            for tls in all.clone() {
                // Whether they could be used is logged there.
                let _ended = tokio::task::spawn_blocking(move || tls.reload()).await;
            }
        }
    }
}
