//! Just enough of Rust's lexical grammar for rules about text: what is code, and which of it is test.

/// The source with comments and the insides of literals blanked. Lines and columns stay where they are.
pub(super) fn code(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (end, keep) = token(bytes, at);
        if keep == Keep::Ends {
            blank(&mut out, at + 1, end.saturating_sub(1));
        } else if keep == Keep::Nothing {
            blank(&mut out, at, end);
        }
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What of a token stays visible.
#[derive(PartialEq, Eq)]
enum Keep {
    All,
    /// The quotes of a literal.
    Ends,
    Nothing,
}

/// The end of the token that begins at `at`, and what of it stays.
fn token(bytes: &[u8], at: usize) -> (usize, Keep) {
    let rest = &bytes[at..];
    match rest[0] {
        b'/' if rest.starts_with(b"//") => (line_end(bytes, at), Keep::Nothing),
        b'/' if rest.starts_with(b"/*") => (comment_end(bytes, at), Keep::Nothing),
        b'"' => (string_end(bytes, at + 1), Keep::Ends),
        b'\'' => char_end(bytes, at).map_or((at + 1, Keep::All), |end| (end, Keep::Ends)),
        byte if is_word(byte) => {
            let end = at + rest.iter().take_while(|byte| is_word(**byte)).count();
            match &bytes[at..end] {
                b"r" | b"br" | b"cr" => {
                    raw_end(bytes, end).map_or((end, Keep::All), |end| (end, Keep::Nothing))
                }
                _ => (end, Keep::All),
            }
        }
        _ => (at + 1, Keep::All),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn comment_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_u32;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at.min(bytes.len())
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character literal; none for a lifetime.
fn char_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at + 1) == Some(&b'\\') {
        let close = bytes[at + 3..].iter().position(|byte| *byte == b'\'')?;
        return Some(at + 3 + close + 1);
    }
    let text = std::str::from_utf8(&bytes[at + 1..bytes.len().min(at + 5)]);
    let valid = text.map_or_else(|error| error.valid_up_to(), str::len);
    let first = std::str::from_utf8(&bytes[at + 1..at + 1 + valid]).ok()?.chars().next()?;
    let close = at + 1 + first.len_utf8();
    (bytes.get(close) == Some(&b'\'')).then_some(close + 1)
}

/// The end of a raw string whose prefix ends at `at`; none when it is an identifier after all.
fn raw_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + hashes) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let start = at + hashes + 1;
    let length = bytes[start..].windows(close.len()).position(|window| window == close)?;
    Some(start + length + close.len())
}

fn blank(bytes: &mut [u8], start: usize, end: usize) {
    for byte in bytes.iter_mut().take(end).skip(start).filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// Code (as [`code`] leaves it) with its `#[cfg(test)]` items blanked.
pub(super) fn without_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(test)]") {
        let start = from + found;
        let end = item_end(code.as_bytes(), start);
        blank(&mut out, start, end);
        from = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The end of the item that begins at `at`: its semicolon, or the brace that closes its body.
fn item_end(code: &[u8], at: usize) -> usize {
    let length =
        code[at..].iter().position(|byte| matches!(byte, b'{' | b';')).unwrap_or(code.len() - at - 1);
    if code[at + length] == b'{' { block_end(code, at + length) } else { at + length + 1 }
}

/// The end of the block whose brace opens at `open`.
pub(super) fn block_end(code: &[u8], open: usize) -> usize {
    let mut depth = 0_u32;
    for (offset, byte) in code[open..].iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return open + offset + 1;
        }
    }
    code.len()
}

/// The number of the line, from 1, that holds the byte at `at`.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The offsets at which `word` stands in `code` on its own, not as a part of a longer identifier.
pub(super) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let edge = |byte: Option<&u8>| !byte.is_some_and(|byte| is_word(*byte));
    let bytes = code.as_bytes();
    let (first, last) = (word.as_bytes()[0], word.as_bytes()[word.len() - 1]);
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        (!is_word(first) || edge(at.checked_sub(1).and_then(|before| bytes.get(before))))
            && (!is_word(last) || edge(bytes.get(at + word.len())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_in_place() {
        let cases = [
            ("a // b\nc", "a c"),
            ("a /* /* b */ */ c", "a c"),
            ("f(\"x { \\\" }\") + 1", "f(\" \") + 1"),
            ("r#\"a\"b\"# + r", "+ r"),
            ("'{' 'a 'b' '\\'' '\\u{7f}' 'é' x", "' ' 'a ' ' ' ' ' ' ' ' x"),
            ("/// é\nfn f<'a>() {}", "fn f<'a>() {}"),
        ];
        for (source, expected) in cases {
            let code = code(source);
            assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{source}");
            assert_eq!(code.len(), source.len(), "{source}");
            assert_eq!(code.lines().count(), source.lines().count(), "{source}");
        }
    }

    #[test]
    fn test_items_are_no_product_code() {
        let source =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { c() }\n}\n#[cfg(test)]\nmod t;\nfn d() {}\n";
        let product = without_tests(source);
        assert!(product.contains("fn a()") && product.contains("fn d()"));
        assert!(!product.contains("fn b()") && !product.contains("mod t"));
        assert_eq!(product.lines().count(), source.lines().count());
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(words("tokio tokio_x xtokio a::tokio::b", "tokio").count(), 2);
        assert_eq!(words("x.await; async fn f", ".await").count(), 1);
    }
}
