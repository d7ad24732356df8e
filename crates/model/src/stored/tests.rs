//! What is written is read the same. The bytes themselves are held by golden files, in the crate of dumps.

use super::*;
use crate::bytes::Reader;
use crate::error::{Value, ValueKind};
use crate::event::PairChange;
use crate::post::PostOutcome;
use crate::{
    Change, Event, EventAt, LogId, MuteTerms, Op, Outcome, PairOutcome, PostId, Reason, Relation,
    RequestKind, Stamp, Uid,
};
use proptest::prelude::*;

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

#[test]
fn events_of_every_kind_round_trip() {
    let (place, at) = (EventAt::new(LogId(3), 4), Stamp::from_ms(7));
    let kinds = [
        PairChange::Followed { at, mutual: true },
        PairChange::Unfollowed,
        PairChange::Blocked { at },
        PairChange::Unblocked,
        PairChange::Muted { at, terms: MuteTerms::default() },
        PairChange::Unmuted,
        PairChange::Muted { at, terms: MuteTerms { reposts_only: true, until_ms: None } },
        PairChange::Muted { at, terms: MuteTerms { reposts_only: true, until_ms: Some(9) } },
        PairChange::Muted { at, terms: MuteTerms { reposts_only: false, until_ms: Some(u64::MAX) } },
        PairChange::Requested { kind: RequestKind::Follow, expires_ms: 8 },
        PairChange::Requested { kind: RequestKind::Friend, expires_ms: u64::MAX },
        PairChange::RequestEnded { kind: RequestKind::Follow },
        PairChange::RequestEnded { kind: RequestKind::Friend },
    ];
    let pairs =
        kinds.into_iter().flat_map(|kind| Op::ALL.map(|cause| Change::Pair { object: uid(2), kind, cause }));
    for change in pairs.chain([Change::FollowLimit(None), Change::FollowLimit(Some(0))]) {
        let event = Event { at: place, version: Stamp::from_ms(9), subject: uid(1), change, echo: None };
        assert_eq!(decode_event(place, &encode_event(&event)), Some(event));
    }
}

#[test]
fn outcomes_with_any_reason_are_read_as_they_were_given() {
    let id = PostId::new(0x0123_4567_89ab_cd01).unwrap();
    let text = |kind| if kind == ValueKind::Name { "attachments.kind" } else { "70000" };
    for (name, _) in Reason::ALL {
        let reason = Reason::of_name(name, |_, kind| Value::parse(kind, text(kind))).unwrap();
        let of_post = PostOutcome { result: Err(reason.clone()), id: Some(id), revision: 3 };
        let relation = Relation { following_since: Some(Stamp::from_ms(7)), ..Relation::default() };
        let of_pair = PairOutcome { result: Err(reason), relation };
        let all = [
            vec![Outcome::Post(of_post.clone()), Outcome::Post(of_post.clone())],
            vec![Outcome::Pair(of_pair.clone()), Outcome::Pair(of_pair.clone())],
            vec![
                Outcome::Pair(of_pair.clone()),
                Outcome::Post(of_post),
                Outcome::Done,
                Outcome::Pair(of_pair),
            ],
        ];
        for outcomes in all {
            assert_eq!(decode_outcomes(&encode_outcomes(&outcomes)), Some(outcomes));
        }
    }
}

proptest! {
    #[test]
    fn varints_round_trip(number: u64) {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, number);
        prop_assert!(bytes.len() <= 10);
        prop_assert_eq!(get_varint(&mut Reader::new(&bytes)), Some(number));
    }

    #[test]
    fn arbitrary_bytes_are_something_or_nothing_but_never_panic(bytes: Vec<u8>) {
        let place = EventAt::new(LogId(0), 1);
        if let Some(event) = decode_event(place, &bytes) {
            prop_assert_eq!(decode_event(place, &encode_event(&event)), Some(event));
        }
        if let Some(outcomes) = decode_outcomes(&bytes) {
            prop_assert_eq!(decode_outcomes(&encode_outcomes(&outcomes)), Some(outcomes));
        }
    }
}
