//! The same service in every protocol, and the services that tools expect.

use std::net::SocketAddr;
use std::time::Duration;

use buffa::Message as _;
use connectrpc::Protocol;
use connectrpc::client::{ClientConfig, HttpClient};
use connectrpc_reflection::wire::v1::server_reflection_request::MessageRequest as Ask;
use connectrpc_reflection::wire::v1::server_reflection_response::MessageResponse as Told;
use connectrpc_reflection::wire::v1::{ServerReflectionRequest, ServerReflectionResponse};
use connectrpc_reflection::{Reflector, ServerReflectionClient};
use guanxi_proto::{ErrorCode, Wire, v1};
use guanxi_testkit::Server;

use crate::http::send;

#[tokio::test]
async fn the_typed_client_speaks_every_wire() {
    let server = Server::open().await;
    for (wire, object) in [(Wire::Http1, 2), (Wire::Http2, 3), (Wire::Grpc, 4)] {
        let client = server.client(wire);
        let request = v1::FollowRequest { subject: 1, object, ..Default::default() };
        let answer = client.relation().follow(request.clone()).await.unwrap().into_owned();
        assert_eq!(answer.changed, Some(true), "{wire:?}");
        assert_eq!(answer.relation.as_option().unwrap().uid, object);
        let error = client.relation().follow(v1::FollowRequest { object: 1, ..request }).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{wire:?}");
        assert!(error.details[0].type_url.ends_with("google.rpc.ErrorInfo"), "{wire:?}: {error:?}");
    }
}

#[tokio::test]
async fn grpc_web_works_over_http1() {
    let server = Server::open().await;
    let message = v1::FollowRequest { subject: 1, object: 2, ..Default::default() }.encode_to_vec();
    let mut body = vec![0];
    body.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    body.extend(message);
    let headers = [("content-type", "application/grpc-web+proto"), ("x-grpc-web", "1")];
    let answer = send(server.main, "POST", "/guanxi.v1.RelationService/Follow", &headers, &body).await;
    assert_eq!(answer.status, 200);
    let size = u32::from_be_bytes(answer.body[1..5].try_into().unwrap()) as usize;
    let follow = v1::FollowResponse::decode_from_slice(&answer.body[5..5 + size]).unwrap();
    assert_eq!((answer.body[0], follow.changed), (0, Some(true)));
    let trailers = &answer.body[5 + size..];
    assert_eq!(trailers[0], 0x80);
    assert!(String::from_utf8_lossy(&trailers[5..]).to_lowercase().contains("grpc-status: 0"));
}

#[tokio::test]
async fn health_answers_on_both_doors() {
    let server = Server::open().await;
    for (door, service) in [
        (server.main, "guanxi.v1.RelationService"),
        (server.admin, "guanxi.v1.AdminService"),
        (server.main, ""),
    ] {
        let body = serde_json::json!({ "service": service }).to_string();
        let headers = [("content-type", "application/json")];
        let answer = send(door, "POST", "/grpc.health.v1.Health/Check", &headers, body.as_bytes()).await;
        assert_eq!(answer.json()["status"], "SERVING", "{service}");
    }
}

/// Asks reflection one question.
async fn reflect(door: SocketAddr, ask: Ask) -> Told {
    let config = ClientConfig::new(format!("http://{door}").parse().unwrap())
        .with_protocol(Protocol::Grpc)
        .with_default_timeout(Duration::from_secs(10));
    let client = ServerReflectionClient::new(HttpClient::plaintext_http2_only(), config);
    let mut stream = client.server_reflection_info().await.unwrap();
    let request = ServerReflectionRequest { message_request: Some(ask), ..Default::default() };
    stream.send(request).await.unwrap();
    stream.close_send();
    let answer = stream.message::<ServerReflectionResponse>().await.unwrap().expect("an answer");
    answer.to_owned_message().message_response.unwrap()
}

#[tokio::test]
async fn reflection_describes_every_service_that_it_names() {
    let server = Server::open().await;
    for (door, own, other) in [
        (server.main, "guanxi.v1.RelationService", "guanxi.v1.AdminService"),
        (server.admin, "guanxi.v1.AdminService", "guanxi.v1.RelationService"),
    ] {
        let listed = reflect(door, Ask::ListServices(String::new())).await;
        let Told::ListServicesResponse(services) = listed else { panic!("{listed:?}") };
        let names: Vec<&str> = services.service.iter().map(|service| service.name.as_str()).collect();
        assert!(names.contains(&own) && !names.contains(&other), "{names:?}");
        for name in ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for name in names {
            let told = reflect(door, Ask::FileContainingSymbol(name.to_owned())).await;
            let Told::FileDescriptorResponse(files) = told else { panic!("{name}: {told:?}") };
            // Every file with what it imports, so that methods and their messages can be listed.
            let mut set = Vec::new();
            for file in &files.file_descriptor_proto {
                set.push(0x0a);
                buffa::encoding::encode_varint(file.len() as u64, &mut set);
                set.extend(file);
            }
            let reflector = Reflector::from_descriptor_set_bytes(&set).unwrap();
            let service = reflector.pool().services().iter().find(|service| service.full_name() == name);
            let methods: Vec<_> = service.unwrap_or_else(|| panic!("{name}")).methods().iter().collect();
            assert!(!methods.is_empty(), "{name}");
        }
    }
}

#[tokio::test]
async fn large_answers_are_compressed_and_small_ones_are_not() {
    let server = Server::open().await;
    let headers = [("content-type", "application/json"), ("accept-encoding", "gzip")];
    let objects: Vec<String> = (2..=1_000).map(|uid: u32| uid.to_string()).collect();
    let body = serde_json::json!({ "subject": "1", "objects": objects }).to_string();
    let path = "/guanxi.v1.RelationService/BatchGetRelations";
    let large = send(server.main, "POST", path, &headers, body.as_bytes()).await;
    assert_eq!(large.headers.get("content-encoding").map(String::as_str), Some("gzip"));
    let small = send(server.main, "POST", path, &headers, br#"{"subject":"1","objects":["2"]}"#).await;
    assert!(!small.headers.contains_key("content-encoding"));
}
