//! TLS: every protocol over it, certificates that change, clients' certificates, and clients that speak without.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use guanxi_api::admin_client::{NotConnected, OperatorClient};
use guanxi_api::limits::{HANDSHAKE_TIMEOUT, HEADER_TIMEOUT};
use guanxi_api::{Tls, TlsError, TlsFiles};
use guanxi_certs::{Authority, CertFiles};
use guanxi_proto::{Client, ClientOptions, ClientTls, TlsProblem, Wire, v1};
use guanxi_testkit::{Server, Setup};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// A server over TLS, and who signed its certificate.
struct World {
    dir: TempDir,
    ca: Authority,
    tls: Arc<Tls>,
    server: Server,
}

const LOOPBACK: &[&str] = &["127.0.0.1"];

fn tls(pair: &CertFiles, client_ca: Option<&std::path::Path>) -> Result<Tls, TlsError> {
    let client_ca = client_ca.map(std::path::Path::to_owned);
    Tls::read(TlsFiles { cert: pair.cert.clone(), key: pair.key.clone(), client_ca }, "main")
}

impl World {
    async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ca = Authority::new("first");
        let tls = Arc::new(tls(&ca.sign(dir.path(), "server", LOOPBACK), None).unwrap());
        let setup = Setup { tls: Some(tls.clone()), admin_tls: Some(tls.clone()), ..Setup::default() };
        Self { ca, tls, server: Server::start(setup).await, dir }
    }

    /// A client that trusts one authority.
    fn client(&self, trusted: &Authority, wire: Wire) -> Client {
        let ca = trusted.file(self.dir.path(), "trusted.pem");
        let tls = Some(ClientTls::read(Some(&ca), None).unwrap());
        client(&format!("https://{}", self.server.main), wire, tls)
    }
}

fn client(url: &str, wire: Wire, tls: Option<ClientTls>) -> Client {
    let timeout = Duration::from_secs(20);
    Client::new(&ClientOptions { wire, timeout, tls, ..ClientOptions::new(url) }).unwrap()
}

/// Why a client of the main listener does not get through.
async fn problem(client: Client) -> TlsProblem {
    match OperatorClient::connect(client).await.map(drop) {
        Err(NotConnected::Tls(problem)) => problem,
        other => panic!("{other:?}"),
    }
}

fn counts() -> v1::GetCountsRequest {
    v1::GetCountsRequest { uid: 1, ..Default::default() }
}

#[tokio::test]
async fn every_protocol_works_over_tls() {
    let world = World::start().await;
    for (wire, object) in [(Wire::Http1, 2), (Wire::Http2, 3), (Wire::Grpc, 4)] {
        let client = world.client(&world.ca, wire);
        let follow = v1::FollowRequest { subject: 1, object, ..Default::default() };
        let followed = client.relation().follow(follow).await.unwrap().into_owned();
        assert_eq!(followed.changed, Some(true), "{wire:?}");
        let mut watched = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
        assert!(watched.message::<v1::WatchResponse>().await.unwrap().is_some(), "{wire:?}");
    }
}

