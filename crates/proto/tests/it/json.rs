//! Errors of calls by name, as a server answers them.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use guanxi_proto::{Client, ClientOptions, JsonError};

/// The error of a call that is answered with a status and a body.
async fn refused(status: &str, body: &str) -> JsonError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        // The request is `{}`, its end is known without reading its length.
        while !request.ends_with(b"\r\n\r\n{}") {
            let mut bytes = [0; 1024];
            let len = stream.read(&mut bytes).unwrap();
            assert!(len > 0, "the client hung up");
            request.extend_from_slice(&bytes[..len]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let client = Client::new(&ClientOptions::new(url)).unwrap();
    let error = client.call_json("guanxi.v1.RelationService/Follow", "{}", false).await.err().unwrap();
    server.join().unwrap();
    error
}

#[tokio::test]
async fn an_error_is_told_with_its_reason_and_what_belongs_to_it() {
    let body = r#"{"code":"resource_exhausted","message":"the limit is reached","details":[
        {"type":"google.rpc.RetryInfo","value":"","debug":{"retryDelay":"1s"}},
        {"type":"google.rpc.ErrorInfo","value":"","debug":{"reason":"LIMIT_REACHED","domain":"guanxi",
         "metadata":{"limit":"5000"}}}]}"#;
    let error = refused("429 Too Many Requests", body).await;
    assert_eq!(error.to_string(), "resource_exhausted: the limit is reached (LIMIT_REACHED, limit: 5000)");
    let error = refused("502 Bad Gateway", "<html>oops</html>\n").await;
    assert_eq!(error.to_string(), "unknown: HTTP 502 Bad Gateway: <html>oops</html>");
    let error = refused("404 Not Found", r#"{"code":"not_found"}"#).await;
    assert_eq!((error.code.as_str(), error.reason.as_str()), ("not_found", ""));
}
