//! The calls on Redis: sorted sets by time, or hashes; and for homes sorted sets, or lists.
//!
//! `following:{uid}` and `followers:{uid}` hold the other users, scored by the time of the follow. A follow is one
//! MULTI: both sets change together, and the other direction is read to answer the relation. `inbox:{uid}` holds the ids
//! of a home, and answers what is stored: no rule runs, deleted posts and muted authors included.

use super::resp::{self, Reply, command, ids, last};
use super::{Protocol, Request, WireError, first};
use crate::calls::{Answer, Call, PAGE};

/// Which structure holds the edges or the inboxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Sorted sets: lists in order, relations, intersections.
    SortedSets,
    /// Hashes: relations only, but less memory.
    Hashes,
    /// Lists: inboxes only, newest first.
    Lists,
}

/// The protocol of a Redis that holds everything in one layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Redis(pub(crate) Layout);

/// The key of whom a user follows.
pub(crate) fn following_key(uid: u64) -> Vec<u8> {
    format!("following:{uid}").into_bytes()
}

/// The key of who follows a user.
pub(crate) fn followers_key(uid: u64) -> Vec<u8> {
    format!("followers:{uid}").into_bytes()
}

/// The key of a reader's inbox.
pub(crate) fn inbox_key(uid: u64) -> Vec<u8> {
    format!("inbox:{uid}").into_bytes()
}

/// The time of a benchmark's own follows, in Unix seconds: after all of the graph's.
const NOW_S: &[u8] = b"1790000000";

impl Protocol for Redis {
    fn request(&self, call: &Call) -> Request {
        let mut request = Request::default();
        match call {
            Call::Follow { a, b } => self.follow(&mut request, *a, *b),
            Call::Unfollow { a, b } => self.unfollow(&mut request, *a, *b),
            Call::Following { uid, .. } => first_page(&mut request, &following_key(*uid)),
            Call::Followers { uid } => first_page(&mut request, &followers_key(*uid)),
            Call::Check { subject, objects } => self.check_both(&mut request, *subject, objects.iter()),
            Call::Home { uid, .. } if self.0 == Layout::Lists => {
                command(&mut request, &[b"LRANGE", &inbox_key(*uid), b"0", b"19"]);
            }
            Call::Home { uid, .. } => first_page(&mut request, &inbox_key(*uid)),
            // No workload asks it of these.
            Call::User(_) | Call::People(_) | Call::Search(_) => {}
            Call::Known { viewer, target } => {
                let (following, followers) = (following_key(*viewer), followers_key(*target));
                command(&mut request, &[b"ZINTER", b"2", &following, &followers, b"WEIGHTS", b"1", b"0"]);
            }
        }
        request
    }

    fn follow_up(&self, call: &Call, replies: &[u8]) -> Result<Option<Request>, WireError> {
        let Call::Following { viewer, .. } = call else { return Ok(None) };
        let items = ids(&last(replies)?)?;
        if items.is_empty() {
            return Ok(None);
        }
        let mut request = Request::default();
        self.check_both(&mut request, *viewer, items.iter());
        Ok(Some(request))
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        resp::reply_len(bytes)
    }

    fn decode(&self, call: &Call, steps: &[Vec<u8>]) -> Result<Answer, WireError> {
        let first = first(steps)?;
        Ok(match call {
            Call::Follow { .. } => written(first, 2)?,
            Call::Unfollow { .. } => written(first, 0)?,
            Call::Following { .. } => {
                let items = ids(&last(first)?)?;
                let states = steps.get(1).map_or(Ok(Vec::new()), |second| both(second))?;
                Answer::Page(items.into_iter().zip(states).collect())
            }
            Call::Followers { .. } => {
                Answer::Page(ids(&last(first)?)?.into_iter().map(|uid| (uid, 0)).collect())
            }
            Call::Check { .. } => Answer::Relations(both(first)?),
            Call::Home { .. } => Answer::Ids(ids(&last(first)?)?),
            Call::User(_) | Call::People(_) | Call::Search(_) => {
                return Err("nothing of that is kept here".to_owned());
            }
            Call::Known { .. } => {
                // Ascending by the viewer's time of follow, so the newest are last.
                let users = ids(&last(first)?)?;
                let newest = users.iter().rev().copied().take(PAGE).collect();
                Answer::Known { count: users.len(), first: newest }
            }
        })
    }
}

impl Redis {
    fn follow(self, request: &mut Request, a: u64, b: u64) {
        let (following, followers, back) = (following_key(a), followers_key(b), following_key(b));
        let (a, b) = (digits(a), digits(b));
        command(request, &[b"MULTI"]);
        match self.0 {
            Layout::SortedSets | Layout::Lists => {
                command(request, &[b"ZADD", &following, b"NX", NOW_S, &b]);
                command(request, &[b"ZADD", &followers, b"NX", NOW_S, &a]);
                command(request, &[b"ZSCORE", &back, &a]);
            }
            Layout::Hashes => {
                command(request, &[b"HSETNX", &following, &b, NOW_S]);
                command(request, &[b"HSETNX", &followers, &a, NOW_S]);
                command(request, &[b"HGET", &back, &a]);
            }
        }
        command(request, &[b"EXEC"]);
    }

