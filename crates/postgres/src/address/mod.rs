//! The address of a database: all that PostgreSQL's own clients know, and what this program adds or takes more strictly.
//!
//! - `sslmode` and `sslrootcert` say how the certificate of the database is verified. Off this machine it always is, unless the
//!   address says otherwise.
//! - `pooler=transaction` says that a pooler stands in between, which gives each transaction another connection.

mod tls;

pub(crate) use tls::{DatabaseTls, DatabaseTlsStream};

use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use tls::TlsTrust;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// An address that was read.
#[derive(Clone)]
pub(crate) struct DatabaseAddress {
    /// Where the database is, and who connects.
    pub config: Config,
    /// How it is known to be the right one.
    pub tls: DatabaseTls,
    /// Whether each transaction may have another connection.
    pub is_pooled: bool,
}

/// Parameters of an address that this program reads; the driver reads the others.
#[derive(Default)]
struct OwnParameters {
    sslmode: Option<String>,
    sslrootcert: Option<String>,
    pooler: Option<String>,
}

impl OwnParameters {
    fn place(&mut self, name: &str) -> Option<&mut Option<String>> {
        match name {
            "sslmode" => Some(&mut self.sslmode),
            "sslrootcert" => Some(&mut self.sslrootcert),
            "pooler" => Some(&mut self.pooler),
            _ => None,
        }
    }
}

impl DatabaseAddress {
    /// Reads an address, a URL or words as `host=.. dbname=..`.
    ///
    /// # Errors
    /// The problem. Of the address only names of files are repeated: a password may stand in any part of a wrong one.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut own = OwnParameters::default();
        let is_url = ["postgresql://", "postgres://"].iter().any(|scheme| text.starts_with(scheme));
        let rest = if is_url { without_own_query(text, &mut own) } else { without_own_words(text, &mut own) };
        let unknown = || "it is none that is known here".to_owned();
        let mut config: Config = rest.ok_or_else(unknown)?.parse().map_err(|_| unknown())?;
        if config.get_hosts().is_empty() {
            return Err("it names no host".to_owned());
        }
        config.application_name("guanxi");
        let trust = trust(&own, is_here(&config))?;
        config.ssl_mode(if trust.is_some() { SslMode::Require } else { SslMode::Disable });
        let tls = trust.map_or(Ok(DatabaseTls::NONE), |trust| DatabaseTls::new(&trust))?;
        let is_pooled = match own.pooler.as_deref() {
            None => false,
            Some("transaction") => true,
            Some(_) => return Err("`pooler` is `transaction` where it is said".to_owned()),
        };
        Ok(Self { config, tls, is_pooled })
    }
}

/// Whether nothing that is sent leaves this machine.
fn is_here(config: &Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(is_loopback)
        && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
}

/// The trust in certificates that an address asks for; none in the clear.
fn trust(own: &OwnParameters, is_here: bool) -> Result<Option<TlsTrust>, String> {
    let file = own.sslrootcert.as_ref().map(PathBuf::from);
    Ok(match own.sslmode.as_deref() {
        None if is_here && file.is_none() => None,
        None | Some("verify-full") => Some(TlsTrust::Name(file)),
        Some("verify-ca") => Some(TlsTrust::Issuer(file)),
        // As PostgreSQL's own clients: a file is there to be used.
        Some("require") if file.is_some() => Some(TlsTrust::Issuer(file)),
        Some("require") => Some(TlsTrust::Anybody),
        Some("disable") if file.is_none() => None,
        Some("disable") => {
            return Err("it has a `sslrootcert`, and goes in the clear by `sslmode=disable`".to_owned());
        }
        Some("allow" | "prefer") => {
            return Err(
                "its `sslmode` would go in the clear unasked: say disable, require, verify-ca or verify-full"
                    .to_owned(),
            );
        }
        Some(_) => return Err("`sslmode` is disable, require, verify-ca or verify-full".to_owned()),
    })
}

/// The URL without our parameters; nothing if one of them cannot be read.
fn without_own_query(url: &str, own: &mut OwnParameters) -> Option<String> {
    let Some((rest, query)) = url.split_once('?') else { return Some(url.to_owned()) };
    let mut others = Vec::new();
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match own.place(name) {
            // Its bytes may stand as `%2F`.
            Some(place) => *place = Some(percent_decode_str(value).decode_utf8().ok()?.into_owned()),
            None => others.push(parameter),
        }
    }
    if others.is_empty() { Some(rest.to_owned()) } else { Some(format!("{rest}?{}", others.join("&"))) }
}

