//! Fuzz targets of lists that are imported.

use super::batches::Batches;
use super::form::{Form, Ids, TableForm, Wish, decide_objects, decide_table};
use super::named::{Named, WrittenIds};
use super::row::Row;
use super::time::Seen;
use super::{like, post};
use guanxi_fuzz::{came_to, fuzz};
use guanxi_model::post::{ImportLike, ImportPost};
use guanxi_model::user::ImportUser;
use guanxi_model::{Edge, ImportEdge, ImportRequest, PostId};
use guanxi_ports::ExportLike;
use std::fmt::Debug;

/// How long the words are that tell of a refused line: they show a part of it alone.
const TOLD_MAX: usize = 512;

/// Returns a hash of the result of a line. A row is compared with what is read after `write`, where there is one.
fn parsed<R: Row + Debug + PartialEq>(line: &[u8], write: impl Fn(&R) -> Option<Vec<u8>>) -> u64 {
    let separator = [b';', b'\t', b','].into_iter().find(|byte| line.contains(byte)).unwrap_or(b' ');
    let form = |separator| Form { table: TableForm { separator, ..TableForm::default() }, ..Form::default() };
    match R::parse(line, &form(separator), &mut Seen::default()) {
        Ok(row) => {
            if let Some(written) = write(&row) {
                let text = written.strip_suffix(b"\n").expect("a row is a line");
                let read = R::parse(text, &form(b','), &mut Seen::default());
                assert_eq!(read.as_ref(), Ok(&row), "{}", text.escape_ascii());
            }
            let shape: String =
                format!("{row:?}").chars().filter(|c| !c.is_ascii_digit()).take(120).collect();
            came_to((0, shape))
        }
        Err(refusal) => {
            assert!(refusal.detail.len() <= TOLD_MAX + line.len() * 4, "{}", refusal.detail);
            came_to((
                2,
                refusal.reason,
                refusal.detail.chars().filter(|c| !c.is_ascii_digit()).take(30).collect::<String>(),
            ))
        }
    }
}

fn edge_line(edge: &ImportEdge) -> Vec<u8> {
    let time = edge.at.map(|at| format!(",{}.{:03}", at.ms() / 1_000, at.ms() % 1_000));
    format!("{},{}{}\n", edge.subject, edge.object, time.unwrap_or_default()).into_bytes()
}

fn post_line(row: &ImportPost) -> Vec<u8> {
    let mut line = Vec::new();
    post::write(row, &WrittenIds::default(), &mut line).expect("there is room");
    line
}

fn like_line(row: &ImportLike) -> Option<Vec<u8>> {
    let like = Edge { at: row.at?, uid: row.uid };
    let exported = ExportLike { id: PostId::MIN, like, author: row.author, key: row.key.clone() };
    let mut written = Vec::new();
    like::write(&exported, &WrittenIds::default(), &mut written).expect("there is room");
    Some(written)
}

/// Lines of a whole list: each is counted once, and is a row, refused, or nothing.
fn list<R: Row>(bytes: &[u8], form: Result<Form, String>) -> u64 {
    let form = match form {
        Ok(form) => form,
        Err(why) => {
            assert!(why.len() <= TOLD_MAX * 2 && why.lines().count() == 1, "{why}");
            return came_to((3, why.chars().filter(|c| !c.is_ascii_digit()).take(30).collect::<String>()));
        }
    };
    let end = form.line_end;
    let batches = Batches::<R, _>::new(bytes, form);
    let (mut lines, mut rows, mut refused) = (0, 0, 0);
    for batch in batches {
        let batch = batch.expect("bytes are read");
        assert_eq!(batch.from.lines, lines);
        assert_eq!(batch.rows.len(), batch.row_lines.len());
        assert!(batch.row_lines.iter().all(|line| (batch.from.lines + 1..=batch.to.lines).contains(line)));
        (lines, rows, refused) = (batch.to.lines, rows + batch.rows.len(), refused + batch.refused.len());
    }
    let breaks = bytes.split(|byte| *byte == end).count();
    assert!((lines as usize) <= breaks && rows + refused <= lines as usize);
    came_to((rows.min(4), refused.min(4), lines.min(6)))
}

fn table(bytes: &[u8], ids: Ids) -> Result<Form, String> {
    let wish = Wish { kind: "edges", ids, ..Wish::default() };
    decide_table(bytes, true, &wish).map(|decided| decided.form)
}

fn objects(bytes: &[u8], kind: &str) -> Result<Form, String> {
    decide_objects(bytes, true, kind, Ids::Uid).map(|decided| decided.form)
}

#[test]
fn lines_are_refused_or_rows_that_are_written_as_lines_of_the_same() {
    let seeds: [&[u8]; 10] = [
        b"01,2,1700000000.5",
        b"0\"1\";\"2\";\"2024-05-01 12:30:00+08:00\"",
        br#"1{"author":1,"key":"a","time":1700000000000,"text":"\u4f60","visibility":"FRIENDS","attachments":[{"kind":"IMAGE","reference":"r"}]}"#,
        br#"1{"author":"1","key":"b","time":"2024-05-01T12:30:00Z","reply_to":{"author":2,"key":"c"},"deleted":true,"post_id":"100"}"#,
        br#"2{"user":"3","author":7,"key":"a\tb","time":1700000000123}"#,
        b"3source,target\n1,2\n\n# x\n2,1,9\n",
        b"4{}\n{\"user\":1,\"author\":2,\"key\":\"c\"}\r\n",
        b"6follower,followee\ra b,\"c\"\r\"d,e\",f\r",
        br#"7{"uid":"9","login_name":"ann","nickname":"Ann","phone":"+4930123456","mail":"a@b.example","status":"ACTIVE"}"#,
        br#"8{"sender":"1","receiver":"2","kind":"FRIEND","message":"hello"}"#,
    ];
    fuzz("lines", &seeds, |bytes| {
        let Some((first, rest)) = bytes.split_first() else { return 0 };
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let kind = first.wrapping_sub(b'0') % 9;
        let told = match kind {
            0 => parsed(line, |row| Some(edge_line(row))),
            1 => parsed(line, |row| Some(post_line(row))),
            2 => parsed(line, like_line),
            3 => list::<ImportEdge>(rest, table(rest, Ids::Uid)),
            4 => list::<ImportLike>(rest, objects(rest, "likes")),
            5 => list::<ImportPost>(rest, objects(rest, "posts")),
            6 => list::<Named<ImportEdge>>(rest, table(rest, Ids::String)),
            7 => list::<ImportUser>(rest, objects(rest, "users")),
            _ => list::<ImportRequest>(rest, objects(rest, "requests")),
        };
        came_to((kind, told))
    });
}
