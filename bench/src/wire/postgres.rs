//! The calls on PostgreSQL: the single table of seed 000, prepared statements, the binary form.
//!
//! A connection is a handful of messages of the frontend/backend protocol 3.0, so they are written here by hand: a
//! client crate would bring tasks and channels into the measurement that the other systems' clients do not have.
//!
//! A follow makes two rows, one seen from each side, with the status of seed 000 read as bits: 1 followed by,
//! 2 following, 3 both. Removal is logical, as the seed has it: status 0.

use super::{Part, Protocol, Request, WireError, first};
use crate::calls::{Answer, Call, UserCall};
use crate::people::PeopleCall;
use crate::search::{SearchCall, tsquery};

/// What is prepared on every connection: name and text.
pub(crate) const STATEMENTS: [(&str, &str); 6] = [
    // Both rows in one statement, the smaller subject first so that two writers never wait for each other in a circle.
    (
        "follow",
        "INSERT INTO followers AS f (subject, object, status, ts) VALUES ($1, $2, $3, $5), ($2, $1, $4, $5) \
         ON CONFLICT (subject, object) DO UPDATE SET status = f.status | excluded.status, \
         ts = CASE WHEN f.status = 0 THEN excluded.ts ELSE f.ts END \
         WHERE (f.status & excluded.status) = 0 RETURNING f.subject, f.status",
    ),
    (
        "unfollow",
        "UPDATE followers AS f SET status = f.status - v.bit \
         FROM (VALUES ($1::bigint, $2::bigint, $3::smallint), ($2, $1, $4::smallint)) AS v (subject, object, bit) \
         WHERE f.subject = v.subject AND f.object = v.object AND (f.status & v.bit) <> 0 \
         RETURNING f.subject, f.status",
    ),
    // Each status is read in index order up to the limit, never sorted as a whole. The relations are probed one by
    // one: as a join, the planner reads all rows of the viewer, which took twice as long in the mean.
    (
        "following",
        "SELECT object, coalesce((SELECT r.status FROM followers AS r WHERE r.subject = $2 AND r.object = \
         page.object), 0::smallint) FROM (\
         (SELECT object, ts, id FROM followers WHERE subject = $1 AND status = 2 \
         ORDER BY ts DESC, id DESC LIMIT 20) UNION ALL \
         (SELECT object, ts, id FROM followers WHERE subject = $1 AND status = 3 \
         ORDER BY ts DESC, id DESC LIMIT 20) ORDER BY ts DESC, id DESC LIMIT 20) AS page",
    ),
    (
        "followers",
        "SELECT object, 0::smallint FROM (\
         (SELECT object, ts, id FROM followers WHERE subject = $1 AND status = 1 \
         ORDER BY ts DESC, id DESC LIMIT 20) UNION ALL \
         (SELECT object, ts, id FROM followers WHERE subject = $1 AND status = 3 \
         ORDER BY ts DESC, id DESC LIMIT 20)) AS both_kinds ORDER BY ts DESC, id DESC LIMIT 20",
    ),
    ("check", "SELECT object, status FROM followers WHERE subject = $1 AND object = ANY ($2)"),
    // Probed from the viewer's side, which is bounded; as a join, the planner reads all followers of the target.
    (
        "known",
        "SELECT a.object, count(*) OVER () FROM followers AS a WHERE a.subject = $1 AND a.status IN (2, 3) \
         AND (SELECT b.status FROM followers AS b WHERE b.subject = $2 AND b.object = a.object) IN (1, 3) \
         ORDER BY a.ts DESC, a.id DESC LIMIT 20",
    ),
];

/// The time of a benchmark's own follows, in Unix seconds: after all of the graph's.
const NOW_S: u64 = 1_790_000_000;
/// The object id of `bigint`, in arrays.
const INT8_OID: i32 = 20;
/// The same of `text`.
const TEXT_OID: i32 = 25;
/// The uid of the first account that is there.
pub(crate) const FIRST_UID: u64 = 1;

/// The protocol of a PostgreSQL, with the name and text of what is prepared on every connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Postgres(pub(crate) &'static [(&'static str, &'static str)]);

impl Protocol for Postgres {
    fn handshake(&self) -> Vec<Request> {
        let mut prepare = Vec::new();
        for (name, text) in self.0 {
            message(&mut prepare, b'P', |body| {
                string(body, name);
                string(body, text);
                body.extend_from_slice(&0_i16.to_be_bytes());
            });
        }
        message(&mut prepare, b'S', |_| ());
        vec![Request::one(startup("postgres", "postgres")), Request::one(prepare)]
    }

