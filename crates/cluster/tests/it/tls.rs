//! Connections to databases by TLS, as far as the address says.

use crate::world::{SETTINGS, laid_out};
use guanxi_certs::Authority;
use guanxi_cluster::{Databases, check};
use guanxi_model::ManualClock;
use guanxi_servers::{Postgres, give};
use std::path::PathBuf;
use tempfile::TempDir;

/// A server with a certificate for `localhost` alone, which listens on the loopback.
struct TlsWorld {
    server: Postgres,
    /// Its issuer, and another one.
    issuer: PathBuf,
    other: PathBuf,
    _dirs: [TempDir; 2],
}

impl TlsWorld {
    fn new(has_tls: bool) -> Self {
        let (dir, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let authority = Authority::new("issuer");
        let pair = authority.sign(dir.path(), "server", &["localhost"]);
        give(dir.path(), &pair.key).unwrap();
        give(dir.path(), &pair.cert).unwrap();
        let mut settings = SETTINGS.to_vec();
        if has_tls {
            settings.push(("ssl", "on"));
            settings.push(("ssl_cert_file", pair.cert.to_str().unwrap()));
            settings.push(("ssl_key_file", pair.key.to_str().unwrap()));
        }
        let server = Postgres::start(dir.path(), &settings, false).unwrap();
        let issuer = authority.file(files.path(), "issuer.pem");
        let other = Authority::new("other").file(files.path(), "other.pem");
        Self { server, issuer, other, _dirs: [dir, files] }
    }

    /// The line of a database that is reached under a name of the loopback.
    fn line(&self, host: &str, parameters: &str) -> String {
        let port = self.server.address.port();
        format!("d=postgresql://postgres:secret@{host}:{port}/postgres?hostaddr=127.0.0.1{parameters}")
    }
}

/// What is wrong with a database: nothing is laid out there, or it cannot be reached.
async fn problem(line: &str) -> String {
    let databases = match Databases::parse(&[line.to_owned()]) {
        Ok(databases) => databases,
        Err(error) => return error.to_string(),
    };
    let found = check(&databases, &ManualClock::new(NOW_MS)).await.databases.remove(0).problems.join("; ");
    assert!(!found.contains("secret"), "{found}");
    found
}

/// A database that was reached has a clock, which is not that of the test.
const REACHED: &str = "clock";
const NOW_MS: u64 = 1_750_000_000_000;

#[tokio::test]
async fn a_certificate_is_verified_as_far_as_the_address_says() {
    let world = TlsWorld::new(true);
    let (issuer, other) = (world.issuer.display(), world.other.display());
    let known = format!("&sslrootcert={issuer}");
    for (host, parameters, expected) in [
        ("localhost", format!("&sslmode=verify-full{known}"), REACHED),
        // Nothing said of a name off this machine is the most.
        ("db.example", known.clone(), "not valid for name"),
        ("db.example", format!("&sslmode=verify-full{known}"), "not valid for name"),
        ("db.example", format!("&sslmode=verify-ca{known}"), REACHED),
        ("db.example", format!("&sslmode=require{known}"), REACHED),
        ("db.example", "&sslmode=require".to_owned(), REACHED),
        ("db.example", "&sslmode=disable".to_owned(), REACHED),
        ("localhost", format!("&sslmode=verify-full&sslrootcert={other}"), "UnknownIssuer"),
        ("localhost", format!("&sslmode=verify-ca&sslrootcert={other}"), "UnknownIssuer"),
        ("localhost", "&sslmode=verify-full&sslrootcert=/no/such".to_owned(), "/no/such: No such file"),
        ("localhost", "&sslmode=prefer".to_owned(), "in the clear unasked"),
    ] {
        let found = problem(&world.line(host, &parameters)).await;
        assert!(found.contains(expected), "{host} {parameters}: {found}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_refused_with_what_to_do() {
    let world = TlsWorld::new(false);
    let known = format!("&sslrootcert={}", world.issuer.display());
    let found = problem(&world.line("localhost", &format!("&sslmode=verify-full{known}"))).await;
    assert!(found.contains("set `ssl` to on there, or say `sslmode=disable`"), "{found}");
    assert!(problem(&world.line("db.example", "&sslmode=disable")).await.contains(REACHED));
    assert!(problem(&world.line("localhost", "")).await.contains(REACHED), "on this machine");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_laid_out_and_served_by_tls() {
    let world = TlsWorld::new(true);
    let line =
        world.line("localhost", &format!("&sslmode=verify-full&sslrootcert={}", world.issuer.display()));
    laid_out(std::slice::from_ref(&line)).await;
    crate::pooler::serve(&[line], 50).await;
    let plain = world.server.url("postgres");
    let (client, connection) = tokio_postgres::connect(&plain, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let in_clear = "select count(*) from pg_stat_ssl s join pg_stat_activity a using (pid) \
        where a.application_name = 'guanxi' and not s.ssl";
    let row = client.query_one(in_clear, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
}
