//! The settings of TLS and of proxies, which decide who can read along.

use super::{Settings, address};
use guanxi_api::{TlsFiles, TrustedProxies};
use std::path::PathBuf;

impl Settings {
    /// The files of the API's listener, if it speaks TLS.
    pub(crate) fn tls_files(&self) -> Option<TlsFiles> {
        files(self.tls_cert.as_ref(), self.tls_key.as_ref(), None)
    }

    /// The files of the operator's listener: its own, or those of the API's.
    pub fn admin_tls_files(&self) -> Option<TlsFiles> {
        let ca = self.admin_client_ca.as_ref();
        let own = files(self.admin_tls_cert.as_ref(), self.admin_tls_key.as_ref(), ca);
        own.or_else(|| files(self.tls_cert.as_ref(), self.tls_key.as_ref(), ca))
    }

    /// The same without TLS, for a server that only this machine reaches.
    #[must_use]
    pub fn without_tls(self) -> Self {
        Self {
            tls_cert: None,
            tls_key: None,
            admin_tls_cert: None,
            admin_tls_key: None,
            admin_client_ca: None,
            ..self
        }
    }
}

fn files(cert: Option<&PathBuf>, key: Option<&PathBuf>, client_ca: Option<&PathBuf>) -> Option<TlsFiles> {
    Some(TlsFiles { cert: cert?.clone(), key: key?.clone(), client_ca: client_ca.cloned() })
}

/// Checks that files come in pairs, that a listener that other machines can reach has TLS or a proxy in front, and that
/// proxies are addresses.
pub(super) fn check_transport(settings: &Settings) -> Result<(), (&'static str, String)> {
    let pairs = [
        ("tls_cert", &settings.tls_cert, "tls_key", &settings.tls_key),
        ("admin_tls_cert", &settings.admin_tls_cert, "admin_tls_key", &settings.admin_tls_key),
        ("client_cert", &settings.client_cert, "client_key", &settings.client_key),
    ];
    for (cert, has_cert, key, has_key) in pairs {
        match (has_cert, has_key) {
            (Some(_), None) => return Err((cert, format!("needs the key, too: set {key}"))),
            (None, Some(_)) => return Err((key, format!("needs the certificate, too: set {cert}"))),
            _ => {}
        }
    }
    if settings.admin_client_ca.is_some() && settings.admin_tls_files().is_none() {
        let why =
            "asks for certificates, which only TLS has: set tls_cert and tls_key, or those of admin_tls";
        return Err(("admin_client_ca", why.into()));
    }
    let listeners = [
        ("listen", &settings.listen, settings.tls_files(), "tls_cert and tls_key"),
        (
            "admin_listen",
            &settings.admin_listen,
            settings.admin_tls_files(),
            "admin_tls_cert and admin_tls_key",
        ),
    ];
    for (key, value, tls, keys) in listeners {
        let reachable = address(value).is_ok_and(|address| !address.ip().is_loopback());
        if reachable && tls.is_none() && !settings.behind_proxy {
            let why = format!(
                "is {value}, which others can reach, and without TLS tokens travel in the clear: set {keys}, or \
                 behind_proxy = true if a proxy in front uses TLS and only the proxy can reach it"
            );
            return Err((key, why));
        }
    }
    TrustedProxies::parse(&settings.trusted_proxies)
        .map(drop)
        .map_err(|why| ("trusted_proxies", format!("has a value that is no address: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(settings: &Settings) -> (&'static str, String) {
        check_transport(settings).unwrap_err()
    }

    #[test]
    fn others_reach_no_listener_without_tls_unless_a_proxy_is_in_front() {
        let anywhere = || Some("0.0.0.0:7420".to_owned());
        let default = Settings::default();
        for (main, admin, key) in [(anywhere(), None, "listen"), (None, anywhere(), "admin_listen")] {
            let plain = Settings {
                listen: main.unwrap_or_else(|| default.listen.clone()),
                admin_listen: admin.unwrap_or_else(|| default.admin_listen.clone()),
                ..Settings::default()
            };
            let (named, why) = refused(&plain);
            assert!(named == key && why.contains("behind_proxy = true"), "{named} {why}");
            assert!(check_transport(&Settings { behind_proxy: true, ..plain.clone() }).is_ok());
            let tls = Settings { tls_cert: Some("a".into()), tls_key: Some("b".into()), ..plain.clone() };
            assert!(check_transport(&tls).is_ok(), "one pair serves both");
            let own = Settings { admin_tls_cert: Some("a".into()), admin_tls_key: Some("b".into()), ..plain };
            assert_eq!(check_transport(&own).is_ok(), key == "admin_listen");
        }
    }

    #[test]
    fn half_a_pair_and_certificates_without_tls_are_refused() {
        let file = || Some(PathBuf::from("x.pem"));
        let cases = [
            (Settings { tls_cert: file(), ..Settings::default() }, "tls_cert", "set tls_key"),
            (Settings { tls_key: file(), ..Settings::default() }, "tls_key", "set tls_cert"),
            (Settings { admin_tls_key: file(), ..Settings::default() }, "admin_tls_key", "admin_tls_cert"),
            (Settings { client_cert: file(), ..Settings::default() }, "client_cert", "set client_key"),
            (Settings { admin_client_ca: file(), ..Settings::default() }, "admin_client_ca", "only TLS has"),
            (
                Settings { trusted_proxies: vec!["proxy".into()], ..Settings::default() },
                "trusted_proxies",
                "neither an address",
            ),
        ];
        for (settings, key, why) in cases {
            let refusal = refused(&settings);
            assert!(refusal.0 == key && refusal.1.contains(why), "{refusal:?}");
        }
    }
}