    fn request(&self, call: &Call) -> Request {
        Request::one(match call {
            Call::Follow { a, b } => {
                let mut parameters = pair(*a, *b);
                parameters.push(int8(NOW_S));
                execute("follow", &parameters)
            }
            Call::Unfollow { a, b } => execute("unfollow", &pair(*a, *b)),
            Call::Following { uid, viewer } => execute("following", &[int8(*uid), int8(*viewer)]),
            Call::Followers { uid } => execute("followers", &[int8(*uid)]),
            Call::Check { subject, objects } => execute("check", &[int8(*subject), int8_array(objects)]),
            Call::Known { viewer, target } => execute("known", &[int8(*viewer), int8(*target)]),
            Call::Home { uid, .. } => execute("home", &[int8(*uid)]),
            Call::User(call) => user_call(*call),
            Call::People(call) => execute(call.name(), &people_parameters(*call)),
            Call::Search(call) => search_call(call),
        })
    }

    /// A reply ends with ReadyForQuery.
    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        let mut at = 0;
        while let Some((kind, body, next)) = backend_message(bytes, at)? {
            match kind {
                b'E' => return Err(error_text(body)),
                b'Z' => return Ok(Some(next)),
                _ => at = next,
            }
        }
        Ok(None)
    }

    fn decode(&self, call: &Call, steps: &[Vec<u8>]) -> Result<Answer, WireError> {
        let reply = first(steps)?;
        let rows = || numbers::<2>(reply);
        Ok(match call {
            Call::Follow { a, .. } | Call::Unfollow { a, .. } => {
                let rows = rows()?;
                Answer::Write { changed: rows.len() == 2, state: state(&rows, *a) }
            }
            Call::Following { .. } | Call::Followers { .. } => {
                Answer::Page(rows()?.into_iter().map(|[uid, status]| (uid, status as u8)).collect())
            }
            Call::Check { objects, .. } => {
                let rows = rows()?;
                Answer::Relations(objects.iter().map(|object| state(&rows, *object)).collect())
            }
            Call::User(call) => user_answer(*call, &numbers::<1>(reply)?)?,
            Call::People(PeopleCall::FriendsOfFriends { .. }) => {
                Answer::Counted(rows()?.into_iter().map(|[uid, count]| (uid, count as u32)).collect())
            }
            // An id, an author and a text.
            Call::Search(_) => Answer::Ids(numbers::<3>(reply)?.into_iter().map(|[id, _, _]| id).collect()),
            Call::Home { .. } | Call::People(_) => {
                Answer::Ids(numbers::<1>(reply)?.into_iter().flatten().collect())
            }
            Call::Known { .. } => {
                let rows = rows()?;
                let count = rows.first().map_or(0, |[_, count]| *count as usize);
                Answer::Known { count, first: rows.into_iter().map(|[uid, _]| uid).collect() }
            }
        })
    }
}

fn people_parameters(call: PeopleCall) -> Vec<Vec<u8>> {
    match call {
        PeopleCall::FriendsOfFriends { viewer }
        | PeopleCall::Suggestions { viewer }
        | PeopleCall::ByAffinity { viewer } => vec![int8(viewer)],
        PeopleCall::Group { viewer, group } => vec![int8(viewer), int8(group.into())],
    }
}

fn search_call(call: &SearchCall) -> Vec<u8> {
    let statement = call.kind.statement().unwrap_or_default();
    if call.kind.is_of_posts() {
        // What is no query is refused by guanxi, with which answers are compared first.
        let query = tsquery(&call.query).unwrap_or_default();
        execute(statement, &[text(&query), int8(call.viewer)])
    } else {
        execute(statement, &[text(&call.query)])
    }
}

fn user_call(call: UserCall) -> Vec<u8> {
    let (statement, parameter) = match call {
        UserCall::Register(n) => ("register", UserCall::name_of(n).into_bytes()),
        UserCall::ByUid(n) => ("by_uid", int8(FIRST_UID + n)),
        UserCall::ByName(n) => ("by_name", UserCall::name_of(n).into_bytes()),
        UserCall::ByPhone(n) => ("by_phone", UserCall::phone_of(n).into_bytes()),
        UserCall::ByEmail(n) => ("by_email", UserCall::email_of(n).into_bytes()),
        UserCall::LogIn(n) => ("log_in", UserCall::name_of(n).into_bytes()),
        UserCall::Resolve { first, create } => {
            let ids = UserCall::external_ids_from(first);
            (if create { "make_uids" } else { "resolve" }, text_array(&ids))
        }
    };
    execute(statement, &[parameter])
}

