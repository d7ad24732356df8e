//! Where uids stand in JSON.

use std::ops::Range;

use super::fields::{UidFields, UidKind};
use crate::numbers::string_end;

/// Levels of nesting that the decoder takes.
const DEPTH_MAX: usize = 128;

/// A string in the place of a uid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UidPlace {
    /// The string with its quotes.
    pub(super) range: Range<usize>,
    /// The field that holds it.
    pub(super) field: &'static str,
}

/// Returns every string in the place of a uid, in the order of the text. A text that is no JSON has none: the decoder refuses
/// it.
pub(super) fn places(json: &[u8], whole: UidKind) -> Vec<UidPlace> {
    let mut walk = Walk { json, at: 0, fields: UidFields::all(), found: Vec::new() };
    match walk.value(whole, 0) {
        Some(()) => walk.found,
        None => Vec::new(),
    }
}

/// Puts other text in the place of some strings, in the order of the text.
pub(super) fn replaced(json: &[u8], texts: &[(Range<usize>, String)]) -> Vec<u8> {
    let more: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let (mut out, mut at) = (Vec::with_capacity(json.len() + more), 0);
    for (range, text) in texts {
        out.extend_from_slice(&json[at..range.start]);
        out.extend_from_slice(text.as_bytes());
        at = range.end;
    }
    out.extend_from_slice(&json[at..]);
    out
}

/// The fields of an object, each as its name without the quotes, and its value; `None` for what is no object, or no JSON.
pub(super) fn members(json: &[u8]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let mut walk = Walk { json, at: 0, fields: UidFields::all(), found: Vec::new() };
    let mut members = Vec::new();
    if walk.next()? != b'{' {
        return None;
    }
    walk.at += 1;
    if walk.next()? == b'}' {
        walk.at += 1;
    } else {
        loop {
            let name = walk.name()?;
            walk.next()?;
            let start = walk.at;
            walk.value(UidKind::Other, 1)?;
            members.push((name, start..walk.at));
            if !walk.goes_on(b'}')? {
                break;
            }
        }
    }
    walk.next().is_none().then_some(members)
}

struct Walk<'a> {
    json: &'a [u8],
    at: usize,
    fields: &'static UidFields,
    found: Vec<UidPlace>,
}

