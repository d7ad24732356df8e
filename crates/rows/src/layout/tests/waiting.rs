//! Rows of requests, mutes on terms, and what ends by itself.

use super::super::*;
use super::{check_golden, hex, uid};
use guanxi_model::event::PairChange;
use guanxi_model::stored::encode_event;
use guanxi_model::{
    Change, Counts, Edge, Event, MuteTerms, Op, PairEnd, PairEndKind, PairOutcome, PastRequest,
    RelationRequest, RequestKind, Stamp,
};
use guanxi_model::{Outcome, Relation};
use guanxi_ports::DueEnd;
use proptest::prelude::*;

fn request(kind: RequestKind, message: &str) -> RelationRequest {
    let at = Stamp::from_raw(0x0102_0304);
    RelationRequest { sender: uid(1), receiver: uid(2), kind, at, expires_ms: 77, message: message.into() }
}

fn key_of(request: &RelationRequest) -> [u8; 26] {
    request_key(request.receiver, request.kind, Edge { at: request.at, uid: request.sender })
}

fn event(kind: PairChange, cause: Op) -> Vec<u8> {
    let change = Change::Pair { object: uid(1), kind, cause };
    let version = Stamp::from_raw(0x0506);
    encode_event(&Event { at: event_at(9), version, subject: uid(2), change, echo: None })
}

fn golden() -> String {
    let at = Stamp::from_raw(0x0102_0304);
    let friend = request(RequestKind::Friend, "你好");
    let sent = SentValue { kind: RequestKind::Follow, at, expires_ms: 77 };
    let end = |kind| pair_end_key(77, PairEnd { kind, owner: uid(2), other: uid(1) });
    let terms = |reposts_only, until_ms| encode_mute(at, MuteTerms { reposts_only, until_ms });
    let counters =
        CountersValue { counts: Counts::default(), asks: 3, asked: 300, ..CountersValue::default() };
    let relation = Relation {
        following_since: Some(at),
        requested: Some(RequestKind::Friend),
        requested_by: Some(RequestKind::Follow),
        ..Relation::default()
    };
    let answer =
        |outcome| AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes: vec![Outcome::Pair(outcome)] };
    let requested = |kind| PairChange::Requested { kind, expires_ms: 77 };
    let ended = |kind| PairChange::RequestEnded { kind };
    let rejected = PastRequest::Rejected { until_ms: 77 };
    let taken_back = PastRequest::TakenBack { until_ms: 77, first: at };
    for past in [rejected, taken_back] {
        assert_eq!(decode_past_request(&encode_past_request(past)), Some(past));
    }
    let muted = MuteTerms { reposts_only: true, until_ms: Some(77) };
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("key of a sent request", pair_key(SENT_REQUEST, uid(1), uid(2)).to_vec()),
        ("sent request", sent.encode()),
        ("key of a request", key_of(&friend).to_vec()),
        ("request", encode_request(&friend)),
        ("key of a follow request", key_of(&request(RequestKind::Follow, "")).to_vec()),
        ("key of a rejection", pair_key(COOLDOWN, uid(2), uid(1)).to_vec()),
        ("rejection", encode_past_request(rejected)),
        ("request taken back", encode_past_request(taken_back)),
        ("end of a request", end(PairEndKind::Request).to_vec()),
        ("end of a rejection", end(PairEndKind::Cooldown).to_vec()),
        ("end of a mute", end(PairEndKind::Mute).to_vec()),
        ("key of requests seen", user_key(REQUESTS_SEEN, uid(2)).to_vec()),
        ("key of who unlocks", user_key(UNLOCKING, uid(2)).to_vec()),
        ("mute", terms(false, None)),
        ("mute of reposts", terms(true, None)),
        ("mute with an end", terms(false, Some(77))),
        ("counters with requests", counters.encode()),
        ("remembered answer with requests", answer(PairOutcome { result: Ok(true), relation }).encode()),
        ("event of a friend request", event(requested(RequestKind::Friend), Op::SendFriendRequest)),
        ("event of a request to follow", event(requested(RequestKind::Follow), Op::Follow)),
        ("event of a rejected request", event(ended(RequestKind::Friend), Op::RejectFriendRequest)),
        ("event of an expired request", event(ended(RequestKind::Follow), Op::ExpireRequest)),
        ("event of a mute on terms", event(PairChange::Muted { at, terms: muted }, Op::Mute)),
        ("event of the end of a mute", event(PairChange::Unmuted, Op::ExpireMute)),
    ];
    rows.iter().map(|(name, bytes)| format!("{name}: {}\n", hex(bytes))).collect()
}

#[test]
fn the_bytes_of_requests_never_change() {
    check_golden("requests", &golden());
}

proptest! {
    #[test]
    fn requests_are_ordered_by_kind_and_newest_first(a: (bool, u64, u32), b: (bool, u64, u32)) {
        let place = |(friend, at, id): (bool, u64, u32)| {
            let kind = if friend { RequestKind::Friend } else { RequestKind::Follow };
            (kind, Edge { at: Stamp::from_raw(at), uid: uid(u64::from(id) + 1) })
        };
        let (a, b) = (place(a), place(b));
        let key = |(kind, edge)| request_key(uid(5), kind, edge);
        prop_assert_eq!(key(a).cmp(&key(b)), a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        prop_assert_eq!(parse_request_key(&key(a)), Some((uid(5), a.0, a.1)));
    }

    #[test]
    fn what_waits_is_read_back(at: u64, expires_ms: u64, message in ".{0,40}", until in proptest::option::of(any::<u64>()), reposts_only: bool, kind in 0..3_usize) {
        let at = Stamp::from_raw(at);
        for kind in RequestKind::ALL {
            let written = RelationRequest { at, expires_ms, ..request(kind, &message) };
            prop_assert_eq!(decode_request(&key_of(&written), &encode_request(&written)), Some(written));
            let sent = SentValue { kind, at, expires_ms };
            prop_assert_eq!(SentValue::decode(&sent.encode()), Some(sent));
        }
        let terms = MuteTerms { reposts_only, until_ms: until };
        prop_assert_eq!(decode_mute(&encode_mute(at, terms)), Some((at, terms)));
        let due = DueEnd { at_ms: expires_ms, end: PairEnd { kind: PairEndKind::ALL[kind], owner: uid(3), other: uid(4) } };
        prop_assert_eq!(parse_pair_end_key(&pair_end_key(due.at_ms, due.end)), Some(due));
    }
}
