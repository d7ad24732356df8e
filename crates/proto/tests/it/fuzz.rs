//! A fuzz target of what requests are read from: protobuf and JSON.

use std::hash::Hash;

use buffa::Message;
use guanxi_fuzz::{came_to, fuzz};
use guanxi_proto::v1;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How much longer than its JSON a message is when it is written, for numbers that are written as texts and names that
/// are written in full.
const JSON_GROWN_MAX: usize = 16;

/// Reads bytes as JSON or protobuf of a message, and holds what was read against what is read after it was written.
fn read<M: Message + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    json: bool,
) -> u64 {
    let read = if json {
        serde_json::from_slice::<M>(bytes)
            .map_err(|error| error.to_string().chars().take(12).collect::<String>())
    } else {
        M::decode_from_slice(bytes).map_err(|error| format!("{error:?}"))
    };
    let Ok(message) = read else { return came_to((0, read.err())) };
    let wire = message.encode_to_vec();
    assert!(wire.len() <= bytes.len() * 2 + 16, "{} bytes of {}", wire.len(), bytes.len());
    assert_eq!(M::decode_from_slice(&wire).as_ref(), Ok(&message));
    let Ok(text) = serde_json::to_vec(&message) else {
        // A time beyond the year 9999 has no text, and comes by protobuf alone.
        assert!(!json, "what came as JSON goes as JSON");
        return 1;
    };
    assert!(text.len() <= (bytes.len() + 64) * JSON_GROWN_MAX, "{} bytes of {}", text.len(), bytes.len());
    let again: M = serde_json::from_slice(&text).expect("what was written is read");
    // Fields that nobody knows, and not-a-number, are not in the text.
    assert_eq!(serde_json::to_vec(&again).expect("it was written before"), text);
    came_to(shape(&text))
}

/// What is in a text beside its values.
fn shape(text: &[u8]) -> impl Hash {
    let mut shape: Vec<u8> =
        text.iter().copied().filter(|byte| !byte.is_ascii_digit() && *byte < 0x80).collect();
    shape.truncate(64);
    shape
}

macro_rules! requests {
    ($($message:ident)*) => {
        const READ: &[fn(&[u8], bool) -> u64] = &[$(read::<v1::$message>),*];
    };
}

// Written by `cargo xtask codegen`: the names of all requests.
include!("../../src/gen/requests.rs");

#[test]
fn requests_are_read_or_refused_and_what_is_read_is_written_the_same() {
    let json =
        br#"{"subject":"1","object":"2","uids":["1",2],"pairs":[{"subject":1,"object":"2"}],"pageSize":20}"#;
    let post = br#"{"author":"1","text":"\u4f60","attachments":[{"kind":"IMAGE","reference":"a"}],"visibility":"FRIENDS"}"#;
    let user = br#"{"uid":"1","user":{"nickname":"x","attributes":{"a":"b"}},"updateMask":"nickname,birthYear","revision":1}"#;
    let wire = b"\x09\x01\0\0\0\0\0\0\0\x11\x02\0\0\0\0\0\0\0\x1a\x03abc";
    let with = |request: u8, form: u8, rest: &[u8]| [&[request, form][..], rest].concat();
    let mut seeds = Vec::new();
    for request in 0..READ.len() as u8 {
        seeds.extend([json.as_slice(), post, user].map(|seed| with(request, 1, seed)));
        seeds.push(with(request, 0, wire));
    }
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    assert!(READ.len() <= 0x100);
    fuzz("requests", &seeds, |bytes| {
        let [request, form, rest @ ..] = bytes else { return 0 };
        let (request, is_json) = (usize::from(*request) % READ.len(), form % 2 == 1);
        came_to((request, is_json, READ[request](rest, is_json)))
    });
}