/// Words without ours. A value with blanks stands in quotes. A backslash stands before a quote, a blank or a backslash.
fn without_own_words(words: &str, own: &mut OwnParameters) -> Option<String> {
    let (mut others, mut rest) = (String::new(), words.trim_start());
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let (value, length) = word(after.trim_start());
        let end = after.len() - after.trim_start().len() + length;
        match own.place(name.trim()) {
            Some(place) => *place = Some(value),
            None => others.extend([name, "=", after.get(..end)?, " "]),
        }
        rest = after.get(end..)?.trim_start();
    }
    Some(others)
}

/// A value of words, and how many bytes of the text it is.
fn word(text: &str) -> (String, usize) {
    let is_quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut chars = text.char_indices().skip(usize::from(is_quoted));
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => value.extend(chars.next().map(|(_, next)| next)),
            '\'' if is_quoted => return (value, at + 1),
            char if !is_quoted && char.is_whitespace() => return (value, at),
            char => value.push(char),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_this_program_are_taken_out_of_both_forms() {
        for text in [
            "postgresql://u:p@h:1/x?sslmode=verify-ca&connect_timeout=3&sslrootcert=%2Fa%20b.pem",
            "host=h  user=u sslmode = verify-ca sslrootcert='/a b.pem' password='it\\'s' connect_timeout=3",
            "sslrootcert=/a\\ b.pem host=h connect_timeout=3 sslmode=verify-ca",
        ] {
            let mut own = OwnParameters::default();
            let rest = if text.contains("://") {
                without_own_query(text, &mut own)
            } else {
                without_own_words(text, &mut own)
            };
            let config: Config = rest.unwrap().parse().unwrap();
            assert_eq!(config.get_connect_timeout().map(std::time::Duration::as_secs), Some(3));
            assert_eq!(own.sslmode.as_deref(), Some("verify-ca"));
            assert_eq!(own.sslrootcert.as_deref(), Some("/a b.pem"));
        }
    }

    #[test]
    fn off_this_machine_certificates_are_verified_unless_the_address_says_otherwise() {
        let file = Some(PathBuf::from("/f"));
        for (here, mode, root, expected) in [
            (true, None, None, Ok(None)),
            (true, None, Some("/f"), Ok(Some(TlsTrust::Name(file.clone())))),
            (false, None, None, Ok(Some(TlsTrust::Name(None)))),
            (false, Some("verify-full"), Some("/f"), Ok(Some(TlsTrust::Name(file.clone())))),
            (false, Some("verify-ca"), None, Ok(Some(TlsTrust::Issuer(None)))),
            (false, Some("require"), None, Ok(Some(TlsTrust::Anybody))),
            (false, Some("require"), Some("/f"), Ok(Some(TlsTrust::Issuer(file)))),
            (false, Some("disable"), None, Ok(None)),
            (false, Some("disable"), Some("/f"), Err("in the clear")),
            (false, Some("prefer"), None, Err("unasked")),
            (false, Some("secret"), None, Err("`sslmode` is disable")),
        ] {
            let (sslmode, sslrootcert) = (mode.map(str::to_owned), root.map(str::to_owned));
            let own = OwnParameters { sslmode, sslrootcert, pooler: None };
            match (trust(&own, here), expected) {
                (Err(found), Err(said)) => {
                    assert!(found.contains(said) && !found.contains("secret"), "{found}");
                }
                (found, expected) => assert_eq!(found, expected.map_err(str::to_owned)),
            }
        }
    }

    #[test]
    fn this_machine_is_loopback_and_sockets() {
        let is = |text: &str| is_here(&text.parse().unwrap());
        assert!(
            is("host=localhost") && is("host=127.0.0.2") && is("host=/run") && is("postgresql://[::1]/x")
        );
        assert!(is("host=db hostaddr=127.0.0.1") == is("host=db"));
        assert!(!is("host=db") && !is("host=127.0.0.1,db") && !is("host=localhost hostaddr=10.0.0.1"));
    }
}
