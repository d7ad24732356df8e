//! Fuzz targets of login names and contacts as callers give them.

use guanxi_fuzz::{came_to, fuzz};
use guanxi_model::limits::{EMAIL_LEN_MAX, LOGIN_NAME_LEN_MAX, PHONE_LEN_MAX};
use guanxi_model::user::ContactKind;

use crate::{contact, login_name, message, nickname};

#[test]
fn login_names_are_refused_or_come_to_a_form_that_stays() {
    fuzz(
        "login_names",
        &[b"alice", "ＡＬＩＣＥ".as_bytes(), "ΣΊΣΥΦΟΣ".as_bytes(), "אב1".as_bytes()],
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let name = login_name(&text);
            if let Ok(name) = &name {
                assert!((1..=LOGIN_NAME_LEN_MAX as usize).contains(&name.as_str().len()), "{name}");
                for form in [name.as_str(), name.shown()] {
                    assert!((1..=LOGIN_NAME_LEN_MAX as usize).contains(&form.len()), "{form}");
                    assert_eq!(login_name(form).as_ref(), Ok(name), "{text:?}");
                }
                assert!(!name.shown().contains(char::is_control), "{text:?}");
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
            let read = contact(kind, &text);
            if let Ok(found) = &read {
                let limit = [PHONE_LEN_MAX, EMAIL_LEN_MAX][usize::from(kind == ContactKind::Email)];
                assert!((3..=limit as usize).contains(&found.expose().len()));
                assert_eq!(contact(kind, found.expose()).as_ref(), Ok(found), "{text:?}");
                assert!(found.expose().is_ascii() && !found.expose().contains(char::is_whitespace));
            }
            let len = read.map(|found| found.expose().len().min(12));
            len.map_err(|error| error.reason.name())
        });
        let shape: Vec<u8> =
            text.bytes().take(12).map(|byte| if byte.is_ascii_alphanumeric() { 0 } else { byte }).collect();
        came_to((read, shape))
    });
}

#[test]
fn texts_that_are_shown_are_refused_or_kept() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let seeds: [&[u8]; 4] =
        ["می\u{200c}خواهم".as_bytes(), family.as_bytes(), b"two\nlines", b"1\xef\xb8\x8f\xe2\x83\xa3"];
    fuzz("shown_texts", &seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let read = [nickname, message].map(|read| {
            let read = read(&text);
            if let Ok(kept) = &read {
                assert_eq!(*kept, text);
                assert!(!kept.contains(
                    |char: char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                ));
                assert!(kept.chars().all(|char| char == '\n' || !char.is_control()));
            }
            read.map(|kept| kept.len().min(12)).map_err(|error| error.reason.name())
        });
        let shape = text.chars().take(6).fold(0_u32, |all, char| all ^ (char as u32 >> 7));
        came_to((read, shape % 64))
    });
}
