//! Fuzz targets of what is read from the disk: a row is refused, or it is written as something that is read the same.

use super::*;
use guanxi_fuzz::{came_to, fuzz};
use guanxi_model::stored::{decode_audit_entry, decode_event, encode_audit_entry};
use guanxi_model::{AuditId, Edge, GroupId, PostId, RequestKind, SessionCursor, Stamp};
use std::fmt::Debug;

/// How much longer than what was read the same may be when it is written anew: the number of a reason is read from a byte as well,
/// and written as four.
const GROWN_MAX: usize = 128;

/// Holds that what was read is written as something that is read the same, and returns what it is beside its values.
fn same<T: PartialEq + Debug>(
    bytes: &[u8],
    decode: impl Fn(&[u8]) -> Option<T>,
    encode: impl Fn(&T) -> Vec<u8>,
) -> u64 {
    let Some(value) = decode(bytes) else { return 0 };
    let written = encode(&value);
    assert!(
        written.len() <= bytes.len() + GROWN_MAX,
        "{} bytes of {}: {value:?}",
        written.len(),
        bytes.len()
    );
    assert_eq!(decode(&written).as_ref(), Some(&value), "{}", hex(&written));
    let shape: String = format!("{value:?}").chars().filter(|c| !c.is_ascii_digit()).take(200).collect();
    came_to((1, shape))
}

fn post() -> PostId {
    PostId::new(0x0123_4567_89ab_cdef).unwrap()
}

/// The values of rows, by kind.
const VALUES: &[fn(&[u8]) -> u64] = &[
    |bytes| same(bytes, ForwardValue::decode, ForwardValue::encode),
    |bytes| same(bytes, CountersValue::decode, CountersValue::encode),
    |bytes| same(bytes, StateValue::decode, |value| value.encode().to_vec()),
    |bytes| same(bytes, AnswerValue::decode, AnswerValue::encode),
    |bytes| same(bytes, |bytes| decode_event(event_at(9), bytes), encode_event),
    |bytes| same(bytes, |bytes| decode_credential(b"name", bytes), encode_credential),
    |bytes| same(bytes, |bytes| decode_session([9; 32], bytes), encode_session),
    |bytes| same(bytes, |bytes| PostValue::decode(post(), bytes), PostValue::encode),
    |bytes| same(bytes, decode_reposts, |ids| encode_reposts(ids)),
    |bytes| same(bytes, |bytes| decode_revision(3, bytes), encode_revision),
    |bytes| same(bytes, decode_author, encode_author),
    |bytes| same(bytes, decode_stats, encode_stats),
    |bytes| same(bytes, |bytes| decode_user(uid(7), bytes), encode_user),
    |bytes| {
        same(bytes, decode_standing, |standing| encode_standing(*standing).expect("a default one has no row"))
    },
    |bytes| same(bytes, decode_password, |hash| hash.expose().as_bytes().to_vec()),
    |bytes| same(bytes, decode_policy, encode_policy),
    |bytes| same(bytes, decode_stamp, |stamp| encode_stamp(*stamp).to_vec()),
    |bytes| same(bytes, decode_number, |number| encode_number(*number).to_vec()),
    |bytes| {
        // The header is what the post begins with.
        let (header, post) = (decode_header(post(), bytes), PostValue::decode(post(), bytes));
        if let (Some((header, changed)), Some(post)) = (header, post) {
            assert_eq!((&header, changed), (&post.post.header, post.changed));
        }
        u64::from(is_session_name(bytes))
    },
    |bytes| same(bytes, decode_claim, encode_claim),
    |bytes| same(bytes, decode_external_id, |id| id.as_str().as_bytes().to_vec()),
    |bytes| same(bytes, decode_uids, |policy| encode_uids(*policy).expect("the default one has no row")),
    |bytes| same(bytes, decode_mute, |(at, terms)| encode_mute(*at, *terms)),
    |bytes| same(bytes, SentValue::decode, SentValue::encode),
    |bytes| {
        let key = request_key(uid(2), RequestKind::Friend, Edge { at: Stamp::from_ms(5), uid: uid(1) });
        same(bytes, |bytes| decode_request(&key, bytes), encode_request)
    },
    |bytes| same(bytes, |bytes| decode_group(uid(7), GroupId::MIN, bytes), encode_group),
    |bytes| same(bytes, decode_group_number, |id| encode_group_number(*id).to_vec()),
    |bytes| {
        let id = AuditId { at: Stamp::from_ms(5), nonce: 6 };
        same(bytes, |bytes| decode_audit_entry(id, bytes), encode_audit_entry)
    },
];

