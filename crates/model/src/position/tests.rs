//! Positions: order, tokens, and what they say of users.

use super::*;
use crate::limits::{POSITION_TOKEN_LEN_MAX, POSITION_TOKENS_MAX};

const HISTORY: HistoryId = HistoryId(7);

fn uid(raw: u64) -> Uid {
    Uid::new(raw).unwrap()
}

/// A position of some logs, all of it only seen.
fn seen(marks: &[(u8, u64)]) -> Position {
    Position::sparse(
        HISTORY,
        marks.iter().map(|(log, seen)| (LogId(*log), LogMark { seen: *seen, acted: 0 })),
    )
}

#[test]
fn tokens_round_trip_and_foreign_strings_are_refused() {
    let position = Position::one(HISTORY, 123_456);
    let token = position.to_token();
    assert_eq!(Position::from_token(&token), Ok(position));
    for bad in ["", "x", "????", ".", &token[1..], &format!("{token}A"), "AAAAAAAAAAAAAAAAAAAAAAAA"] {
        assert_eq!(Position::from_token(bad).unwrap_err().reason, Reason::InvalidToken, "{bad}");
    }
}

#[test]
fn the_token_of_one_log_is_what_it_always_was() {
    // Clients hold such tokens: 2 bytes of version and kind, history, a zero, the number, 4 bytes of check.
    assert_eq!(Position::one(HistoryId(0x0102_0304), 5).to_token(), "AQEAAAAAAQIDBAAAAAAAAAAABcGTqss");
}

#[test]
fn tokens_of_many_logs_round_trip() {
    let mixed = Position::sparse(
        HISTORY,
        [
            (LogId(0), LogMark { seen: 0, acted: 0 }),
            (LogId(9), LogMark { seen: 300, acted: 299 }),
            (LogId(255), LogMark { seen: u64::MAX, acted: 1 }),
        ],
    );
    assert_eq!(Position::from_token(&mixed.to_token()), Ok(mixed));
    assert_eq!(Position::from_token(&seen(&[]).to_token()), Ok(seen(&[])));
}

#[test]
fn a_token_of_every_log_at_the_end_of_its_numbers_is_accepted() {
    let mark = LogMark { seen: u64::MAX, acted: 1 };
    let all = Position::sparse(HISTORY, Logs::PerGene.all().map(|log| (log, mark)));
    let token = all.to_token();
    assert!(token.len() <= POSITION_TOKEN_LEN_MAX as usize, "{}", token.len());
    assert_eq!(Position::from_token(&token), Ok(all));
}

#[test]
fn several_tokens_are_joined_and_bounded() {
    let (a, b) = (seen(&[(1, 5), (2, 9)]), seen(&[(2, 4), (3, 1)]));
    let tokens = format!("{}.{}", a.to_token(), b.to_token());
    assert_eq!(Position::from_token(&tokens), Ok(seen(&[(1, 5), (2, 9), (3, 1)])));
    let other = Position::one(HistoryId(8), 1).to_token();
    let mixed = format!("{}.{other}", Position::one(HISTORY, 1).to_token());
    assert_eq!(Position::from_token(&mixed).unwrap_err().reason, Reason::TokenFromOtherHistory);
    let many = vec![other.as_str(); POSITION_TOKENS_MAX as usize + 1].join(".");
    assert_eq!(Position::from_token(&many).unwrap_err().reason, Reason::InvalidToken);
    assert!(Position::from_token(&many[..many.len() - other.len() - 1]).is_ok());
}

#[test]
fn positions_are_partially_ordered() {
    let (a, b) = (seen(&[(1, 5)]), seen(&[(2, 9)]));
    assert!(!a.covers(&b) && !b.covers(&a) && a.covers(&a));
    let both = a.clone().joined(Some(&b));
    assert!(both.covers(&a) && both.covers(&b) && !a.covers(&both));
    assert_eq!(both, seen(&[(1, 5), (2, 9)]));
    assert!(a.covers(&seen(&[(7, 0)])), "the beginning of a log is included everywhere");
    assert!(Position::one(HISTORY, 4).covers(&Position::one(HISTORY, 4)));
    assert!(!Position::one(HISTORY, 4).covers(&Position::one(HISTORY, 5)));
}

#[test]
fn a_position_speaks_of_each_users_log() {
    let position = seen(&[(1, 5), (2, 9)]);
    assert_eq!(position.of(uid(0x101)), EventAt::new(LogId(1), 5));
    assert_eq!(position.of(uid(0x303)), EventAt::beginning(LogId(3)));
    assert!(position.names(uid(0x102)) && !position.names(uid(0x103)));
    assert!(position.includes(EventAt::new(LogId(2), 9)) && !position.includes(EventAt::new(LogId(2), 10)));
    let one = Position::one(HISTORY, 3);
    assert_eq!((one.of(uid(0x101)), one.names(uid(9))), (EventAt::new(LogId(0), 3), true));
}

#[test]
fn what_was_done_is_told_from_what_was_seen() {
    let done = Position::acted(HISTORY, Logs::PerGene, EventAt::new(LogId(4), 8));
    let later = done.after(EventAt::new(LogId(4), 11));
    assert_eq!(later.marks().collect::<Vec<_>>(), [(LogId(4), LogMark { seen: 11, acted: 8 })]);
    assert_eq!(later.only(|log| log != LogId(4)), seen(&[]));
}

#[test]
fn a_position_goes_back_in_each_log_that_it_names_and_no_further_than_the_beginning() {
    assert_eq!(Position::one(HISTORY, 9).back(4), Position::one(HISTORY, 5));
    assert_eq!(Position::one(HISTORY, 9).back(10), Position::one(HISTORY, 0));
    let back = seen(&[(1, 9), (2, 3)]).back(4);
    assert_eq!(back.marks().map(|(log, mark)| (log.0, mark.seen)).collect::<Vec<_>>(), [(1, 5), (2, 0)]);
    let acted = Position::acted(HISTORY, Logs::PerGene, EventAt::new(LogId(1), 9)).back(2);
    assert_eq!(acted.marks().next().unwrap().1, LogMark { seen: 7, acted: 7 });
}
