//! One pass over the bytes of a JSON request. It finds what hardly any request has: numbers that may differ from what their
//! sender meant, and the word `actor`.
//!
//! Many languages read a JSON number as a double, which holds whole numbers exactly up to 2^53. An id above it that
//! comes without quotes has likely been rounded on its way, to the id of somebody else.

/// The largest whole number up to which all are exact in a double.
const EXACT_MAX: u64 = 1 << 53;

/// [`EXACT_MAX`] as a double.
const EXACT_MAX_FLOAT: f64 = 9_007_199_254_740_992.0;

/// Digits that are never too many.
const DIGITS_MIN: usize = 16;

/// Levels of nesting that the decoder takes.
const DEPTH_MAX: usize = 128;

/// Characters of a field's name that are told.
const NAME_LEN_MAX: usize = 64;

/// The string that stands for the acting user in any request.
const ACTOR: &[u8] = b"\"actor\"";

/// The find of a pass over a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Noticed {
    /// A bare number above 2^53, in the field of this name, as protos write it.
    Inexact(String),
    /// The string `actor`, as the name of a field or in the place of a value.
    Actor,
}

/// Returns the first thing in a request that needs a further look; a number above 2^53 takes precedence. It makes one pass
/// over the bytes, under 1 ns for each. The decoder refuses a request that is no JSON at all.
pub(crate) fn notice(json: &[u8]) -> Option<Noticed> {
    let (mut at, mut names_actor) = (0, false);
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => {
                names_actor |= json[at..].starts_with(ACTOR);
                at = string_end(json, at);
            }
            b'-' | b'0'..=b'9' => {
                let end = number_end(json, at);
                if !is_exact(&json[at..end]) {
                    return Some(Noticed::Inexact(field_at(json, at)));
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    names_actor.then_some(Noticed::Actor)
}

/// The first byte after the string that begins at a quote.
pub(crate) fn string_end(json: &[u8], quote: usize) -> usize {
    let mut at = quote + 1;
    while let Some(step) =
        json.get(at..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'"' | b'\\')))
    {
        at += step;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

fn number_end(json: &[u8], start: usize) -> usize {
    let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    start + json[start..].iter().take_while(|byte| is_of_number(byte)).count()
}

/// Returns whether a number is what its text says in a double, too.
fn is_exact(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let is_whole = digits.iter().all(u8::is_ascii_digit);
    if is_whole && digits.len() < DIGITS_MIN {
        return true;
    }
    let Ok(text) = std::str::from_utf8(digits) else { return true };
    if is_whole {
        return text.parse::<u64>().is_ok_and(|whole| whole <= EXACT_MAX);
    }
    // A fraction at the border may have been rounded to it.
    text.parse::<f64>().map_or(true, |value| value < EXACT_MAX_FLOAT)
}

/// The field that the number at a place belongs to.
fn field_at(json: &[u8], place: usize) -> String {
    // The name of what is open at each level; an array goes on with that of its own field.
    let mut open: Vec<&[u8]> = vec![b""];
    let mut at = 0;
    while at < place {
        match json[at] {
            b'"' => {
                let end = string_end(json, at);
                let is_name =
                    json.get(end..).and_then(|rest| rest.iter().find(|byte| !byte.is_ascii_whitespace()));
                if is_name == Some(&b':')
                    && let Some(last) = open.last_mut()
                {
                    *last = &json[at + 1..end - 1];
                }
                at = end;
            }
            b'{' | b'[' => {
                if open.len() > DEPTH_MAX {
                    break;
                }
                open.push(open.last().copied().unwrap_or_default());
                at += 1;
            }
            b'}' | b']' => {
                open.pop();
                at += 1;
            }
            _ => at += 1,
        }
    }
    proto_name(open.last().copied().unwrap_or_default())
}

/// The name of a field in a proto, of which JSON has another spelling: `page_size` is `pageSize`.
fn proto_name(json_name: &[u8]) -> String {
    let mut name = String::new();
    for letter in String::from_utf8_lossy(json_name).chars().take(NAME_LEN_MAX) {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(json: &str) -> Option<String> {
        match notice(json.as_bytes()) {
            Some(Noticed::Inexact(field)) => Some(field),
            Some(Noticed::Actor) => panic!("{json}"),
            None => None,
        }
    }

    #[test]
    fn the_word_actor_is_noticed_as_a_string_alone() {
        for json in [r#"{"actor":"1"}"#, r#"{"subject":"1", "text":"actor"}"#, r#"{"a":["actor"]}"#] {
            assert_eq!(notice(json.as_bytes()), Some(Noticed::Actor), "{json}");
        }
        for json in [r#"{"factor":1,"actors":1,"text":"\"actor\""}"#, r#"{"text":"an actor"}"#, "actor", ""] {
            assert_eq!(notice(json.as_bytes()), None, "{json}");
        }
        let both = r#"{"actor":9007199254740993}"#;
        assert_eq!(notice(both.as_bytes()), Some(Noticed::Inexact("actor".to_owned())));
    }

    #[test]
    fn bare_numbers_up_to_2_to_the_53_are_exact() {
        for json in [
            "{}",
            r#"{"uid":1}"#,
            r#"{"uid":9007199254740992}"#,
            r#"{"uid":-9007199254740992}"#,
            r#"{"uid":"9223372036854775807"}"#,
            r#"{"uid":"9007199254740993","text":"9007199254740993 \" 9007199254740993"}"#,
            r#"{"text":"\\","uid":1}"#,
            r#"{"a9007199254740993":1,"9007199254740993":1}"#,
            r#"{"uid":1e15,"x":0.00000000000000000001,"y":9007199254740991.0}"#,
            r#"{"uid":true,"x":null,"y":[]}"#,
            "",
            r#"{"text":"9007199254740993"#,
            r#"{"text":"\"#,
        ] {
            assert_eq!(field(json), None, "{json}");
        }
    }

    #[test]
    fn larger_ones_are_named_by_their_field_wherever_they_are() {
        for (json, name) in [
            (r#"{"uid":9007199254740993}"#, "uid"),
            (r#"{"uid":-9007199254740993}"#, "uid"),
            (r#"{ "postId" : 18446744073709551615 }"#, "post_id"),
            (r#"{"uid":"1","viewer":99999999999999999999999999999999}"#, "viewer"),
            (r#"{"uid":1e16}"#, "uid"),
            (r#"{"uid":1E+17}"#, "uid"),
            (r#"{"uid":9007199254740993.0}"#, "uid"),
            (r#"{"uid":900719925474099.3e3}"#, "uid"),
            (r#"{"subject":"1","objects":["2",3,9007199254740993]}"#, "objects"),
            (
                r#"{"pairs":[{"subject":"1","object":"2"},{"subject":"1","object":9007199254740993}]}"#,
                "object",
            ),
            (r#"{"pairs":[{"subject":"1"}],"viewer":9007199254740993}"#, "viewer"),
            (r#"{"labels":{"a":1,"b":9007199254740993}}"#, "b"),
            (r#"{"text":"\"objects\":","uid":9007199254740993}"#, "uid"),
            ("9007199254740993", ""),
        ] {
            assert_eq!(field(json).as_deref(), Some(name), "{json}");
        }
        let deep = format!("{}9007199254740993", "[".repeat(1 << 16));
        assert!(field(&deep).is_some());
        let long = format!(r#"{{"{}":9007199254740993}}"#, "x".repeat(1_000));
        assert_eq!(field(&long).unwrap().len(), NAME_LEN_MAX);
    }
}
