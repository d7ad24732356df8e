//! Rows of contacts.

use super::super::*;
use super::{hex, uid};
use guanxi_model::event::UserChange;
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::user::{Contact, ContactClaim, ContactKind, Contacts, UserOutcome};
use guanxi_model::{Change, Event, Outcome, Reason, Stamp, User};

fn phone() -> Contact {
    Contact::stored(ContactKind::Phone, "+8613800138000".into())
}

fn email() -> Contact {
    Contact::stored(ContactKind::Email, "ann@example.org".into())
}

fn users() -> [(&'static str, User); 3] {
    let with = |contacts| User { contacts, revision: 1, ..User::unknown(uid(7)) };
    [
        ("user with phone", with(Contacts { phone: Some(phone()), email: None })),
        ("user with email", with(Contacts { phone: None, email: Some(email()) })),
        ("user with both", with(Contacts { phone: Some(phone()), email: Some(email()) })),
    ]
}

fn claims() -> [(&'static str, ContactClaim); 2] {
    let claim = ContactClaim { uid: uid(7), version: Stamp::from_raw(0x0102), confirmed: false };
    [("reserved claim", claim), ("confirmed claim", ContactClaim { confirmed: true, ..claim })]
}

fn changes() -> [(&'static str, Event); 2] {
    [("phone set", UserChange::PhoneSet), ("email set", UserChange::EmailSet)].map(|(name, change)| {
        let (version, change) = (Stamp::from_raw(0x0102), Change::User(change));
        (name, Event { at: event_at(9), version, subject: uid(7), change, echo: None })
    })
}

fn answer() -> AnswerValue {
    let outcome = |result| Outcome::User(UserOutcome { result, uid: uid(300), revision: 2 });
    let outcomes = [Err(Reason::ContactTaken), Err(Reason::OneNameNeeded)].map(outcome).to_vec();
    AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes }
}

#[test]
fn rows_of_contacts_have_golden_bytes() {
    let mut rows: Vec<(&str, Vec<u8>)> = vec![
        ("claim key of a phone", claim_key(&phone())),
        ("claim key of an email", claim_key(&email())),
        ("answer of contacts", answer().encode()),
    ];
    rows.extend(users().map(|(name, user)| (name, encode_user(&user))));
    rows.extend(claims().map(|(name, claim)| (name, encode_claim(&claim))));
    rows.extend(changes().map(|(name, event)| (name, encode_event(&event))));
    let golden: String = rows.into_iter().map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).collect();
    super::check_golden("contacts", &golden);
}

#[test]
fn rows_of_contacts_are_read_back_and_nothing_else_is() {
    for (name, user) in users() {
        let bytes = encode_user(&user);
        assert_eq!(decode_user(user.uid, &bytes), Some(user.clone()), "{name}");
        for cut in 0..bytes.len() {
            assert_eq!(decode_user(user.uid, &bytes[..cut]), None, "{name} cut at {cut}");
        }
        assert_eq!(decode_user(user.uid, &[&bytes[..], b"x"].concat()), None, "{name} and more");
    }
    for (name, claim) in claims() {
        let bytes = encode_claim(&claim);
        assert_eq!(decode_claim(&bytes), Some(claim), "{name}");
        for cut in 0..bytes.len() {
            assert_eq!(decode_claim(&bytes[..cut]), None, "{name} cut at {cut}");
        }
        assert_eq!(decode_claim(&[&bytes[..], b"x"].concat()), None, "{name} and more");
        assert_eq!(decode_claim(&[&[2], &bytes[1..]].concat()), None, "{name} of another flag");
    }
    for (name, event) in changes() {
        assert_eq!(decode_event(event_at(9), &encode_event(&event)), Some(event), "{name}");
    }
    assert_eq!(AnswerValue::decode(&answer().encode()), Some(answer()));
    for contact in [phone(), email()] {
        assert_eq!(parse_claim_key(&claim_key(&contact)), Some(contact));
    }
    for key in [&b"c"[..], b"cp", b"cx+12", b"cp\xff"] {
        assert_eq!(parse_claim_key(key), None);
    }
    // Flags beyond one byte are a varint.
    let mut none = encode_user(&users()[0].1);
    none.splice(1..2, [0x80 | 16, 0x80, 1]);
    assert_eq!(decode_user(uid(7), &none), None, "a flag that nobody knows");
}
