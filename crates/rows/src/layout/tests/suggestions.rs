//! Rows of what users note of suggestions.

use super::super::*;
use super::{hex, uid};
use guanxi_model::affinity::Score;
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::{Change, Event, Outcome, Reason, Stamp};

#[test]
fn rows_of_suggestions_have_golden_bytes() {
    let answer = |result| {
        AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes: vec![Outcome::Plain(result)] }.encode()
    };
    let rows: [(&str, Vec<u8>); 5] = [
        ("key of a dismissed user", pair_key(DISMISSED, uid(1), uid(0x0203)).to_vec()),
        ("since when", encode_stamp(Stamp::from_ms(1_700_000_000_000)).to_vec()),
        ("key by who is dismissed", dismissed_by_key(uid(0x0203), uid(1)).to_vec()),
        ("answer that something changed", answer(Ok(true))),
        ("answer of a refusal", answer(Err(Reason::SelfRelation))),
    ];
    let golden: String = rows.map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).concat();
    super::check_golden("suggestions", &golden);
}

fn interacted() -> Event {
    let change = Change::Interacted;
    Event { at: event_at(9), version: Stamp::from_raw(0x0102), subject: uid(7), change, echo: None }
}

#[test]
fn rows_of_scores_have_golden_bytes() {
    let week_ms = 7 * 86_400_000;
    let rows: [(&str, Vec<u8>); 6] = [
        ("key of a half-life", user_key(AFFINITY, uid(1)).to_vec()),
        ("the half-life", encode_number(week_ms).to_vec()),
        ("key of a score", pair_key(AFFINITY, uid(1), uid(0x0203)).to_vec()),
        ("the score", encode_number(Score::of(7, 1_750_000_000_000, week_ms).raw()).to_vec()),
        ("key by with whom", scored_by_key(uid(0x0203), uid(1)).to_vec()),
        ("event that something was recorded", encode_event(&interacted())),
    ];
    let golden: String = rows.map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).concat();
    super::check_golden("affinity", &golden);
    assert_eq!(decode_event(event_at(9), &encode_event(&interacted())), Some(interacted()));
    let mut other = encode_event(&interacted());
    other[1] = 1;
    assert_eq!(decode_event(event_at(9), &other), None, "a later program may say more");
}

#[test]
fn rows_of_suggestions_are_read_back() {
    let key = dismissed_by_key(uid(7), uid(u64::MAX >> 1));
    assert_eq!(parse_dismissed_by_key(&key), Some((uid(7), uid(u64::MAX >> 1))));
    assert_eq!(parse_dismissed_by_key(&key[..16]), None);
    for result in [Ok(false), Ok(true), Err(Reason::UserDeleted), Err(Reason::LimitReached { limit: 3 })] {
        let outcomes = vec![Outcome::Plain(result), Outcome::Done];
        let answer = AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes };
        assert_eq!(AnswerValue::decode(&answer.encode()), Some(answer));
    }
}