/// What is agreed on with a client that offers these protocols.
async fn agreed(world: &World, offered: &[&[u8]]) -> Option<Vec<u8>> {
    let mut roots = RootCertStore::empty();
    let ca = world.ca.file(world.dir.path(), "alpn.pem");
    roots.add(CertificateDer::from_pem_file(ca).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = offered.iter().map(|name| name.to_vec()).collect();
    let stream = TcpStream::connect(world.server.main).await.unwrap();
    let connected =
        TlsConnector::from(Arc::new(config)).connect("127.0.0.1".try_into().unwrap(), stream).await;
    let connected: TlsStream<TcpStream> = connected.unwrap();
    connected.get_ref().1.alpn_protocol().map(<[u8]>::to_vec)
}

#[tokio::test]
async fn http2_is_agreed_on_with_those_who_speak_it() {
    let world = World::start().await;
    assert_eq!(agreed(&world, &[b"http/1.1", b"h2"]).await.as_deref(), Some(&b"h2"[..]));
    assert_eq!(agreed(&world, &[b"http/1.1"]).await.as_deref(), Some(&b"http/1.1"[..]));
    assert_eq!(agreed(&world, &[]).await, None);
}

#[tokio::test]
async fn a_new_certificate_holds_for_new_connections_and_open_streams_go_on() {
    let world = World::start().await;
    let old = world.client(&world.ca, Wire::Http2);
    let mut watched = old.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    watched.message::<v1::WatchResponse>().await.unwrap().unwrap();
    let next = Authority::new("second");
    let pair = next.sign(world.dir.path(), "server", LOOPBACK);
    assert!(world.tls.reload());
    assert_eq!(problem(world.client(&world.ca, Wire::Http1)).await, TlsProblem::UnknownIssuer);
    let new = world.client(&next, Wire::Http1);
    let follow = |object| v1::FollowRequest { subject: 1, object, ..Default::default() };
    new.relation().follow(follow(2)).await.unwrap();
    let told = watched.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    assert_eq!(told.events.len(), 1, "the stream over the certificate of before goes on");
    // A pair that does not fit, as half-way through a change, and one that is damaged.
    let other = next.sign(world.dir.path(), "other", LOOPBACK);
    std::fs::copy(&other.key, &pair.key).unwrap();
    assert!(!world.tls.reload());
    std::fs::write(&pair.key, "no key").unwrap();
    assert!(!world.tls.reload());
    let newest = world.client(&next, Wire::Http1);
    assert_eq!(newest.relation().follow(follow(3)).await.unwrap().into_owned().changed, Some(true));
}

#[tokio::test]
async fn files_that_are_no_tls_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let ca = Authority::new("ca");
    let pair = ca.sign(dir.path(), "server", LOOPBACK);
    let other = ca.sign(dir.path(), "other", LOOPBACK);
    let missing = dir.path().join("missing");
    let mixed = CertFiles { key: other.key.clone(), ..pair.clone() };
    assert!(matches!(tls(&mixed, None), Err(TlsError::Pair { .. })));
    let absent = CertFiles { cert: missing.clone(), ..pair.clone() };
    assert!(matches!(tls(&absent, None), Err(TlsError::Read { path, .. }) if path == missing));
    let swapped = CertFiles { cert: pair.key.clone(), key: pair.cert.clone() };
    assert!(matches!(tls(&swapped, None), Err(TlsError::Pem { what: "certificate", .. })));
    assert!(matches!(tls(&pair, Some(&pair.key)), Err(TlsError::Pem { path, .. }) if path == pair.key));
    let no_ca = ClientTls::read(Some(&missing), None).unwrap_err().to_string();
    assert!(no_ca.contains("no certificate can be read in") && no_ca.contains("missing"), "{no_ca}");
    let identity = ClientTls::read(Some(&pair.cert), Some((&pair.cert, &other.key))).unwrap_err().to_string();
    assert!(identity.contains("cannot be used with its key"), "{identity}");
}