impl Walk<'_> {
    /// Goes over a value. `None` when there is none.
    fn value(&mut self, kind: UidKind, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.next()? {
            b'"' => {
                let range = self.string()?;
                if let UidKind::Uid(field) = kind {
                    self.found.push(UidPlace { range, field });
                }
                Some(())
            }
            b'{' => self.object(kind, depth),
            b'[' => self.list(kind, depth),
            _ => {
                let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                let rest = &self.json[self.at..];
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                Some(())
            }
        }
    }

    fn object(&mut self, kind: UidKind, depth: usize) -> Option<()> {
        self.at += 1;
        if self.next()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let name = self.name()?;
            let field = match kind {
                UidKind::Message(message) => self.fields.field(message, &self.json[name]),
                UidKind::Uid(_) | UidKind::Other => UidKind::Other,
            };
            self.value(field, depth + 1)?;
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    /// The name of a field, without its quotes, and the colon behind it.
    fn name(&mut self) -> Option<Range<usize>> {
        if self.next()? != b'"' {
            return None;
        }
        let name = self.string()?;
        if self.next()? != b':' {
            return None;
        }
        self.at += 1;
        Some(name.start + 1..name.end - 1)
    }

    fn list(&mut self, kind: UidKind, depth: usize) -> Option<()> {
        self.at += 1;
        if self.next()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.value(kind, depth + 1)?;
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    /// Returns whether there is more before an end.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let next = self.next()?;
        self.at += 1;
        match next {
            b',' => Some(true),
            _ if next == end => Some(false),
            _ => None,
        }
    }

    /// The next byte that is no blank.
    fn next(&mut self) -> Option<u8> {
        let blanks = self.json.get(self.at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blanks;
        self.json.get(self.at).copied()
    }

    /// The string that begins here.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let end = string_end(self.json, start);
        self.at = end;
        (end - start >= 2 && self.json[end - 1] == b'"').then_some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_fuzz::{came_to, fuzz};

    fn found(method: &str, json: &str) -> Vec<(&'static str, String)> {
        let whole = UidFields::all().request(&format!("guanxi.v1.{method}"));
        let places = places(json.as_bytes(), whole);
        places.into_iter().map(|place| (place.field, json[place.range].to_owned())).collect()
    }

    #[test]
    fn uids_are_found_wherever_they_stand() {
        let nested =
            r#"{"pairs":[{"subject":"ext:a","object":"2"},{ "object" : "ext:\"b\"" }], "token":"ext:t"}"#;
        assert_eq!(
            found("RelationService/BatchCheckPairs", nested),
            [
                ("subject", r#""ext:a""#.to_owned()),
                ("object", r#""2""#.to_owned()),
                ("object", r#""ext:\"b\"""#.to_owned())
            ]
        );
        let list = "{\"subject\" :\n1,\"objects\":[\"ext:a\" , 7,\t\"8\"]}";
        let texts: Vec<String> =
            found("RelationService/BatchFollow", list).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, [r#""ext:a""#, r#""8""#]);
        assert_eq!(found("PostService/UpdatePost", r#"{"postId":"ext:a","author":"1"}"#).len(), 1);
    }

    #[test]
    fn nothing_else_is_taken_for_a_uid() {
        for json in [
            r#"{"author":null,"text":"\"author\":\"ext:a\"","postId":"ext:b"}"#,
            r#"{"unknown":{"author":"ext:a"},"attachments":[{"author":"ext:a"}]}"#,
            r#"{"author":{"author":"ext:a"}}"#,
            "{}",
            "[]",
            "",
        ] {
            assert_eq!(found("PostService/CreatePost", json), [], "{json}");
        }
    }

    #[test]
    fn what_is_no_json_has_no_places() {
        let right = r#"{"subject":"ext:a","object":["ext:b"]}"#;
        assert_eq!(found("RelationService/Follow", right).len(), 2);
        for cut in 0..right.len() {
            assert_eq!(found("RelationService/Follow", &right[..cut]), [], "cut at {cut}");
        }
        for json in [r#"{"subject" "ext:a"}"#, r#"{"subject":"ext:a"]"#, r#"{subject:"ext:a"}"#, r#"{"a\"#] {
            assert_eq!(found("RelationService/Follow", json), [], "{json}");
        }
        let deep = format!("{}{}", "{\"a\":[".repeat(200), "]}".repeat(200));
        assert_eq!(found("RelationService/Follow", &deep), []);
    }

    #[test]
    fn places_of_anything_are_strings_in_order() {
        let whole = UidFields::all().request("guanxi.v1.RelationService/BatchCheckPairs");
        let pairs = br#"{"pairs":[{"subject":"ext:a","object":"2"},{"object":7}],"token":"x"}"#;
        fuzz("uid_places", &[pairs, b"{\"pairs\" :[ ] , \"a\":{}}", b"[{\"\\\"\":null}]"], |bytes| {
            let (found, mut end) = (places(bytes, whole), 0);
            for UidPlace { range, .. } in &found {
                assert!(range.start >= end && range.len() >= 2 && range.end <= bytes.len());
                assert_eq!((bytes[range.start], bytes[range.end - 1]), (b'"', b'"'));
                end = range.end;
            }
            let texts: Vec<_> = found.iter().map(|place| (place.range.clone(), "7".to_owned())).collect();
            let other = replaced(bytes, &texts);
            let is_json = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).is_ok();
            assert!(!is_json(bytes) || is_json(&other), "what is JSON stays so");
            came_to((found.iter().map(|place| place.field).collect::<Vec<_>>(), is_json(bytes)))
        });
    }

    #[test]
    fn other_text_stands_in_the_same_place() {
        let json = br#"{"a":"1","b":"22"}"#;
        let texts = [(5..8, "\"x\"".to_owned()), (13..17, "333".to_owned())];
        assert_eq!(replaced(json, &texts), br#"{"a":"x","b":333}"#);
        assert_eq!(replaced(json, &[]), json);
    }
}