    fn unfollow(self, request: &mut Request, a: u64, b: u64) {
        let (following, followers, back) = (following_key(a), followers_key(b), following_key(b));
        let (a, b) = (digits(a), digits(b));
        let (remove, get): (&[u8], &[u8]) = match self.0 {
            Layout::SortedSets | Layout::Lists => (b"ZREM", b"ZSCORE"),
            Layout::Hashes => (b"HDEL", b"HGET"),
        };
        command(request, &[b"MULTI"]);
        command(request, &[remove, &following, &b]);
        command(request, &[remove, &followers, &a]);
        command(request, &[get, &back, &a]);
        command(request, &[b"EXEC"]);
    }

    /// Both directions in one pipeline of two commands.
    fn check_both<'a>(self, request: &mut Request, subject: u64, objects: impl Iterator<Item = &'a u64>) {
        let objects: Vec<Vec<u8>> = objects.map(|&uid| digits(uid)).collect();
        let name: &[u8] = match self.0 {
            Layout::SortedSets | Layout::Lists => b"ZMSCORE",
            Layout::Hashes => b"HMGET",
        };
        for key in [following_key(subject), followers_key(subject)] {
            let mut parts: Vec<&[u8]> = vec![name, &key];
            parts.extend(objects.iter().map(Vec::as_slice));
            command(request, &parts);
        }
    }
}

fn first_page(request: &mut Request, key: &[u8]) {
    command(request, &[b"ZREVRANGE", key, b"0", (PAGE - 1).to_string().as_bytes()]);
}

fn digits(uid: u64) -> Vec<u8> {
    uid.to_string().into_bytes()
}

/// The relations that the scores (or fields) in the two sets of a user say.
fn both(replies: &[u8]) -> Result<Vec<u8>, WireError> {
    match resp::parse_all(replies)?.as_slice() {
        [Reply::Array(following), Reply::Array(followers)] => {
            let there = |reply: &Reply| u8::from(matches!(reply, Reply::Bulk(Some(_))));
            Ok(following.iter().zip(followers).map(|(out, back)| there(out) * 2 + there(back)).collect())
        }
        other => Err(format!("not two lists: {other:?}")),
    }
}

/// The outcome of a transaction whose effect on the forward edge is `forward` (2 or 0).
fn written(replies: &[u8], forward: u8) -> Result<Answer, WireError> {
    match last(replies)? {
        Reply::Array(results) => match results.as_slice() {
            [Reply::Integer(one), Reply::Integer(two), Reply::Bulk(back)] if one == two => {
                Ok(Answer::Write { changed: *one == 1, state: forward + u8::from(back.is_some()) })
            }
            other => Err(format!("not an outcome: {other:?}")),
        },
        other => Err(format!("not a transaction: {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follow_is_one_transaction_of_five_commands() {
        let redis = Redis(Layout::SortedSets);
        let call = Call::Follow { a: 1, b: 2 };
        assert_eq!(redis.request(&call).replies, 5);
        let replies = b"+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n:1\r\n:1\r\n$1\r\n9\r\n".to_vec();
        assert_eq!(redis.decode(&call, &[replies]).unwrap(), Answer::Write { changed: true, state: 3 });
    }

    #[test]
    fn a_page_asks_for_relations_of_what_it_found() {
        let redis = Redis(Layout::SortedSets);
        let call = Call::Following { uid: 1, viewer: 7 };
        let page = b"*2\r\n$1\r\n5\r\n$1\r\n4\r\n".to_vec();
        let second = redis.follow_up(&call, &page).unwrap().unwrap();
        assert_eq!(second.replies, 2);
        assert!(String::from_utf8(second.bytes).unwrap().contains("following:7\r\n$1\r\n5\r\n$1\r\n4\r\n"));
        let scores = b"*2\r\n$1\r\n9\r\n$-1\r\n*2\r\n$1\r\n9\r\n$1\r\n9\r\n".to_vec();
        assert_eq!(redis.decode(&call, &[page, scores]).unwrap(), Answer::Page(vec![(5, 3), (4, 1)]));
        assert_eq!(redis.follow_up(&call, b"*0\r\n").unwrap(), None);
    }

    #[test]
    fn known_followers_come_newest_first() {
        let redis = Redis(Layout::SortedSets);
        let call = Call::Known { viewer: 1, target: 2 };
        let answer = redis.decode(&call, &[b"*2\r\n$1\r\n5\r\n$1\r\n4\r\n".to_vec()]).unwrap();
        assert_eq!(answer, Answer::Known { count: 2, first: vec![4, 5] });
    }
}
