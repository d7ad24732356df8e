//! Names, bytes and fields of reasons.

use super::*;

/// The bytes by which remembered answers name their reasons. A line may be added here, and none may change.
const STORED: &[(u8, &str)] = &[
    (0x20, "UID_OUT_OF_RANGE"),
    (0x21, "POST_ID_OUT_OF_RANGE"),
    (0x22, "SELF"),
    (0x23, "MISSING_FIELD"),
    (0x24, "INVALID_FIELD"),
    (0x25, "BATCH_TOO_LARGE"),
    (0x26, "PAGE_TOO_LARGE"),
    (0x27, "TOO_LONG"),
    (0x28, "TEXT_TOO_LONG"),
    (0x29, "TIME_OUT_OF_RANGE"),
    (0x2a, "STALE_CURSOR"),
    (0x2b, "INVALID_TOKEN"),
    (0x2c, "TOKEN_FROM_OTHER_HISTORY"),
    (0x2d, "TOKEN_AHEAD"),
    (0x2e, "TRIMMED"),
    (0x2f, "LIMIT_REACHED"),
    (0x30, "BLOCKED"),
    (0x31, "NOT_ALLOWED"),
    (0x32, "IDEMPOTENCY_MISMATCH"),
    (0x33, "UNAUTHENTICATED"),
    (0x34, "PERMISSION_DENIED"),
    (0x35, "NOT_FOUND"),
    (0x36, "POST_NOT_FOUND"),
    (0x37, "POST_DELETED"),
    (0x38, "POST_FORBIDDEN"),
    (0x39, "REVISION_MISMATCH"),
    (0x3a, "ALREADY_EXISTS"),
    (0x3b, "IMPORT_POSITION_MISMATCH"),
    (0x3c, "OVERLOADED"),
    (0x3d, "DISK_FULL"),
    (0x3e, "SHUTTING_DOWN"),
    (0x3f, "STOPPED"),
    (0x40, "DEADLINE_EXCEEDED"),
    (0x41, "DAMAGED"),
    (0x42, "INTERNAL"),
    (0x43, "OUTCOME_UNKNOWN"),
    (0x44, "NOT_SERVED"),
    (0x45, "TOO_MANY_CALLS"),
    (0x46, "TOO_MANY_STREAMS"),
    (0x47, "RATE_LIMITED"),
    (0x48, "TOKEN_REFUSED"),
    (0x50, "USER_NOT_FOUND"),
    (0x51, "LOGIN_NAME_TAKEN"),
    (0x52, "UID_IN_USE"),
    (0x53, "LOGIN_FAILED"),
    (0x54, "USER_DEACTIVATED"),
    (0x55, "USER_LOCKED"),
    (0x56, "USER_DELETED"),
    (0x58, "PASSWORD_TOO_SHORT"),
    (0x59, "PASSWORD_TOO_COMMON"),
    (0x5a, "PASSWORD_HASH_UNUSABLE"),
    (0x5b, "REFRESH_REUSED"),
    (0x5c, "CONTACT_TAKEN"),
    (0x5d, "ONE_NAME_NEEDED"),
    (0x5e, "UID_NOT_MINTED"),
    (0x60, "EXTERNAL_ID_UNKNOWN"),
    (0x61, "UIDS_ARE_FOREIGN"),
    (0x64, "REQUEST_REJECTED"),
    (0x6c, "GROUP_NOT_FOUND"),
    (0x6d, "SHARD_UNAVAILABLE"),
    (0x6e, "SEARCH_BEHIND"),
    (0x6f, "SEARCH_UNAVAILABLE"),
    (0x70, "BAD_QUERY"),
    (0x71, "POST_TAKEN_DOWN"),
    (0x72, "USER_TAKEN_DOWN"),
    (0x73, "DATABASE_LOST_WRITES"),
    (0x74, "CLOCK_WRONG"),
];

#[test]
fn names_and_stored_bytes_are_frozen() {
    let mut all: Vec<(u8, &str)> = Reason::ALL.iter().map(|(name, stored)| (*stored, *name)).collect();
    all.sort_unstable();
    assert_eq!(all, STORED);
}

/// A reason by its name, with one value for every name and another for every number.
fn example(name: &str) -> Reason {
    Reason::of_name(name, |_, kind| Value::parse(kind, if kind == ValueKind::Name { "uid" } else { "7" }))
        .expect("every name of the table is one of a reason")
}

#[test]
fn every_reason_is_known_by_its_name_and_by_its_byte() {
    for (name, stored) in Reason::ALL {
        let reason = example(name);
        assert_eq!((reason.name(), reason.stored()), (*name, *stored));
        let mut values = reason.values().into_iter();
        let again = Reason::of_stored(*stored, |_, _| values.next().map(|(_, value)| value));
        assert_eq!(again.as_ref(), Some(&reason));
        assert_eq!(values.next(), None, "{name} forgets a value");
        let text = reason.to_string();
        assert!(reason.values().iter().all(|(_, value)| text.contains(&value.to_string())), "{text}");
    }
    assert_eq!(Reason::of_name("SOMETHING_NEW", |_, _| None), None);
    assert_eq!(Reason::of_stored(0, |_, _| None), None);
}

#[test]
fn a_value_that_is_not_told_ends_the_attempt_and_a_foreign_name_is_empty() {
    assert_eq!(Reason::of_name("LIMIT_REACHED", |_, _| None), None);
    assert_eq!(Value::parse(ValueKind::Name, "no such field"), Some(Value::Name("")));
    assert_eq!(Value::parse(ValueKind::Number, "many"), None);
    let untold = Reason::of_name("TOO_LONG", |_, kind| Some(Value::untold(kind)));
    assert_eq!(untold, Some(Reason::TooLong { field: "", limit: 0 }));
    let large = Reason::of_name("LIMIT_REACHED", |_, _| Some(Value::Number(u64::MAX)));
    assert_eq!(large, Some(Reason::LimitReached { limit: u32::MAX }));
}

#[test]
fn a_write_of_unknown_outcome_says_how_to_learn_it() {
    assert_eq!(Reason::OutcomeUnknown.code(), Code::Unavailable);
    assert!(Reason::OutcomeUnknown.to_string().contains("the same request_id"));
}

/// A name that a reason carries and that is not among [`FIELDS`] would be lost on its way to a client.
#[test]
fn every_field_that_the_sources_name_is_known() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![crates];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                let skipped = ["target", "gen", "tests"].iter().any(|name| entry.file_name() == *name);
                folders.extend((!skipped).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                for name in text.split("field: \"").skip(1).filter_map(|rest| rest.split_once('"')) {
                    assert!(FIELDS.contains(&name.0), "{}: {} is not in FIELDS", path.display(), name.0);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 20, "only {seen} fields found");
}

/// A text that a user chose is refused with what it may hold.
#[test]
fn the_rule_of_a_field_is_told() {
    let told = |field| Reason::InvalidField { field }.to_string();
    let plain = told("posts");
    assert_eq!(plain, "the value of the field `posts` is not allowed");
    for field in
        ["login_name", "password", "nickname", "name", "device", "message", "phone", "email", "external_ids"]
    {
        assert!(FIELDS.contains(&field), "{field}");
        assert!(told(field).starts_with(&format!("{}: ", plain.replace("posts", field))), "{}", told(field));
    }
}
