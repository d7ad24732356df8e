//! Rows of users.

use super::super::*;
use super::{hex, uid};
use guanxi_model::event::{PostChange, UserChange};
use guanxi_model::stored::{decode_event, encode_event};
use guanxi_model::user::{Privacy, Profile, Sex, Standing, UidPolicy, UidRange, UserOutcome, UserStatus};
use guanxi_model::{Change, Event, LoginName, Outcome, PostId, Reason, Stamp, User};

fn users() -> [(&'static str, User); 4] {
    let profile = Profile {
        nickname: "阿丽".into(),
        sex: Sex::Female,
        birth_year: Some(1_990),
        bio: "words".into(),
        avatar: "a.png".into(),
        attributes: [("city".to_owned(), "杭州".to_owned()), ("k".to_owned(), String::new())].into(),
    };
    let account = User {
        login_name: Some(LoginName::stored("alice".into())),
        registered_ms: Some(1_700_000_000_000),
        revision: 1,
        ..User::unknown(uid(0x1b0))
    };
    [
        ("account", account.clone()),
        (
            "account whose name is shown otherwise",
            User { login_name: Some(LoginName::new("alice".into(), "Alice".into())), ..account.clone() },
        ),
        (
            "whole user",
            User {
                profile: profile.clone(),
                privacy: Privacy { discoverable: false, ..Privacy::default() },
                revision: 300,
                login_day: Some(20_000),
                ..account
            },
        ),
        ("user without account", User { profile, revision: 2, ..User::unknown(uid(7)) }),
    ]
}

/// Changes by name; those of contacts stand with their rows.
fn changes() -> Vec<(&'static str, Change)> {
    let names =
        ["registered", "profile updated", "privacy set", "password set", "deactivated", "reactivated"];
    names.into_iter().zip(UserChange::ALL.map(Change::User)).collect()
}

/// Changes that stand with users; those after them stand with standings.
const CHANGES_OF_ACCOUNTS: usize = 4;

fn standings() -> Vec<(&'static str, Standing)> {
    let open = Privacy::default();
    let of = |privacy| Standing { privacy, ..Standing::default() };
    vec![
        ("not discoverable", of(Privacy { discoverable: false, ..open })),
        ("locked", of(Privacy { locked: true, ..open })),
        ("hides following", of(Privacy { hides_following: true, ..open })),
        ("hides followers", of(Privacy { hides_followers: true, ..open })),
        ("gone", Standing { status: UserStatus::Deactivated, ..Standing::default() }),
    ]
}

/// How users stand who do not come back.
fn deleted() -> [(&'static str, Standing); 2] {
    let of = |status| Standing { status, ..Standing::default() };
    [
        ("deleted", of(UserStatus::Deleted { erase_at_ms: 1_700_000_000_000 })),
        ("erased", of(UserStatus::Erased { at_ms: 1_700_000_000_001 })),
    ]
}

/// One line per row form of users who are deleted.
fn golden_of_the_deleted() -> String {
    let mut rows = Vec::new();
    for (name, standing) in deleted() {
        let user = User { status: standing.status, ..withdrawn() };
        rows.push((name.to_owned(), encode_standing(standing).unwrap()));
        rows.push((format!("{name} user"), encode_user(&user)));
        assert_eq!(decode_user(uid(7), &encode_user(&user)), Some(user));
    }
    for (name, change) in [("deleted event", UserChange::Deleted), ("erased event", UserChange::Erased)] {
        let event = event(Change::User(change));
        assert_eq!(decode_event(event_at(9), &encode_event(&event)), Some(event));
        rows.push((name.to_owned(), encode_event(&event)));
    }
    rows.into_iter().map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).collect()
}

#[test]
fn who_is_deleted_has_golden_bytes_and_is_read_back() {
    let golden = golden_of_the_deleted();
    super::check_golden("deleted-users", &golden);
    for (name, standing) in deleted() {
        let row = encode_standing(standing).unwrap();
        assert_eq!(decode_standing(&row), Some(standing), "{name}");
        assert_eq!(decode_standing(&row[..row.len() - 1]), None, "{name} cut");
        assert_eq!(decode_standing(&[&row[..], b"x"].concat()), None, "{name} and more");
    }
    assert_eq!(decode_standing(&[0x80, 0x0e, 1]), None, "deactivated, deleted and erased at once");
}

/// A user with everything that a standing can say.
fn withdrawn() -> User {
    let privacy = Privacy { discoverable: false, locked: true, hides_following: true, hides_followers: true };
    User { privacy, status: UserStatus::Deactivated, revision: 5, ..User::unknown(uid(7)) }
}

/// One line per row form of standings.
fn golden_of_standings() -> String {
    let mut rows: Vec<(&str, Vec<u8>)> = vec![("standing key", user_key(STANDING, uid(7)).to_vec())];
    rows.extend(standings().iter().map(|(name, standing)| (*name, encode_standing(*standing).unwrap())));
    rows.push(("withdrawn user", encode_user(&withdrawn())));
    let new = changes().into_iter().skip(CHANGES_OF_ACCOUNTS);
    rows.extend(new.map(|(name, change)| (name, encode_event(&event(change)))));
    let purged = Change::Post { id: PostId::new(0x0102).unwrap(), kind: PostChange::Purged };
    rows.push(("purged", encode_event(&event(purged))));
    assert_eq!(decode_event(event_at(9), &encode_event(&event(purged))), Some(event(purged)));
    rows.into_iter().map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).collect()
}

