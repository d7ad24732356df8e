//! Fuzz targets of what callers send as texts: tokens, login names and contacts.

use guanxi_fuzz::{came_to, fuzz};

use crate::bytes::{TokenKind, seal_token};
use crate::limits::{EMAIL_LEN_MAX, LOGIN_NAME_LEN_MAX, PHONE_LEN_MAX, POSITION_TOKEN_LEN_MAX};
use crate::user::{Contact, ContactKind};
use crate::{Cursor, LoginName, Position, PostCursor};

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

#[test]
fn login_names_are_refused_or_come_to_a_form_that_stays() {
    fuzz(
        "login_names",
        &[b"alice", "ＡＬＩＣＥ".as_bytes(), "ΣΊΣΥΦΟΣ".as_bytes(), "אב1".as_bytes()],
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let name = LoginName::new(&text);
            if let Ok(name) = &name {
                assert!((1..=LOGIN_NAME_LEN_MAX as usize).contains(&name.as_str().len()), "{name}");
                let again = LoginName::new(name.as_str());
                assert_eq!(again.as_ref(), Ok(name), "{text:?}");
            }
            let kinds =
                text.chars().take(6).map(|char| (char as u32) >> 7).fold(0_u32, |all, kind| all ^ kind);
            came_to((
                name.map(|name| name.as_str().len().min(12)).map_err(|error| error.reason.name()),
                kinds % 64,
            ))
        },
    );
}

#[test]
fn contacts_are_refused_or_come_to_a_form_that_stays() {
    let seeds: [&[u8]; 4] =
        [b"+8613800138000", b"Ann@Example.org", b"a.b+c@xn--fsqu00a.cn", "张@例子".as_bytes()];
    fuzz("contacts", &seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let read = ContactKind::ALL.map(|kind| {
            let contact = Contact::new(kind, &text);
            if let Ok(contact) = &contact {
                let limit = [PHONE_LEN_MAX, EMAIL_LEN_MAX][usize::from(kind == ContactKind::Email)];
                assert!((3..=limit as usize).contains(&contact.expose().len()));
                assert_eq!(Contact::new(kind, contact.expose()).as_ref(), Ok(contact), "{text:?}");
                assert!(contact.expose().is_ascii() && !contact.expose().contains(char::is_whitespace));
            }
            let len = contact.map(|contact| contact.expose().len().min(12));
            len.map_err(|error| error.reason.name())
        });
        let shape: Vec<u8> =
            text.bytes().take(12).map(|byte| if byte.is_ascii_alphanumeric() { 0 } else { byte }).collect();
        came_to((read, shape))
    });
}
