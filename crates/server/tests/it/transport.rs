//! Requests that no handler sees: each kind of them, in every protocol, gets its code, its status and its reason.

use buffa::Message as _;
use guanxi_proto::v1;
use guanxi_testkit::Server;
use serde_json::{Value, json};

use crate::framed::{Told, enveloped, grpc, grpc_web, told};
use crate::http::{Answer, send};

const UNARY: &str = "/guanxi.v1.RelationService/GetCounts";
const STREAM: &str = "/guanxi.v1.FeedService/StreamHomeTimeline";

fn message() -> Vec<u8> {
    v1::GetCountsRequest { uid: 1, ..Default::default() }.encode_to_vec()
}

fn watched() -> Vec<u8> {
    v1::StreamHomeTimelineRequest { viewer: 1, ..Default::default() }.encode_to_vec()
}

type Headers<'a> = &'a [(&'a str, &'a str)];

/// What it is, its headers, the body, and the expected status, code and reason.
type Plain<'a> = (&'a str, Headers<'a>, &'a [u8], u16, &'a str, &'a str);

/// What it is, its path, further headers, the body, and the expected code and reason.
type Framed<'a> = (&'a str, &'a str, Headers<'a>, Vec<u8>, &'a str, &'a str);

/// A gzip member whose bytes are damaged.
const DAMAGED_GZIP: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3];

/// Whether a refusal is one that its sender can act on.
fn is_told(what: &str, told: &Told, code: &str, reason: &str) {
    assert_eq!((told.code.as_str(), told.reason.as_str()), (code, reason), "{what}: {told:?}");
    assert!(told.status < 500, "{what}: {told:?}");
    assert!(told.message.len() > 5, "{what}: {told:?}");
}

#[tokio::test]
async fn malformed_posts_of_connect_are_the_callers_fault() {
    let server = Server::open().await;
    let huge = vec![b' '; (1 << 20) + 1];
    let json: (&str, &str) = ("content-type", "application/json");
    let cases: &[Plain<'_>] = &[
        ("brotli", &[json, ("content-encoding", "br")], b"{}", 415, "unimplemented", "UNSUPPORTED_ENCODING"),
        ("no gzip", &[json, ("content-encoding", "gzip")], b"{}", 400, "invalid_argument", "MALFORMED"),
        (
            "damaged",
            &[json, ("content-encoding", "gzip")],
            DAMAGED_GZIP,
            400,
            "invalid_argument",
            "MALFORMED",
        ),
        ("version", &[json, ("connect-protocol-version", "2")], b"{}", 400, "invalid_argument", "MALFORMED"),
        ("large", &[json], &huge, 400, "invalid_argument", "REQUEST_TOO_LARGE"),
        (
            "proto",
            &[("content-type", "application/proto")],
            b"\xff\xff",
            400,
            "invalid_argument",
            "MALFORMED",
        ),
        ("xml", &[("content-type", "text/xml")], b"<a/>", 415, "invalid_argument", "UNSUPPORTED_MEDIA_TYPE"),
        ("none", &[], b"{}", 415, "invalid_argument", "UNSUPPORTED_MEDIA_TYPE"),
    ];
    for (what, headers, body, status, code, reason) in cases {
        let answer = send(server.main, "POST", UNARY, headers, body).await;
        let told = told(&answer);
        assert_eq!(told.status, *status, "{what}");
        is_told(what, &told, code, reason);
    }
    let answer = send(server.main, "POST", UNARY, &[json, ("content-encoding", "br")], b"{}").await;
    assert_eq!(answer.headers["accept-encoding"], "gzip, zstd");
    let none = send(server.main, "POST", "/guanxi.v1.RelationService/Fallow", &[json], b"{}").await;
    assert_eq!(none.status, 404);
    is_told("unknown", &told(&none), "unimplemented", "UNKNOWN_METHOD");
}

#[tokio::test]
async fn malformed_gets_are_the_callers_fault() {
    let server = Server::open().await;
    for (query, status, code, reason) in [
        ("", 400, "invalid_argument", "MALFORMED"),
        ("?connect=v1", 400, "invalid_argument", "MALFORMED"),
        ("?connect=v2&encoding=json&message=%7B%7D", 400, "invalid_argument", "MALFORMED"),
        ("?connect=v1&encoding=xml&message=%7B%7D", 415, "invalid_argument", "UNSUPPORTED_MEDIA_TYPE"),
        ("?connect=v1&encoding=json&message=%7B", 400, "invalid_argument", "MALFORMED"),
        ("?connect=v1&encoding=json&base64=1&message=%21", 400, "invalid_argument", "MALFORMED"),
        ("?encoding=json&compression=br&base64=1&message=e30", 415, "unimplemented", "UNSUPPORTED_ENCODING"),
        ("?encoding=json&compression=gzip&base64=1&message=e30", 400, "invalid_argument", "MALFORMED"),
    ] {
        let answer = send(server.main, "GET", &format!("{UNARY}{query}"), &[], b"").await;
        let told = told(&answer);
        assert_eq!(told.status, status, "{query}");
        is_told(query, &told, code, reason);
    }
}