fn user_answer(call: UserCall, rows: &[[u64; 1]]) -> Result<Answer, WireError> {
    match (call, rows) {
        (UserCall::ByUid(_) | UserCall::ByName(_) | UserCall::ByPhone(_) | UserCall::ByEmail(_), [[n]]) => {
            Ok(Answer::User(*n))
        }
        (UserCall::Register(_) | UserCall::LogIn(_), [[_uid]]) => Ok(Answer::Done),
        (UserCall::Resolve { .. }, rows) => Ok(Answer::Resolved(rows.len())),
        (_, rows) => Err(format!("{call:?} answered {rows:?}")),
    }
}

/// The status of the row of a user, as far as there is one.
fn state(rows: &[[u64; 2]], of: u64) -> u8 {
    rows.iter().find(|[uid, _]| *uid == of).map_or(0, |[_, status]| *status as u8)
}

/// The message that begins a connection without a password.
fn startup(user: &str, database: &str) -> Vec<u8> {
    let mut body = 196_608_i32.to_be_bytes().to_vec();
    for word in ["user", user, "database", database] {
        string(&mut body, word);
    }
    body.push(0);
    [&(body.len() as i32 + 4).to_be_bytes(), body.as_slice()].concat()
}

/// A statement whose speed is not measured.
pub(crate) fn simple_query(text: &str) -> Request {
    let mut out = Vec::new();
    message(&mut out, b'Q', |body| string(body, text));
    Request::one(out)
}

/// The first column of each row of its reply.
///
/// # Errors
/// When the reply is not well formed.
pub(crate) fn first_column(reply: &[u8]) -> Result<Vec<String>, WireError> {
    let value = |row: &Vec<Option<&[u8]>>| {
        String::from_utf8_lossy(row.first().copied().flatten().unwrap_or_default()).into_owned()
    };
    Ok(rows(reply)?.iter().map(value).collect())
}

/// The subject and object in order, with the bit that each of the two rows gains or loses.
fn pair(a: u64, b: u64) -> Vec<Vec<u8>> {
    let (bit_ab, bit_ba) = (int2(2), int2(1));
    if a < b { vec![int8(a), int8(b), bit_ab, bit_ba] } else { vec![int8(b), int8(a), bit_ba, bit_ab] }
}

fn message(out: &mut Vec<u8>, kind: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    fill(out);
    let len = (out.len() - start) as i32;
    out[start..start + 4].copy_from_slice(&len.to_be_bytes());
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Bind, Execute and Sync in one write; parameters and results in binary.
pub(crate) fn execute(statement: &str, parameters: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    message(&mut out, b'B', |body| {
        string(body, "");
        string(body, statement);
        for number in [1_i16, 1, parameters.len() as i16] {
            body.extend_from_slice(&number.to_be_bytes());
        }
        for parameter in parameters {
            body.extend_from_slice(&(parameter.len() as i32).to_be_bytes());
            body.extend_from_slice(parameter);
        }
        for number in [1_i16, 1] {
            body.extend_from_slice(&number.to_be_bytes());
        }
    });
    message(&mut out, b'E', |body| {
        string(body, "");
        body.extend_from_slice(&0_i32.to_be_bytes());
    });
    message(&mut out, b'S', |_| ());
    out
}

/// A `bigint`.
pub(crate) fn int8(value: u64) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

/// A `text`.
pub(crate) fn text(value: &str) -> Vec<u8> {
    value.as_bytes().to_vec()
}

fn int2(value: i16) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

/// An array of `bigint`.
pub(crate) fn int8_array(values: &[u64]) -> Vec<u8> {
    array(INT8_OID, values, |value| int8(*value))
}

fn text_array(values: &[String]) -> Vec<u8> {
    array(TEXT_OID, values, |value| value.as_bytes().to_vec())
}

/// An array of one dimension, in binary.
fn array<T>(oid: i32, values: &[T], bytes: impl Fn(&T) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(20 + values.len() * 12);
    for number in [1, 0, oid, values.len() as i32, 1] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    for value in values.iter().map(bytes) {
        out.extend_from_slice(&(value.len() as i32).to_be_bytes());
        out.extend_from_slice(&value);
    }
    out
}

/// Kind and body of the message at `at`, and where the next begins; `None` when it is not complete yet.
fn backend_message(bytes: &[u8], at: usize) -> Result<Option<Part<'_>>, WireError> {
    let Some(&[kind, a, b, c, d]) = bytes.get(at..at + 5) else { return Ok(None) };
    let len = u32::from_be_bytes([a, b, c, d]) as usize;
    if len < 4 {
        return Err("not a PostgreSQL message".to_owned());
    }
    let end = at + 1 + len;
    Ok(bytes.get(at + 5..end).map(|body| (kind, body, end)))
}

