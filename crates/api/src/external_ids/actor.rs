//! `actor`: a name for one field in the JSON of every call. It is the field in which an end user can only give itself, whose
//! name differs between the protos (`own` of the [table of rules](crate::rules)).
//!
//! A request is looked into only if it holds the word as a string, which the pass over its numbers notices by the way.

use std::ops::Range;

use connectrpc::{ConnectError, ErrorCode};
use guanxi_model::Reason;
use guanxi_rim::errors::rim_error_with;

use super::fields::ACTOR;
use super::places::members;

/// The same request with the acting user under the field's own name; `None` if it has no `actor`, and for what is no
/// JSON, which the decoder says.
///
/// # Errors
/// `INVALID_FIELD` with the field's own name if it is given, too, as another user.
pub(crate) fn under_own_name(json: &[u8], own: &'static str) -> Result<Option<Vec<u8>>, ConnectError> {
    let Some(members) = members(json) else { return Ok(None) };
    let is_named = |name: &Range<usize>, word: &str| json[name.clone()] == *word.as_bytes();
    let (mut acting, mut others, mut has_actor) = (Vec::new(), Vec::new(), false);
    for (name, value) in members {
        let is_actor = is_named(&name, ACTOR);
        has_actor |= is_actor;
        if is_actor || is_named(&name, own) {
            acting.push(&json[value]);
        } else {
            // With the quote in front of the name.
            others.push(&json[name.start - 1..value.end]);
        }
    }
    if !has_actor {
        return Ok(None);
    }
    let mut given = acting.iter().filter(|value| !is_nobody(value));
    let first = given.next();
    if given.any(|other| first.is_some_and(|first| bare(first) != bare(other))) {
        return Err(two_users(own));
    }
    let value = first.or(acting.first()).copied().unwrap_or(b"null");
    let mut request = Vec::with_capacity(json.len() + own.len());
    request.extend_from_slice(b"{\"");
    request.extend_from_slice(own.as_bytes());
    request.extend_from_slice(b"\":");
    request.extend_from_slice(value);
    for other in others {
        request.push(b',');
        request.extend_from_slice(other);
    }
    request.push(b'}');
    Ok(Some(request))
}

/// A number may be in quotes or not.
fn bare(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)
}

/// Returns whether a value is as good as none.
fn is_nobody(value: &[u8]) -> bool {
    matches!(bare(value), b"" | b"0" | b"null")
}

fn two_users(own: &'static str) -> ConnectError {
    let message = format!(
        "`{ACTOR}` is another name of `{own}` in this call, and the two name different users: give one of them"
    );
    let reason = Reason::InvalidField { field: own }.name();
    rim_error_with(ErrorCode::InvalidArgument, reason, &message, vec![("field", own.to_owned())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_fuzz::{came_to, fuzz};

    fn renamed(json: &str) -> Option<String> {
        let renamed = under_own_name(json.as_bytes(), "subject").unwrap();
        renamed.map(|json| String::from_utf8(json).unwrap())
    }

    #[test]
    fn the_acting_user_comes_under_its_own_name() {
        for (json, expected) in [
            (r#"{"actor":"1","object":"2"}"#, r#"{"subject":"1","object":"2"}"#),
            (r#"{ "object" : 2 , "actor" : 1 }"#, r#"{"subject":1,"object" : 2}"#),
            (r#"{"actor":"1","subject":1}"#, r#"{"subject":"1"}"#),
            (r#"{"subject":"0","actor":"1"}"#, r#"{"subject":"1"}"#),
            (r#"{"actor":null,"subject":"1"}"#, r#"{"subject":"1"}"#),
            (r#"{"actor":null}"#, r#"{"subject":null}"#),
            (r#"{"actor":{"actor":[1,"}"]}}"#, r#"{"subject":{"actor":[1,"}"]}}"#),
            (r#"{"actor":"ext:a","text":"\"actor\":1"}"#, r#"{"subject":"ext:a","text":"\"actor\":1"}"#),
        ] {
            assert_eq!(renamed(json).as_deref(), Some(expected), "{json}");
        }
    }

    #[test]
    fn who_gives_no_actor_is_left_alone() {
        for json in [
            r#"{"subject":"1","object":"2"}"#,
            r#"{"subject":"actor"}"#,
            r#"{"pairs":[{"actor":"1"}]}"#,
            r#"{"actor":"1""#,
            r#"{"actor"}"#,
            r#"{"actor":"1"} {}"#,
            r#"["actor"]"#,
            "{}",
            "",
        ] {
            assert_eq!(renamed(json), None, "{json}");
        }
    }

    #[test]
    fn two_users_are_refused_by_the_name_of_the_field() {
        for json in [
            r#"{"actor":"1","subject":"2"}"#,
            r#"{"subject":2,"actor":1}"#,
            r#"{"actor":"1","actor":"2"}"#,
            r#"{"actor":"0","subject":"1","actor":"2"}"#,
        ] {
            let error = under_own_name(json.as_bytes(), "subject").unwrap_err();
            let shown = error.details[0].debug.as_ref().unwrap();
            assert_eq!(
                (&shown["reason"], &shown["metadata"]["field"]),
                (&"INVALID_FIELD".into(), &"subject".into())
            );
        }
    }

    #[test]
    fn json_stays_json() {
        let seeds: [&[u8]; 3] = [
            br#"{"actor":"1","object":"2","pairs":[{"actor":7}]}"#,
            br#"{ "subject" : "1" , "actor" : 1 }"#,
            br#"{"text":"\"actor\"","actor":null}"#,
        ];
        fuzz("actor", &seeds, |bytes| {
            let renamed = under_own_name(bytes, "subject");
            let value = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).ok();
            if let (Ok(Some(renamed)), Some(before)) = (&renamed, value(bytes)) {
                let after = value(renamed).expect("what is JSON stays so");
                assert!(after.get(ACTOR).is_none() && after.get("subject").is_some());
                let rest = |value: &serde_json::Value| {
                    let mut rest = value.as_object().unwrap().clone();
                    rest.retain(|name, _| name != ACTOR && name != "subject");
                    rest
                };
                assert_eq!(rest(&before), rest(&after));
            }
            came_to((renamed.is_err(), renamed.is_ok_and(|renamed| renamed.is_some())))
        });
    }
}