#[tokio::test]
async fn malformed_streams_of_connect_end_with_a_reason() {
    let server = Server::open().await;
    let two = [enveloped(0, &watched()), enveloped(0, &watched())].concat();
    let cases: &[Framed<'_>] = &[
        (
            "brotli",
            STREAM,
            &[("connect-content-encoding", "br")],
            enveloped(1, b"x"),
            "unimplemented",
            "UNSUPPORTED_ENCODING",
        ),
        ("unnamed", STREAM, &[], enveloped(1, b"x"), "invalid_argument", "MALFORMED"),
        (
            "damaged",
            STREAM,
            &[("connect-content-encoding", "gzip")],
            enveloped(1, DAMAGED_GZIP),
            "invalid_argument",
            "MALFORMED",
        ),
        ("empty", STREAM, &[], Vec::new(), "invalid_argument", "MALFORMED"),
        ("short", STREAM, &[], vec![0, 0, 0, 0, 9, 1], "invalid_argument", "MALFORMED"),
        ("two", STREAM, &[], two, "invalid_argument", "MALFORMED"),
        ("large", STREAM, &[], vec![0, 0xff, 0xff, 0xff, 0xff], "invalid_argument", "REQUEST_TOO_LARGE"),
        ("message", STREAM, &[], enveloped(0, b"\xff\xff"), "invalid_argument", "MALFORMED"),
        ("field", STREAM, &[], enveloped(0, b""), "invalid_argument", "MISSING_FIELD"),
        ("unary", UNARY, &[], enveloped(0, &message()), "invalid_argument", "MALFORMED"),
        ("none", "/guanxi.v1.FeedService/Nothing", &[], Vec::new(), "unimplemented", "UNKNOWN_METHOD"),
    ];
    for (what, path, more, body, code, reason) in cases {
        let headers = [&[("content-type", "application/connect+proto")], *more].concat();
        is_told(what, &told(&send(server.main, "POST", path, &headers, body).await), code, reason);
    }
}

#[tokio::test]
async fn malformed_grpc_and_grpc_web_are_the_callers_fault() {
    let server = Server::open().await;
    let two = [enveloped(0, &message()), enveloped(0, &message())].concat();
    let cases: &[Framed<'_>] = &[
        (
            "brotli",
            UNARY,
            &[("grpc-encoding", "br")],
            enveloped(1, b"x"),
            "unimplemented",
            "UNSUPPORTED_ENCODING",
        ),
        ("unnamed", UNARY, &[], enveloped(1, b"x"), "invalid_argument", "MALFORMED"),
        (
            "damaged",
            UNARY,
            &[("grpc-encoding", "gzip")],
            enveloped(1, DAMAGED_GZIP),
            "invalid_argument",
            "MALFORMED",
        ),
        ("empty", UNARY, &[], Vec::new(), "invalid_argument", "MALFORMED"),
        ("short", UNARY, &[], vec![0, 0, 0, 0, 9, 1], "invalid_argument", "MALFORMED"),
        ("two", UNARY, &[], two, "invalid_argument", "MALFORMED"),
        ("large", UNARY, &[], vec![0, 0xff, 0xff, 0xff, 0xff], "invalid_argument", "REQUEST_TOO_LARGE"),
        ("message", UNARY, &[], enveloped(0, b"\xff\xff"), "invalid_argument", "MALFORMED"),
        ("field", UNARY, &[], enveloped(0, b""), "invalid_argument", "MISSING_FIELD"),
        ("stream", STREAM, &[], enveloped(1, b"x"), "invalid_argument", "MALFORMED"),
        ("none", "/guanxi.v1.FeedService/Nothing", &[], Vec::new(), "unimplemented", "UNKNOWN_METHOD"),
    ];
    for (what, path, more, body, code, reason) in cases {
        is_told(what, &grpc(server.main, path, "application/grpc", more, body).await, code, reason);
        is_told(what, &grpc_web(server.main, path, "application/grpc-web", more, body).await, code, reason);
    }
    let thrift = grpc(server.main, UNARY, "application/grpc+thrift", &[], &enveloped(0, &message())).await;
    is_told("thrift", &thrift, "invalid_argument", "UNSUPPORTED_MEDIA_TYPE");
    for kind in ["application/grpc-web+thrift", "application/grpc-web-text"] {
        let told = grpc_web(server.main, UNARY, kind, &[], &enveloped(0, &message())).await;
        is_told(kind, &told, "invalid_argument", "UNSUPPORTED_MEDIA_TYPE");
    }
}

