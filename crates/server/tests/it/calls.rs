//! The names of a request: its id and its trace, on every answer and for operators who watch calls.

use std::sync::{Arc, Mutex};

use guanxi_api::{CallEnd, CallOptions, CallSpan, TraceContext, Tracer};
use guanxi_model::Scope;
use guanxi_proto::{Client, ClientOptions, Wire, v1};
use guanxi_testkit::{Server, Setup};

use crate::http::send;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const JSON: (&str, &str) = ("content-type", "application/json");

/// Notes what it is told.
#[derive(Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

struct Span {
    notes: Arc<Mutex<Vec<String>>>,
    parent: Option<TraceContext>,
}

impl Tracer for Notes {
    fn begin(&self, _: &'static str, parent: Option<TraceContext>) -> Box<dyn CallSpan> {
        Box::new(Span { notes: self.0.clone(), parent })
    }
}

impl CallSpan for Span {
    fn context(&self) -> TraceContext {
        let trace = self.parent.map_or([7; 16], |parent| parent.trace);
        TraceContext { trace, span: [8; 8], flags: 1 }
    }

    fn end(self: Box<Self>, call: &CallEnd<'_>) {
        let below = self.parent.map_or("none".to_owned(), |parent| parent.trace_id().to_string());
        let code = call.code.map_or("ok", |code| code.as_str());
        let CallEnd { method, request_id, caller, status, .. } = call;
        let note = format!("{method} {request_id} {caller} {status} {code} below {below}");
        self.notes.lock().unwrap().push(note);
    }
}

#[tokio::test]
async fn every_answer_carries_the_id_of_its_request() {
    let server = Server::start(Setup {
        auth: true,
        cors_origins: vec!["https://a.example".to_owned()],
        ..Setup::default()
    })
    .await;
    let token = format!("Bearer {}", server.service(&[Scope::RelationRead, Scope::Watch]).await);
    let auth = ("authorization", token.as_str());
    let counts = "/guanxi.v1.RelationService/GetCounts";
    let origin = ("origin", "https://a.example");
    let cases = [
        ("POST", counts, vec![JSON, auth], &b"{\"uid\":1}"[..], 200),
        ("POST", counts, vec![JSON, auth], b"{", 400),
        ("POST", counts, vec![JSON, auth], b"{\"uid\":0}", 400),
        ("POST", counts, vec![JSON], b"{\"uid\":1}", 401),
        ("POST", counts, vec![("content-type", "text/x"), auth], b"", 415),
        ("POST", "/guanxi.v1.RelationService/Nothing", vec![JSON, auth], b"{}", 404),
        ("GET", "/healthz", vec![], b"", 200),
        ("GET", "/nothing", vec![], b"", 404),
        ("OPTIONS", counts, vec![origin, ("access-control-request-method", "POST")], b"", 200),
    ];
    for (method, path, headers, body, status) in cases {
        let with = |id| headers.iter().copied().chain([("x-request-id", id)]).collect::<Vec<_>>();
        let answer = send(server.main, method, path, &with("my-id.1"), body).await;
        assert_eq!((answer.status, answer.headers["x-request-id"].as_str()), (status, "my-id.1"), "{path}");
        let (none, bad) = (headers.clone(), with("two words"));
        let mut made = Vec::new();
        for headers in [none, bad] {
            let answer = send(server.main, method, path, &headers, body).await;
            assert_eq!(answer.status, status, "{answer:?}");
            made.push(answer.headers["x-request-id"].clone());
        }
        assert!(made[0] != made[1] && made.iter().all(|id| id.len() == 16), "{made:?}");
    }
    let page = send(server.admin, "GET", "/metrics", &[("x-request-id", "scrape")], b"").await;
    assert_eq!(page.headers["x-request-id"], "scrape");
}

#[tokio::test]
async fn streams_and_other_protocols_carry_the_id_too() {
    let server = Server::open().await;
    for wire in [Wire::Http1, Wire::Http2, Wire::Grpc] {
        let mut options = ClientOptions::new(format!("http://{}", server.main));
        options.wire = wire;
        options.pass_on = Some(|headers| {
            headers.insert("x-request-id", "from-the-caller".parse().unwrap());
        });
        let client = Client::new(&options).unwrap();
        let answer =
            client.relation().get_counts(v1::GetCountsRequest { uid: 1, ..Default::default() }).await;
        assert_eq!(answer.unwrap().headers()["x-request-id"], "from-the-caller", "{wire:?}");
        let stream = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
        assert_eq!(stream.headers()["x-request-id"], "from-the-caller", "{wire:?}");
    }
}

#[tokio::test]
async fn whoever_watches_calls_learns_who_called_and_how_it_ended() {
    let notes = Notes::default();
    let seen = notes.0.clone();
    let calls = CallOptions { tracer: Some(Arc::new(notes)), ..CallOptions::default() };
    let server = Server::start(Setup { auth: true, calls, ..Setup::default() }).await;
    let service = format!("Bearer {}", server.service(&[Scope::RelationRead]).await);
    let user = format!("Bearer {}", server.user(5).await);
    let ask = async |method: &str, headers: &[(&str, &str)], body: &str| {
        let path = format!("/guanxi.v1.RelationService/{method}");
        send(server.main, "POST", &path, &[&[JSON], headers].concat(), body.as_bytes()).await;
        std::mem::take(&mut *seen.lock().unwrap()).join(", ")
    };
    let id = ("x-request-id", "r1");
    let headers = [("authorization", service.as_str()), id, ("traceparent", PARENT)];
    let ok = ask("GetCounts", &headers, "{\"uid\":1}").await;
    let below = "below 0af7651916cd43dd8448eb211c80319c";
    assert_eq!(ok, format!("guanxi.v1.RelationService/GetCounts r1 service 200 ok {below}"));
    let headers = [("authorization", user.as_str()), id, ("traceparent", "nonsense")];
    let refused = ask("Follow", &headers, "{\"subject\":5,\"object\":5}").await;
    assert_eq!(refused, "guanxi.v1.RelationService/Follow r1 end_user 400 invalid_argument below none");
    let nobody = ask("Follow", &[id], "{}").await;
    assert_eq!(nobody, "guanxi.v1.RelationService/Follow r1 nobody 401 unauthenticated below none");
    let unknown = ask("Secret", &[id], "{}").await;
    assert!(unknown.starts_with("unknown r1 nobody 404"), "{unknown}");
    send(server.main, "GET", "/healthz", &[id], b"").await;
    assert!(seen.lock().unwrap().is_empty(), "pages are no calls");
}
