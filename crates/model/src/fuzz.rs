//! The fuzz target of tokens.

use guanxi_fuzz::{came_to, fuzz};

use crate::Position;
use crate::bytes::{TokenKind, seal_token};
use crate::limits::POSITION_TOKEN_LEN_MAX;

/// A token of what is in the bytes: the text itself, or one with a right checksum around it, so that what is behind the
/// checksum is met as well.
fn token(kind: u8, bytes: &[u8]) -> String {
    match kind % 5 {
        0 => String::from_utf8_lossy(bytes).into_owned(),
        1 => seal_token(TokenKind::Position, 0, bytes),
        2 => seal_token(TokenKind::Positions, 0, bytes),
        3 => seal_token(TokenKind::Position, 7, bytes),
        _ => {
            let (one, other) = bytes.split_at(bytes.len() / 2);
            [one, other].map(|half| seal_token(TokenKind::Positions, 0, half)).join(".")
        }
    }
}

#[test]
fn tokens_are_read_or_refused_and_what_is_read_is_written_the_same() {
    let one = [&[1][..], &[0; 17]].concat();
    let sparse = [&[2][..], &[0; 8], &[3, 0x85, 0x10, 2, 9, 8]].concat();
    fuzz("tokens", &[&one, &sparse], |bytes| {
        let Some((kind, rest)) = bytes.split_first() else { return 0 };
        let token = token(*kind, rest);
        let position = Position::from_token(&token);
        if let Ok(position) = &position {
            let again = position.to_token();
            assert!(again.len() <= POSITION_TOKEN_LEN_MAX as usize, "{} characters", again.len());
            assert_eq!(Position::from_token(&again).as_ref(), Ok(position));
            assert!(position.covers(position) && position.clone().joined(Some(position)) == *position);
            assert!(position.covers(&position.back(3)));
        }
        let marks = position.as_ref().map(|position| position.marks().count().min(8));
        came_to((kind % 5, marks.map_err(|error| error.reason.name())))
    });
}
