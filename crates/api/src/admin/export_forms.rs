//! How the rows of exports are written: as comma-separated values, and as lines of JSON.

use std::borrow::Cow;

use buffa::Enumeration;
use guanxi_model::User;
use guanxi_model::post::Body;
use guanxi_ports::search::{PostColumn, Row, RowColumn, UserColumn};
use serde::Serialize;
use time::OffsetDateTime;

use super::rows::{post_row, user_row};
/// The characters at the beginning of a cell that make a spreadsheet take it for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The names of columns of users, and of those that are texts.
const USER_COLUMNS: (&str, &str) = (
    "uid,state,sex,birth_year,registered,last_login,followers,following,friends,posts",
    ",login_name,nickname",
);

/// The names of columns of posts.
const POST_COLUMNS: (&str, &str) =
    ("post_id,author,state,form,visibility,created,likes,replies,reposts", ",text");

/// The first line of a file of users.
pub(super) fn user_head(with_texts: bool) -> Vec<u8> {
    head(USER_COLUMNS, with_texts)
}

/// The first line of a file of posts.
pub(super) fn post_head(with_texts: bool) -> Vec<u8> {
    head(POST_COLUMNS, with_texts)
}

fn head((numbers, texts): (&str, &str), with_texts: bool) -> Vec<u8> {
    let texts = if with_texts { texts } else { "" };
    format!("{numbers}{texts}\r\n").into_bytes()
}

/// A line of a user.
pub(super) fn user_line(uid: u64, row: &Row<UserColumn>, user: Option<User>, out: &mut Vec<u8>, texts: bool) {
    let sex = match row.get(UserColumn::Sex) {
        Some(1) => "female",
        Some(2) => "male",
        Some(3) => "other",
        _ => "",
    };
    let state = name_of(user_row(uid, row, None).state.as_known(), "USER_");
    let mut cells = vec![Cow::from(uid.to_string()), state, sex.into()];
    cells.push(number(row, UserColumn::BirthYear));
    cells.extend([UserColumn::Registered, UserColumn::LastLogin].map(|column| moment(row, column)));
    cells.extend(
        [UserColumn::Followers, UserColumn::Following, UserColumn::Friends, UserColumn::Posts]
            .map(|it| number(row, it)),
    );
    let texts = texts.then(|| {
        let login = user.as_ref().and_then(|user| user.login_name.as_ref()).map(ToString::to_string);
        [login.unwrap_or_default(), user.map(|user| user.profile.nickname).unwrap_or_default()]
    });
    write_line(out, &cells, texts.iter().flatten());
}

/// A line of a post.
pub(super) fn post_line(id: u64, row: &Row<PostColumn>, body: Option<Body>, out: &mut Vec<u8>, texts: bool) {
    let shown = post_row(id, row, None);
    let mut cells = vec![Cow::from(id.to_string()), number(row, PostColumn::Author)];
    cells.push(name_of(shown.state.as_known(), "POST_"));
    cells.push(name_of(shown.form.as_known(), "POST_"));
    cells.push(name_of(shown.visibility.as_known(), ""));
    cells.push(moment(row, PostColumn::Created));
    cells.extend([PostColumn::Likes, PostColumn::Replies, PostColumn::Reposts].map(|it| number(row, it)));
    let text = texts.then(|| body.map(|body| body.text).unwrap_or_default());
    write_line(out, &cells, text.iter());
}

/// A message as a line of JSON.
pub(super) fn json_line(message: &impl Serialize, out: &mut Vec<u8>) {
    // A message is written to memory, where nothing fails.
    if serde_json::to_writer(&mut *out, message).is_ok() {
        out.push(b'\n');
    }
}

fn write_line<'a>(out: &mut Vec<u8>, cells: &[Cow<'_, str>], texts: impl Iterator<Item = &'a String>) {
    let mut is_first = true;
    for cell in cells.iter().map(|cell| Cow::Borrowed(&**cell)).chain(texts.map(|text| safe(text))) {
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        out.extend(quoted(&cell).as_bytes());
    }
    out.extend(b"\r\n");
}

/// A text that no spreadsheet takes for a formula.
fn safe(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) { format!("'{text}").into() } else { text.into() }
}

/// A cell in quotes, if it needs them.
fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\"")).into()
    } else {
        cell.into()
    }
}

fn number<C: RowColumn>(row: &Row<C>, column: C) -> Cow<'static, str> {
    row.get(column).map(|number| number.to_string()).unwrap_or_default().into()
}

/// A time, to the second, as in RFC 3339; nothing of one that no calendar has.
fn moment<C: RowColumn>(row: &Row<C>, column: C) -> Cow<'static, str> {
    let seconds = row.get(column).and_then(|ms| i64::try_from(ms / 1_000).ok());
    let at = seconds.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    let shown = at.map(|at| {
        let (hour, minute, second) = at.to_hms();
        let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    });
    shown.unwrap_or_default().into()
}

/// The name of a value as a command line has it.
fn name_of(value: Option<impl Enumeration>, prefix: &str) -> Cow<'static, str> {
    let name = value.map(|value| value.proto_name()).unwrap_or_default();
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_are_no_formulas() {
        let mut out = Vec::new();
        let texts = ["a,b", "say \"no\"", "two\nlines", "=1+1", "@x", "-1", "+1", "\tx", "plain", ""];
        let texts = texts.map(str::to_owned);
        write_line(&mut out, &["7".into()], texts.iter());
        let line = String::from_utf8(out).unwrap();
        assert_eq!(line, "7,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",'=1+1,'@x,'-1,'+1,'\tx,plain,\r\n");
    }

    #[test]
    fn a_line_has_as_many_cells_as_its_head() {
        let users: Row<UserColumn> =
            [(UserColumn::Registered, Some(1_714_521_600_999))].into_iter().collect();
        let mut out = user_head(true);
        user_line(7, &users, None, &mut out, true);
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "7,active,,,2024-05-01T00:00:00Z,,,,,,,");
        assert_eq!(lines[0].matches(',').count(), lines[1].matches(',').count());
        let posts: Row<PostColumn> = [(PostColumn::Likes, Some(4))].into_iter().collect();
        for texts in [true, false] {
            let mut out = post_head(texts);
            post_line(9, &posts, None, &mut out, texts);
            let text = String::from_utf8(out).unwrap();
            let commas: Vec<usize> = text.lines().map(|line| line.matches(',').count()).collect();
            assert_eq!(commas, [if texts { 9 } else { 8 }; 2], "{text}");
            assert!(text.lines().next_back().unwrap().starts_with("9,,live,plain,public,,4,,"), "{text}");
        }
    }
}
