//! The length of functions: a screen, with a ratchet for the few that are longer.

use super::lex;
use super::tree::{File, Tree};

/// Lines of a function that fits a screen.
const LINES_MAX: usize = 70;

/// Lines that no function has.
const LINES_HARD_MAX: usize = 100;

/// How many functions lie between the two. Lower it when one is mended; never raise it.
const LONG_FUNCTIONS_MAX: usize = 0;

/// One function's name, place and length in lines.
pub(super) struct Function<'a> {
    path: &'a str,
    name: &'a str,
    line: usize,
    pub(super) lines: usize,
}

/// Measures every function that a person wrote.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    complain(tree.sources().flat_map(functions).collect(), LONG_FUNCTIONS_MAX)
}

fn complain(functions: Vec<Function<'_>>, long_max: usize) -> Vec<String> {
    let long: Vec<Function<'_>> =
        functions.into_iter().filter(|function| function.lines > LINES_MAX).collect();
    let tolerated = long.len() <= long_max;
    long.into_iter()
        .filter(|function| function.lines > LINES_HARD_MAX || !tolerated)
        .map(|Function { path, name, line, lines }| {
            format!(
                "{path}:{line}: `{name}` has {lines} lines, the limit is {LINES_MAX}: give its parts names"
            )
        })
        .collect()
}

/// The functions of a file that have a body.
pub(super) fn functions(file: &File) -> Vec<Function<'_>> {
    let code = &file.code;
    let mut found = Vec::new();
    for at in lex::words(code, "fn ") {
        let rest = &code[at + 3..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let Some(open) = body(code.as_bytes(), at) else { continue };
        if length == 0 {
            continue;
        }
        let (first, last) =
            (lex::line_of(code, at), lex::line_of(code, lex::block_end(code.as_bytes(), open)));
        found.push(Function {
            path: &file.path,
            name: &rest[..length],
            line: first,
            lines: last - first + 1,
        });
    }
    found
}

/// Where the body of the function at `at` opens; none for a declaration.
fn body(code: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, byte) in code[at..].iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(at + offset),
            b';' if depth == 0 => return None,
            _ if depth < 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: usize) -> File {
        let body = "    g();\n".repeat(lines - 2);
        File::new(
            "crates/x/src/a.rs",
            &format!("trait T {{ fn declared(a: [u8; 4]); }}\nfn f(a: [u8; 4]) {{\n{body}}}\n"),
        )
    }

    #[test]
    fn lengths_are_counted_from_the_signature_to_the_closing_brace() {
        let file = file(12);
        let found = functions(&file);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name, found[0].line, found[0].lines), ("f", 2, 12));
    }

    #[test]
    fn the_ratchet_tolerates_what_is_there_but_nothing_beyond_the_hard_limit() {
        let complaints = |lines, long_max| complain(functions(&file(lines)), long_max).len();
        assert_eq!(complaints(LINES_MAX, 0), 0);
        assert_eq!(complaints(LINES_MAX + 1, 0), 1);
        assert_eq!(complaints(LINES_MAX + 1, 1), 0);
        assert_eq!(complaints(LINES_HARD_MAX + 1, 1), 1);
    }
}