#[tokio::test]
async fn the_admin_listener_lets_in_only_those_with_a_certificate_of_its_ca() {
    let dir = tempfile::tempdir().unwrap();
    let (ca, operators, strangers) =
        (Authority::new("servers"), Authority::new("operators"), Authority::new("x"));
    let pair = ca.sign(dir.path(), "server", LOOPBACK);
    let operators_ca = operators.file(dir.path(), "operators.pem");
    let admin_tls = Some(Arc::new(tls(&pair, Some(&operators_ca)).unwrap()));
    let server = Server::start(Setup { admin_tls, ..Setup::default() }).await;
    let trusted = ca.file(dir.path(), "ca.pem");
    let connect = async |identity: Option<CertFiles>, wire: Wire| {
        let identity = identity.as_ref().map(|pair| (pair.cert.as_path(), pair.key.as_path()));
        let tls = ClientTls::read(Some(&trusted), identity).unwrap();
        let client = client(&format!("https://{}", server.admin), wire, Some(tls));
        OperatorClient::connect(client).await.map(drop)
    };
    let own = operators.sign(dir.path(), "own", &["operator"]);
    let strange = strangers.sign(dir.path(), "strange", &["operator"]);
    let late = operators.sign_until(dir.path(), "late", &["operator"], 2020);
    for wire in [Wire::Http1, Wire::Http2, Wire::Grpc] {
        connect(Some(own.clone()), wire).await.unwrap();
        let cases = [
            (None, TlsProblem::IdentityWanted),
            (Some(&strange), TlsProblem::IdentityRefused),
            (Some(&late), TlsProblem::IdentityRefused),
        ];
        for (identity, expected) in cases {
            // The refusal may arrive before, while or after the request is sent.
            for _ in 0..20 {
                match connect(identity.cloned(), wire).await {
                    Err(NotConnected::Tls(problem)) => assert_eq!(problem, expected, "{wire:?}"),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    // The main listener asks for none, and here speaks without TLS.
    server.client(Wire::Http1).relation().get_counts(counts()).await.unwrap();
}

#[tokio::test]
async fn certificates_that_do_not_fit_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let ca = Authority::new("ca");
    let trusted = ca.file(dir.path(), "ca.pem");
    let elsewhere = ca.sign(dir.path(), "elsewhere", &["guanxi.example"]);
    let late = ca.sign_until(dir.path(), "late", LOOPBACK, 2020);
    let trust = || Some(ClientTls::read(Some(&trusted), None).unwrap());
    let start = async |pair: &CertFiles| {
        let tls = Some(Arc::new(tls(pair, None).unwrap()));
        Server::start(Setup { tls, ..Setup::default() }).await
    };
    let server = start(&elsewhere).await;
    let met = problem(client(&format!("https://{}", server.main), Wire::Http1, trust())).await;
    assert!(matches!(&met, TlsProblem::WrongName(why) if why.contains("guanxi.example")), "{met}");
    let plain = format!("https://{}", server.admin);
    let client_of_plain = client(&plain, Wire::Http1, trust());
    match OperatorClient::connect(client_of_plain).await.map(drop) {
        Err(NotConnected::Tls(TlsProblem::ServerIsPlain)) => {}
        other => panic!("{other:?}"),
    }
    let server = start(&late).await;
    let met = problem(client(&format!("https://{}", server.main), Wire::Http1, trust())).await;
    assert!(matches!(&met, TlsProblem::OutOfTime(why) if why.contains("expired")), "{met}");
}

/// What comes until the end of a connection on which something was said.
async fn said(to: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_request_without_tls_is_told_so_and_ends() {
    let world = World::start().await;
    let body = "x".repeat(20_000);
    let post = format!("POST /guanxi.v1.X/Y HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    for bytes in
        ["GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", &post, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let answer = String::from_utf8(said(world.server.main, bytes.as_bytes()).await).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        let error: Value = serde_json::from_str(body).unwrap();
        assert!(error["message"].as_str().unwrap().contains("https://"), "{error}");
    }
    let plain = client(&format!("http://{}", world.server.main), Wire::Http1, None);
    assert_eq!(problem(plain).await, TlsProblem::ServerIsTls);
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_does_not_come_ends_before_a_head_that_does_not() {
    let world = World::start().await;
    for begun in [&[][..], &[0x16], &[0x16, 0x03, 0x01, 0x01, 0x00, 0x01]] {
        let began = Instant::now();
        assert_eq!(said(world.server.main, begun).await, b"");
        let took = began.elapsed();
        assert!(took >= HANDSHAKE_TIMEOUT && took < HEADER_TIMEOUT, "{begun:?}: {took:?}");
    }
    let began = Instant::now();
    let mut silent = TcpStream::connect(world.server.main).await.unwrap();
    // Counted among the connections as long as it is open.
    while world.server.load.connections() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
    assert!(began.elapsed() < HEADER_TIMEOUT);
    while world.server.load.connections() > 0 {
        tokio::task::yield_now().await;
    }
}