/// The keys of rows, by kind. The first byte of a record's key is its kind, which the reader of the key knows.
const KEYS: &[fn(&[u8]) -> u64] = &[
    |bytes| same(bytes, parse_forward_key, |(subject, object)| forward_key(*subject, *object).to_vec()),
    |bytes| same(bytes, parse_reverse_key, |(object, edge)| reverse_key(*object, *edge).to_vec()),
    |bytes| same(bytes, parse_pair_key, |(subject, object)| pair_key(BLOCK, *subject, *object).to_vec()),
    |bytes| same(bytes, parse_like_of_user_key, |(user, id)| like_of_user_key(*user, *id).to_vec()),
    |bytes| {
        let write = |mark: &(Uid, _, Uid)| marked_by_key(mark.0, mark.1, mark.2).to_vec();
        same(bytes, parse_marked_by_key, write)
    },
    |bytes| same(bytes, parse_user_key, |uid| user_key(USER, *uid).to_vec()),
    |bytes| same(bytes, parse_answer_time_key, |(ms, hash)| answer_time_key(*ms, *hash).to_vec()),
    |bytes| same(bytes, parse_log_key, |seq| log_key(*seq).to_vec()),
    |bytes| same(bytes, parse_session_key, |id| session_key(*id).to_vec()),
    |bytes| {
        let write = |(uid, at): &(Uid, SessionCursor)| session_of_user_key(*uid, *at).to_vec();
        same(bytes, parse_session_of_user_key, write)
    },
    |bytes| same(bytes, parse_session_end_key, |(ms, id)| session_end_key(*ms, *id).to_vec()),
    |bytes| same(bytes, parse_login_name_key, login_name_key),
    |bytes| same(bytes, parse_post_key, |id| post_key(*id).to_vec()),
    |bytes| same(bytes, parse_outbox_key, |(author, id)| outbox_key(*author, *id).to_vec()),
    |bytes| same(bytes, parse_of_post_key, |id| of_post_key(POST_STATS, *id).to_vec()),
    |bytes| same(bytes, parse_like_key, |(id, user)| like_key(*id, *user).to_vec()),
    |bytes| same(bytes, parse_like_time_key, |(id, edge)| like_time_key(*id, *edge).to_vec()),
    |bytes| same(bytes, parse_reposted_key, |(user, id)| reposted_key(*user, *id).to_vec()),
    |bytes| same(bytes, parse_repost_of_key, |(original, id)| repost_of_key(*original, *id).to_vec()),
    |bytes| same(bytes, parse_revision_key, |(id, revision)| revision_key(*id, *revision).to_vec()),
    |bytes| {
        let owned = |bytes: &[u8]| parse_source_key(bytes).map(|(author, name)| (author, name.to_owned()));
        same(bytes, owned, |(author, name)| source_key(*author, name))
    },
    |bytes| same(bytes, |bytes| parse_name(bytes).map(str::to_owned), |name| name.as_bytes().to_vec()),
    |bytes| same(bytes, parse_claim_key, claim_key),
    |bytes| same(bytes, parse_external_uid_key, external_uid_key),
    |bytes| same(bytes, parse_deleted_post_key, |(ms, id)| deleted_post_key(*ms, *id).to_vec()),
    |bytes| same(bytes, parse_dismissed_by_key, |(uid, viewer)| dismissed_by_key(*uid, *viewer).to_vec()),
    |bytes| same(bytes, parse_group_key, |(owner, id)| group_key(USER_GROUP, *owner, *id).to_vec()),
    |bytes| {
        let write = |(owner, id, uid): &(Uid, GroupId, Uid)| group_member_key(*owner, *id, *uid).to_vec();
        same(bytes, parse_group_member_key, write)
    },
    |bytes| {
        let write = |(uid, owner, id): &(Uid, Uid, GroupId)| member_of_key(*uid, *owner, *id).to_vec();
        same(bytes, parse_member_of_key, write)
    },
    |bytes| same(bytes, parse_deleted_user_key, |(ms, uid)| deleted_user_key(*ms, *uid).to_vec()),
    |bytes| same(bytes, parse_request_key, |(of, kind, edge)| request_key(*of, *kind, *edge).to_vec()),
    |bytes| same(bytes, parse_audit_key, |id| audit_key(*id).to_vec()),
    |bytes| same(bytes, parse_pair_end_key, |due| pair_end_key(due.at_ms, due.end).to_vec()),
];

/// The golden rows.
fn golden_rows() -> Vec<Vec<u8>> {
    let dir = format!("{}/../../tests-data/format-{FORMAT_VERSION}", env!("CARGO_MANIFEST_DIR"));
    let names =
        std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains(".txt")).collect();
    names.sort_unstable();
    assert!(!names.is_empty(), "{dir} has golden rows");
    let text: String =
        names.iter().map(|name| std::fs::read_to_string(format!("{dir}/{name}")).unwrap()).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let rows = text.lines().filter_map(|line| line.rsplit_once(": "));
    rows.map(|(_, digits)| digits.as_bytes().chunks(2).map(byte).collect()).collect()
}

/// Runs readers by the first byte, from every golden row for every reader.
fn run(target: &str, readers: &[fn(&[u8]) -> u64]) {
    let seeds: Vec<Vec<u8>> = golden_rows()
        .iter()
        .flat_map(|row| (0..readers.len()).map(|reader| [&[reader as u8][..], row].concat()))
        .collect();
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    fuzz(target, &seeds, |bytes| {
        let Some((first, rest)) = bytes.split_first() else { return 0 };
        let reader = usize::from(*first) % readers.len();
        came_to((reader, readers[reader](rest)))
    });
}

#[test]
fn values_are_refused_or_written_as_what_is_read_the_same() {
    run("row_values", VALUES);
}

#[test]
fn keys_are_refused_or_written_as_what_is_read_the_same() {
    run("row_keys", KEYS);
}
