//! The fuzz target of tokens.

use guanxi_fuzz::{came_to, fuzz};

use crate::bytes::{TokenKind, seal_token};
use crate::limits::POSITION_TOKEN_LEN_MAX;
use crate::{Cursor, Position, PostCursor};

/// A token of what is in the bytes: the text itself, or one with a right checksum around it, so that what is behind the
/// checksum is met as well.
fn token(kind: u8, bytes: &[u8]) -> String {
    let sealed = |kind| seal_token(kind, 7, bytes);
    match kind % 7 {
        0 => String::from_utf8_lossy(bytes).into_owned(),
        1 => seal_token(TokenKind::Position, 0, bytes),
        2 => seal_token(TokenKind::Positions, 0, bytes),
        3 => sealed(TokenKind::Page),
        4 => sealed(TokenKind::Posts),
        5 => sealed(TokenKind::Position),
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
    let edge = [&[3][..], &[0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 9]].concat();
    let post = [&[4][..], &[0, 0, 0, 1, 0, 0, 0, 9]].concat();
    fuzz("tokens", &[&one, &sparse, &edge, &post], |bytes| {
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
        let cursor = Cursor::from_token(&token, 7);
        if let Ok(cursor) = cursor {
            assert_eq!(cursor.to_token(7), token, "a place in a list has one text");
        }
        let post = PostCursor::from_token(&token, 7);
        if let Ok(post) = post {
            assert_eq!(post.to_token(7), token, "a place in a list has one text");
        }
        let marks = position.as_ref().map(|position| position.marks().count().min(8));
        came_to((kind % 7, marks.map_err(|error| error.reason.name()), cursor.is_ok(), post.is_ok()))
    });
}
