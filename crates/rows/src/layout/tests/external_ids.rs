//! Rows of the dictionary of external ids.

use super::super::*;
use super::{hex, uid};
use guanxi_model::ExternalId;
use guanxi_model::event::UserChange;
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::{Change, Event, Stamp};

fn id(given: &str) -> ExternalId {
    ExternalId::new(given, "external_id").unwrap()
}

fn event() -> Event {
    let change = Change::User(UserChange::ExternalIdAssigned);
    Event { at: event_at(9), version: Stamp::from_raw(0x0102), subject: uid(7), change, echo: None }
}

#[test]
fn rows_of_external_ids_have_golden_bytes() {
    let rows: [(&str, Vec<u8>); 6] = [
        ("key of an external id", external_uid_key(&id("0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60"))),
        ("key of another", external_uid_key(&id("张三"))),
        ("its uid", encode_number(7).to_vec()),
        ("key of a uid", user_key(EXTERNAL_ID, uid(7)).to_vec()),
        ("its external id", id("张三").as_str().as_bytes().to_vec()),
        ("event of one", encode_event(&event())),
    ];
    let golden: String = rows.map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).concat();
    super::check_golden("external-ids", &golden);
}

#[test]
fn rows_of_external_ids_are_read_back_and_nothing_else_is() {
    for given in ["a", "张三", &"x".repeat(128)] {
        assert_eq!(parse_external_uid_key(&external_uid_key(&id(given))), Some(id(given)));
        assert_eq!(decode_external_id(given.as_bytes()), Some(id(given)));
    }
    for bytes in [&b""[..], b"\xff", b"a\n", &[b'x'; 129]] {
        assert_eq!(decode_external_id(bytes), None, "{bytes:?}");
    }
    assert_eq!(parse_external_uid_key(b""), None);
    assert_eq!(decode_event(event_at(9), &encode_event(&event())), Some(event()));
}

#[test]
fn hashes_of_erased_ids_have_golden_bytes_and_depend_on_the_key() {
    let (key, other) = (ErasedIdKey([7; 32]), ErasedIdKey([8; 32]));
    let row = |key: ErasedIdKey, given: &str| erased_id_key(id(given).gene(), key.hash(&id(given)));
    let rows = [
        ("key of the key", ERASED_ID_KEY.to_vec()),
        ("key of the hash of an id", row(key, "0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60")),
        ("key of the hash of another", row(key, "张三")),
        ("the same with another key", row(other, "张三")),
    ];
    let golden: String = rows.map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).concat();
    super::check_golden("erased-ids", &golden);
    let read = parse_erased_id_key(&row(key, "张三")).unwrap();
    assert_eq!(read, (id("张三").gene(), key.hash(&id("张三"))));
    assert_ne!(key.hash(&id("a")), other.hash(&id("a")));
    for bytes in [&b""[..], b"4", b"4\x01", &row(key, "a")[1..], &[row(key, "a"), vec![0]].concat()] {
        assert_eq!(parse_erased_id_key(bytes), None, "{bytes:?}");
    }
    assert_eq!(ErasedIdKey::decode(&[7; 32]), Some(key));
    assert_eq!((ErasedIdKey::decode(&[7; 31]), ErasedIdKey::decode(&[7; 33])), (None, None));
    assert_eq!(format!("{key:?}"), "ErasedIdKey(..)", "a secret shows itself to nobody");
}
