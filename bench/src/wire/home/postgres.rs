//! Home pages of PostgreSQL: posts and follows in two tables, one prepared statement, the binary form.

use super::{Home, Ids};
use crate::wire::postgres::{execute, handshake, int8, numbers, reply_len};
use crate::wire::{Protocol, Request, WireError, first};

/// How the page is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// Posts joined with followees, the newest 20.
    Join,
    /// The newest 20 of each followee, the newest 20 of these.
    Lateral,
}

impl Query {
    /// The statement's name and text. A reader follows itself in the table, since home has one's own posts; muted
    /// followees and deleted posts are left out.
    const fn statement(self) -> (&'static str, &'static str) {
        match self {
            Self::Join => (
                "join_home",
                "SELECT p.id FROM posts AS p JOIN follows AS f ON f.followee = p.author \
                 WHERE f.follower = $1 AND NOT f.muted AND NOT p.deleted ORDER BY p.id DESC LIMIT 20",
            ),
            Self::Lateral => (
                "lateral_home",
                "SELECT p.id FROM follows AS f CROSS JOIN LATERAL (SELECT id FROM posts \
                 WHERE author = f.followee AND NOT deleted ORDER BY id DESC LIMIT 20) AS p \
                 WHERE f.follower = $1 AND NOT f.muted ORDER BY p.id DESC LIMIT 20",
            ),
        }
    }
}

/// The protocol of a PostgreSQL that holds posts and follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostgresHome(pub(crate) Query);

impl Protocol<Home, Ids> for PostgresHome {
    fn handshake(&self) -> Vec<Request> {
        handshake(&[self.0.statement()])
    }

    fn request(&self, call: &Home) -> Request {
        Request::one(execute(self.0.statement().0, &[int8(call.0)]))
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        reply_len(bytes)
    }

    fn decode(&self, _call: &Home, steps: &[Vec<u8>]) -> Result<Ids, WireError> {
        Ok(numbers::<1>(first(steps)?)?.into_iter().flatten().collect())
    }
}
