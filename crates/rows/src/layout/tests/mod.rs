//! Golden bytes: a change of any of them is a new format version.

use super::*;
use guanxi_model::event::PairChange;
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::{
    Change, Counts, Edge, Event, HistoryId, MuteTerms, Op, Outcome, PairOutcome, Reason, Relation, Stamp, Uid,
};
use proptest::prelude::*;

mod audit;
mod contacts;
mod credentials;
mod external_ids;
mod fuzz;
mod posts;
mod suggestions;
mod takedowns;
mod traces;
mod user_groups;
mod users;
mod waiting;

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One line per row form, so that a difference shows where it is.
fn golden() -> String {
    let stamp = Stamp::from_raw(0x0123_4567_89ab_cdef);
    let later = Stamp::from_raw(stamp.raw() + 1);
    let edge = Edge { at: stamp, uid: uid(1) };
    let value = |version, friends_since| ForwardValue { at: stamp, version, friends_since }.encode();
    let event = |change| {
        encode_event(&Event { at: event_at(9), version: stamp, subject: uid(1), change, echo: None })
    };
    let pair = |kind, cause| event(Change::Pair { object: uid(2), kind, cause });
    let relation = Relation { following_since: Some(stamp), muting: true, ..Relation::default() };
    let outcomes = vec![
        PairOutcome { result: Ok(true), relation },
        PairOutcome { result: Err(Reason::LimitReached { limit: 7 }), relation: Relation::default() },
    ];
    let counts = Counts { following: 300, followers: 70_000, friends: 2, blocks: 0, mutes: 1 };
    let state = StateValue { history: HistoryId(5), last_seq: 6, first_seq: 3, clock: stamp };
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("forward key", forward_key(uid(1), uid(2)).to_vec()),
        ("reverse key", reverse_key(uid(2), edge).to_vec()),
        ("block key", pair_key(BLOCK, uid(1), uid(2)).to_vec()),
        ("counters key", user_key(COUNTERS, uid(1)).to_vec()),
        ("log key", log_key(9).to_vec()),
        ("answer key", answer_key(10).to_vec()),
        ("answer time key", answer_time_key(11, 10).to_vec()),
        ("job key", named_key(JOB, "nostr")),
        ("follow", value(stamp, None)),
        ("imported follow", value(later, None)),
        ("friend", value(stamp, Some(stamp))),
        ("older friend", value(stamp, Some(later))),
        ("counters", CountersValue { counts, ..CountersValue::default() }.encode()),
        (
            "counters with limit",
            CountersValue { counts, limit: Some(9), ..CountersValue::default() }.encode(),
        ),
        ("state", state.encode().to_vec()),
        (
            "answer",
            AnswerValue {
                fingerprint: 1,
                ms: 2,
                seq: 3,
                outcomes: outcomes.into_iter().map(Outcome::Pair).collect(),
            }
            .encode(),
        ),
        ("followed", pair(PairChange::Followed { at: stamp, mutual: false }, Op::Follow)),
        ("followed at", pair(PairChange::Followed { at: later, mutual: true }, Op::Follow)),
        ("unfollowed", pair(PairChange::Unfollowed, Op::Block)),
        ("follow limit", event(Change::FollowLimit(Some(9)))),
        ("changed counters", CountersValue { counts, changed: 300, ..CountersValue::default() }.encode()),
        (
            "changed counters with limit",
            CountersValue { counts, limit: Some(9), changed: 1, ..CountersValue::default() }.encode(),
        ),
        ("changed and empty", CountersValue { changed: 2, ..CountersValue::default() }.encode()),
        ("last commit without", UNNOTED_KEY.to_vec()),
        ("blocked at", pair(PairChange::Blocked { at: later }, Op::Block)),
        ("muted at", pair(PairChange::Muted { at: later, terms: MuteTerms::default() }, Op::Mute)),
    ];
    lines(rows)
}

fn lines(rows: Vec<(&str, Vec<u8>)>) -> String {
    rows.into_iter().map(|(name, bytes)| format!("{name}: {}\n", hex(bytes))).collect()
}

/// Compares rows with the golden file of a domain.
fn check_golden(domain: &str, rows: &str) {
    let path =
        format!("{}/../../tests-data/format-{FORMAT_VERSION}/{domain}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("GUANXI_BLESS").is_some() {
        std::fs::write(&path, rows).unwrap();
    }
    assert_eq!(rows, std::fs::read_to_string(path).unwrap(), "a new layout needs a new format version");
}

#[test]
fn the_bytes_of_relations_never_change() {
    check_golden("relations", &golden());
}

proptest! {
    #[test]
    fn reverse_keys_order_newest_first_then_by_uid(a: (u64, u32), b: (u64, u32)) {
        let edge = |(at, id): (u64, u32)| Edge { at: Stamp::from_raw(at), uid: uid(u64::from(id) + 1) };
        let (a, b) = (edge(a), edge(b));
        let object = uid(5);
        prop_assert_eq!(reverse_key(object, a).cmp(&reverse_key(object, b)), b.cmp(&a));
        prop_assert_eq!(parse_reverse_key(&reverse_key(object, a)), Some((object, a)));
    }

    #[test]
    fn forward_values_round_trip(at: u64, version: u64, friends: Option<u64>) {
        let value = ForwardValue {
            at: Stamp::from_raw(at),
            version: Stamp::from_raw(version),
            friends_since: friends.map(Stamp::from_raw),
        };
        prop_assert_eq!(ForwardValue::decode(&value.encode()), Some(value));
    }

    #[test]
    fn counters_round_trip(following: u32, followers: u64, friends: u32, mutes: u32, limit in proptest::option::of(0..u32::MAX), changed: u64, asks: u32, asked: u64) {
        let counts = Counts { following, followers, friends, blocks: 0, mutes };
        let value = CountersValue { counts, limit, changed, asks, asked };
        prop_assert_eq!(CountersValue::decode(&value.encode()), Some(value));
    }

    #[test]
    fn arbitrary_bytes_decode_to_nothing_or_something_but_never_panic(bytes: Vec<u8>) {
        let _ = (ForwardValue::decode(&bytes), CountersValue::decode(&bytes), StateValue::decode(&bytes));
        let _ = (AnswerValue::decode(&bytes), decode_event(event_at(1), &bytes), decode_credential(b"x", &bytes));
        posts::decode_all(&bytes);
        let _ = (parse_forward_key(&bytes), parse_reverse_key(&bytes), parse_pair_key(&bytes), parse_user_key(&bytes));
    }
}
