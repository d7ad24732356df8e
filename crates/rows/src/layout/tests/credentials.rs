//! Stored credentials and sessions.

use super::{check_golden, hex, uid};
use crate::layout::*;
use guanxi_model::{
    Credential, Principal, ReplacedSecrets, Rotation, Scope, Scopes, Session, SessionCursor, SessionSecrets,
};
use proptest::prelude::*;
use std::num::NonZeroU32;

fn credential(principal: Principal) -> Credential {
    Credential { hash: [7; 32], name: "n".into(), principal, created_ms: 5, rate_per_minute: None }
}

/// The secrets of a session, the first ones or later ones.
fn rotation(is_refreshed: bool) -> Box<Rotation> {
    let secrets = |n| SessionSecrets { access: [n; 32], access_expires_ms: n.into(), refresh: [n + 1; 32] };
    let replaced = is_refreshed.then_some(ReplacedSecrets { secrets: secrets(3), nonce: [5; 32] });
    Box::new(Rotation { ends_ms: 8, secrets: secrets(1), since_ms: 6, replaced })
}

/// One line per row form.
fn golden() -> String {
    let named = |names: &[&str]| Principal::Service(Scopes::of_names(names.iter().copied()).unwrap());
    let rows = [
        ("admin", Principal::Admin),
        ("service", named(&["relation.read", "relation.write", "post.read", "post.write"])),
        ("service of feeds", named(&["feed.read", "feed.write", "watch"])),
        ("service with a scope of a newer program", named(&["watch", "stars.count"])),
        ("service without scopes", named(&[])),
        ("name of a session", Principal::EndUser(uid(600))),
    ];
    let line = |(name, principal)| format!("{name}: {}\n", hex(encode_credential(&credential(principal))));
    let session = Session { expires_ms: Some(7), used_ms: 6, ..Session::lone(uid(600), [9; 32], 5) };
    let lasting = Session { expires_ms: None, ..session.clone() };
    let of_sessions = [
        ("session", encode_session(&lasting)),
        ("session that expires", encode_session(&session)),
        ("session key", session_key(session.id).to_vec()),
        ("session of user key", session_of_user_key(session.uid, session.cursor()).to_vec()),
        ("session end key", session_end_key(7, session.id).to_vec()),
    ];
    let refreshed =
        Session { device: Some("电话".into()), rotation: Some(rotation(true)), ..session.clone() };
    let fresh = Session { rotation: Some(rotation(false)), ..session.clone() };
    let of_refreshed = [
        ("session of a login", encode_session(&fresh)),
        ("session that was refreshed", encode_session(&refreshed)),
    ];
    let of_refreshed = of_refreshed.map(|(name, bytes)| format!("{name}: {}\n", hex(bytes)));
    let of_sessions = of_sessions.map(|(name, bytes)| format!("{name}: {}\n", hex(bytes)));
    let rate_per_minute = NonZeroU32::new(600);
    let limited = Credential { rate_per_minute, ..credential(named(&["watch"])) };
    let limited = format!("service with a rate: {}\n", hex(encode_credential(&limited)));
    rows.into_iter().map(line).chain(of_sessions).chain([limited]).chain(of_refreshed).collect()
}

#[test]
fn the_bytes_of_credentials_never_change() {
    check_golden("credentials", &golden());
}

#[test]
fn another_tag_is_no_credential() {
    let mut bytes = encode_credential(&credential(Principal::EndUser(uid(600))));
    for tag in [1, 2, 5, 99] {
        bytes[0] = tag;
        assert_eq!(decode_credential(b"n", &bytes), None, "{tag}");
    }
}

#[test]
fn a_rate_is_read_again_and_none_is_none() {
    let service = credential(Principal::Service([Scope::Watch].into_iter().collect()));
    for rate_per_minute in [None, NonZeroU32::new(1), NonZeroU32::new(u32::MAX)] {
        let stored = Credential { rate_per_minute, ..service.clone() };
        assert_eq!(decode_credential(b"n", &encode_credential(&stored)), Some(stored));
    }
}

#[test]
fn damaged_scopes_are_noticed() {
    let whole = encode_credential(&credential(Principal::Service([Scope::Watch].into_iter().collect())));
    for cut in 1..=5 {
        assert_eq!(decode_credential(b"n", &whole[..whole.len() - cut]), None, "{cut}");
    }
    let with = |name: &[u8]| {
        let mut bytes = whole.clone();
        bytes.push(name.len() as u8);
        bytes.extend(name);
        decode_credential(b"n", &bytes)
    };
    assert_eq!(with(b""), None);
    assert_eq!(with(&[0xff]), None);
    assert!(with(b"watch").is_some());
}

proptest! {
    #[test]
    fn sessions_round_trip_and_order_newest_first(
        raw in 1..i64::MAX as u64,
        hash: [u8; 32],
        created_ms: u64,
        later_ms: u64,
        expires_ms: Option<u64>,
        used_ms: u64,
        is_refreshed: Option<bool>,
        device: Option<String>,
    ) {
        // A name is shorter than any that is refused.
        let device = device.map(|text| text.chars().take(30).collect::<String>().into());
        let rotation = is_refreshed.map(rotation);
        let own = Session::lone(uid(raw), hash, created_ms);
        let session = Session { expires_ms, used_ms, device, rotation, ..own };
        let bytes = encode_session(&session);
        prop_assert_eq!(decode_session(hash, &bytes), Some(session.clone()));
        for cut in 0..bytes.len() {
            prop_assert_eq!(decode_session(hash, &bytes[..cut]), None);
        }
        prop_assert_eq!(parse_session_key(&session_key(hash)), Some(hash));
        let key = session_of_user_key(session.uid, session.cursor());
        prop_assert_eq!(parse_session_of_user_key(&key), Some((session.uid, session.cursor())));
        let later = SessionCursor { created_ms: later_ms, id: hash };
        prop_assert_eq!(session_of_user_key(session.uid, later).cmp(&key), created_ms.cmp(&later_ms));
        let end = session_end_key(created_ms, hash);
        prop_assert_eq!(parse_session_end_key(&end), Some((created_ms, hash)));
        prop_assert_eq!(session_end_key(later_ms, hash).cmp(&end), later_ms.cmp(&created_ms));
    }

    #[test]
    fn arbitrary_bytes_are_a_session_or_none(bytes: Vec<u8>) {
        let _ = (decode_session([0; 32], &bytes), parse_session_key(&bytes));
        let _ = (parse_session_of_user_key(&bytes), parse_session_end_key(&bytes));
    }
}
