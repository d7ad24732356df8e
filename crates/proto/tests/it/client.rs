//! What a client is made of is checked before it calls.

use buffa::Message as _;
use buffa::bytes::Bytes;
use guanxi_proto::{Client, ClientOptions, ErrorCode, v1};
use http::{HeaderValue, Response};
use http_body_util::{BodyExt as _, Full};
use std::sync::Arc;

#[test]
fn addresses_and_tokens_are_checked_and_tokens_are_not_shown() {
    for bad in ["", "127.0.0.1:7420", "ftp://a.example", "http://", "https://"] {
        assert!(Client::new(&ClientOptions::new(bad)).is_err(), "{bad}");
    }
    let mut options = ClientOptions::new("http://127.0.0.1:7420");
    assert!(Client::new(&options).is_ok());
    options.token = Some("gx_secret".to_owned());
    assert!(Client::new(&options).is_ok());
    assert!(!format!("{options:?} {:?}", Client::new(&options)).contains("secret"));
    options.token = Some("line\nbreak".to_owned());
    assert!(Client::new(&options).is_err());
}

/// A client whose calls are all answered by these bytes.
fn told(body: Vec<u8>) -> Client {
    let body = Bytes::from(body);
    Client::in_process(Arc::new(move |request| {
        let binary = HeaderValue::from_static("application/proto");
        assert_eq!(request.headers()["content-type"], binary);
        let body = Full::new(body.clone()).map_err(|never| match never {}).boxed_unsync();
        let mut answer = Response::new(body);
        answer.headers_mut().insert("content-type", binary);
        answer.headers_mut().insert("x-of-the-answer", HeaderValue::from_static("7"));
        Box::pin(std::future::ready(answer))
    }))
}

#[tokio::test]
async fn an_answer_is_read_with_its_headers() {
    let sent = v1::FollowResponse { changed: Some(true), ..Default::default() };
    let client = told(sent.encode_to_vec());
    let answer = client.relation().follow(v1::FollowRequest::default()).await.unwrap();
    assert_eq!(answer.headers()["x-of-the-answer"], "7");
    assert_eq!(answer.view().changed, Some(true));
    assert_eq!(answer.into_owned(), sent);
    let empty = told(Vec::new()).relation().follow(v1::FollowRequest::default()).await.unwrap();
    assert_eq!(empty.into_owned(), v1::FollowResponse::default());
}

#[tokio::test]
async fn an_answer_that_is_no_such_message_is_an_error_of_its_own() {
    let cut = told(vec![0x0a, 0x7f, 1]).relation().list_following(v1::ListFollowingRequest::default()).await;
    let error = cut.unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(error.message.as_deref().is_some_and(|text| text.contains("cannot be read")), "{error:?}");
}

/// A small answer may name so many items that they would fill the memory of its reader.
#[tokio::test]
async fn an_answer_whose_items_would_fill_the_memory_is_refused() {
    // Four million empty items in eight megabytes.
    let many = [0x0a, 0].repeat(4_000_000);
    let refused = told(many).relation().list_following(v1::ListFollowingRequest::default()).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::ResourceExhausted);
}