#[test]
fn sign_outs_have_golden_bytes() {
    let change = Change::User(UserChange::SignedOut);
    let rows: [(&str, Vec<u8>); 4] = [
        ("sign-out key", user_key(SIGNED_OUT, uid(7)).to_vec()),
        ("forgotten sign-outs key", FORGOTTEN_KEY.to_vec()),
        ("time of a sign-out", encode_number(1_700_000_000_000).to_vec()),
        ("signed out", encode_event(&event(change))),
    ];
    let golden: String = rows.iter().map(|(name, bytes)| format!("{name}: {}\n", hex(bytes))).collect();
    super::check_golden("sign-outs", &golden);
    assert_eq!(decode_event(event_at(9), &encode_event(&event(change))), Some(event(change)));
}

#[test]
fn whose_numbers_uids_are_has_golden_bytes() {
    let reserved = UidRange::new(1 << 62, i64::MAX as u64).unwrap();
    let policies = [
        ("foreign", UidPolicy::Foreign),
        ("minted", UidPolicy::Minted(UidRange::ALL)),
        ("range", UidPolicy::Minted(reserved)),
    ];
    let mut rows = vec![("uids key", UIDS_KEY.to_vec())];
    for (name, policy) in policies {
        let row = encode_uids(policy).unwrap();
        assert_eq!(decode_uids(&row), Some(policy));
        assert_eq!(decode_uids(&[&row[..], b"x"].concat()), None);
        rows.push((name, row));
    }
    let golden: String = rows.iter().map(|(name, row)| format!("{name}: {}\n", hex(row))).collect();
    assert_eq!(encode_uids(UidPolicy::Both), None);
    super::check_golden("uids", &golden);
}

#[test]
fn standings_have_golden_bytes_and_are_read_back() {
    let golden = golden_of_standings();
    super::check_golden("standings", &golden);
    for (name, standing) in standings() {
        let row = encode_standing(standing).unwrap();
        assert_eq!(decode_standing(&row), Some(standing), "{name}");
        assert_eq!(decode_standing(&[&row[..], b"x"].concat()), None, "{name} and more");
    }
    assert_eq!((encode_standing(Standing::default()), decode_standing(&[0])), (None, None));
    assert_eq!(decode_standing(&[1]), None, "what only a user's row has");
    assert_eq!(decode_user(uid(7), &encode_user(&withdrawn())), Some(withdrawn()));
}

fn event(change: Change) -> Event {
    Event { at: event_at(9), version: Stamp::from_raw(0x0102), subject: uid(7), change, echo: None }
}

fn answer() -> AnswerValue {
    let outcome = |result| Outcome::User(UserOutcome { result, uid: uid(300), revision: 2 });
    let outcomes =
        [Ok(true), Ok(false), Err(Reason::LoginNameTaken), Err(Reason::RevisionMismatch { revision: 2 })];
    AnswerValue { fingerprint: 1, ms: 2, seq: 3, outcomes: outcomes.map(outcome).to_vec() }
}

/// One line per row form of users.
fn golden_of_users() -> String {
    let name = LoginName::stored("alice".into());
    let mut rows: Vec<(&str, Vec<u8>)> = vec![
        ("user key", user_key(USER, uid(7)).to_vec()),
        ("login name key", login_name_key(&name)),
        ("password key", user_key(PASSWORD, uid(7)).to_vec()),
        ("answer of users", answer().encode()),
    ];
    rows.extend(users().map(|(name, user)| (name, encode_user(&user))));
    rows.extend(
        changes()
            .into_iter()
            .take(CHANGES_OF_ACCOUNTS)
            .map(|(name, change)| (name, encode_event(&event(change)))),
    );
    rows.into_iter().map(|(name, bytes)| format!("{name}: {}\n", hex(&bytes))).collect()
}

#[test]
fn rows_of_users_have_golden_bytes() {
    let golden = golden_of_users();
    super::check_golden("users", &golden);
}

#[test]
fn rows_of_users_are_read_back_and_nothing_else_is() {
    for (name, user) in users() {
        let bytes = encode_user(&user);
        assert_eq!(decode_user(user.uid, &bytes), Some(user.clone()), "{name}");
        // Names are compared by their keys alone.
        assert_eq!(
            decode_user(user.uid, &bytes).map(|user| encode_user(&user)),
            Some(bytes.clone()),
            "{name}"
        );
        for cut in 0..bytes.len() {
            assert_eq!(decode_user(user.uid, &bytes[..cut]), None, "{name} cut at {cut}");
        }
        assert_eq!(decode_user(user.uid, &[&bytes[..], b"x"].concat()), None, "{name} and more");
    }
    for (name, change) in changes() {
        assert_eq!(decode_event(event_at(9), &encode_event(&event(change))), Some(event(change)), "{name}");
    }
    assert_eq!(AnswerValue::decode(&answer().encode()), Some(answer()));
    let name = LoginName::stored("张三".into());
    assert_eq!(parse_login_name_key(&login_name_key(&name)), Some(name));
    assert_eq!(decode_password(&[0xff]), None);
    assert_eq!(decode_password("$argon2id$".as_bytes()).unwrap().expose(), "$argon2id$");
}