/// The rows of a reply.
fn rows(reply: &[u8]) -> Result<Vec<Vec<Option<&[u8]>>>, WireError> {
    let (mut rows, mut at) = (Vec::new(), 0);
    while let Some((kind, body, next)) = backend_message(reply, at)? {
        if kind == b'D' {
            rows.push(columns(body)?);
        }
        at = next;
    }
    Ok(rows)
}

/// The rows of a binary reply, each of so many numbers.
pub(crate) fn numbers<const N: usize>(reply: &[u8]) -> Result<Vec<[u64; N]>, WireError> {
    let numbers = |row: &Vec<Option<&[u8]>>| {
        let values: Option<Vec<u64>> = row.iter().map(|value| value.map(big_endian)).collect();
        values.and_then(|values| values.try_into().ok()).ok_or_else(|| format!("not {N} numbers: {row:?}"))
    };
    rows(reply)?.iter().map(numbers).collect()
}

fn columns(body: &[u8]) -> Result<Vec<Option<&[u8]>>, WireError> {
    let short = || "a row is too short".to_owned();
    let (count, mut rest) = body.split_first_chunk::<2>().ok_or_else(short)?;
    let mut values = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (len, after) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let len = i32::from_be_bytes(*len);
        // A negative length is NULL.
        let (value, after) = after.split_at_checked(len.max(0) as usize).ok_or_else(short)?;
        values.push((len >= 0).then_some(value));
        rest = after;
    }
    Ok(values)
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The message of an ErrorResponse: the field of kind M.
fn error_text(body: &[u8]) -> String {
    let mut fields = body.split(|&byte| byte == 0);
    let text = fields.find_map(|field| field.strip_prefix(b"M")).unwrap_or(body);
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(rows: &[(u64, i16)]) -> Vec<u8> {
        let mut out = Vec::new();
        message(&mut out, b'2', |_| ());
        for (uid, status) in rows {
            message(&mut out, b'D', |body| {
                body.extend_from_slice(&2_i16.to_be_bytes());
                body.extend_from_slice(&8_i32.to_be_bytes());
                body.extend_from_slice(&uid.to_be_bytes());
                body.extend_from_slice(&2_i32.to_be_bytes());
                body.extend_from_slice(&status.to_be_bytes());
            });
        }
        message(&mut out, b'Z', |body| body.push(b'I'));
        out
    }

    #[test]
    fn a_reply_is_complete_at_its_last_byte_and_not_before() {
        let reply = reply(&[(5, 3)]);
        for end in 0..reply.len() {
            assert_eq!(Postgres(&STATEMENTS).reply_len(&reply[..end]), Ok(None), "{end}");
        }
        assert_eq!(Postgres(&STATEMENTS).reply_len(&[&reply[..], b"2"].concat()), Ok(Some(reply.len())));
    }

    #[test]
    fn relations_come_in_the_order_of_the_objects() {
        let call = Call::Check { subject: 1, objects: vec![9, 5, 7] };
        let answer = Postgres(&STATEMENTS).decode(&call, &[reply(&[(5, 3), (9, 1)])]).unwrap();
        assert_eq!(answer, Answer::Relations(vec![1, 3, 0]));
    }

    #[test]
    fn the_smaller_subject_comes_first_with_its_own_bit() {
        assert_eq!(pair(1, 2), [int8(1), int8(2), int2(2), int2(1)]);
        assert_eq!(pair(2, 1), [int8(1), int8(2), int2(1), int2(2)]);
    }

    #[test]
    fn an_error_is_found_and_says_why() {
        let mut bytes = Vec::new();
        message(&mut bytes, b'E', |body| body.extend_from_slice(b"SERROR\0Mno such table\0\0"));
        message(&mut bytes, b'Z', |body| body.push(b'I'));
        assert_eq!(Postgres(&STATEMENTS).reply_len(&bytes), Err("no such table".to_owned()));
        let empty = reply(&[]);
        assert_eq!(Postgres(&STATEMENTS).reply_len(&empty), Ok(Some(empty.len())));
    }
}