#[tokio::test]
async fn a_wrong_http_method_is_told_the_right_ones() {
    let server = Server::open().await;
    let follow = "/guanxi.v1.RelationService/Follow";
    let message = "connect=v1&encoding=json&message=%7B%22subject%22%3A%221%22%2C%22object%22%3A%222%22%7D";
    for (verb, path, allow) in [
        ("GET", format!("{follow}?{message}"), "POST"),
        ("PUT", follow.to_owned(), "POST"),
        ("DELETE", UNARY.to_owned(), "GET, POST"),
        ("PATCH", UNARY.to_owned(), "GET, POST"),
        ("GET", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo".to_owned(), "POST"),
    ] {
        let answer = send(server.main, verb, &path, &[], b"").await;
        assert_eq!((answer.status, answer.headers["allow"].as_str()), (405, allow), "{verb} {path}");
        is_told(verb, &told(&answer), "unimplemented", "METHOD_NOT_ALLOWED");
        assert_eq!(answer.error().1.metadata["allow"], allow);
    }
    let unknown = send(server.main, "PUT", "/guanxi.v1.RelationService/Fallow", &[], b"").await;
    assert_eq!((unknown.status, unknown.reason().as_str()), (404, "UNKNOWN_METHOD"));
}

#[tokio::test]
async fn the_wrong_listener_says_where_the_other_one_is() {
    let server = Server::start(guanxi_testkit::Setup { auth: true, ..Default::default() }).await;
    let json = [("content-type", "application/json")];
    for (door, other, there, path) in [
        (server.main, server.admin, "admin", "/guanxi.v1.AdminService/Stats"),
        (server.admin, server.main, "main", UNARY),
    ] {
        let answer = send(door, "POST", path, &json, b"{}").await;
        let (code, info) = answer.error();
        assert_eq!(
            (answer.status, code.as_str(), info.reason.as_str()),
            (404, "unimplemented", "WRONG_LISTENER")
        );
        assert_eq!(
            (info.metadata["listener"].as_str(), &info.metadata["address"]),
            (there, &other.to_string())
        );
        assert!(told(&answer).message.contains(&format!("http://{other}")));
        // A caller from elsewhere is not told where the other listener is, through any proxy.
        for proxied in [("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=203.0.113.9")] {
            let answer = send(door, "POST", path, &[json[0], proxied], b"{}").await;
            assert_eq!(answer.error().1.reason, "WRONG_LISTENER");
            assert!(
                !String::from_utf8_lossy(&answer.body).contains(&other.port().to_string()),
                "{proxied:?}"
            );
        }
        let told = grpc(door, path, "application/grpc", &[], &enveloped(0, b"")).await;
        is_told(path, &told, "unimplemented", "WRONG_LISTENER");
    }
}

#[tokio::test]
async fn reasons_are_in_clear_wherever_json_is_read() {
    let server = Server::open().await;
    let shown = |answer: &Answer| -> Value {
        let error = if answer.body.first() == Some(&2) {
            serde_json::from_slice::<Value>(&answer.body[5..]).unwrap()["error"].clone()
        } else {
            answer.json()
        };
        error["details"][0]["debug"].clone()
    };
    let json = [("content-type", "application/json")];
    let missing = json!({ "reason": "MISSING_FIELD", "domain": "guanxi", "metadata": { "field": "uid" } });
    let handler = send(server.main, "POST", UNARY, &json, b"{}").await;
    assert_eq!(shown(&handler), missing, "{}", handler.text());
    let malformed = json!({ "reason": "MALFORMED", "domain": "guanxi", "metadata": {} });
    assert_eq!(shown(&send(server.main, "POST", UNARY, &json, b"[]").await), malformed, "of the guard");
    assert_eq!(shown(&send(server.main, "POST", UNARY, &json, b"{").await), malformed, "of the decoder");
    assert_eq!(shown(&send(server.main, "GET", UNARY, &[], b"").await), malformed, "of the transport");
    let unknown = json!({ "reason": "UNKNOWN_METHOD", "domain": "guanxi", "metadata": {} });
    let none = send(server.main, "POST", "/guanxi.v1.X/Y", &json, b"{}").await;
    assert_eq!(shown(&none), unknown, "of the router");
    let stream = [("content-type", "application/connect+json")];
    let viewer = json!({ "reason": "MISSING_FIELD", "domain": "guanxi", "metadata": { "field": "viewer" } });
    let ended = send(server.main, "POST", STREAM, &stream, &enveloped(0, b"{}")).await;
    assert_eq!(shown(&ended), viewer, "at the end of a stream");
    assert_eq!(shown(&send(server.main, "POST", STREAM, &stream, b"").await), malformed);
}
