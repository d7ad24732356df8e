//! A follower of the log over many lives of a server: it resumes by its token, and sees every event once.

use super::rpc::Rpc;
use super::world::items;
use guanxi_model::Position;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;

/// One client of Watch, and what the events it saw add up to.
#[derive(Default)]
pub(crate) struct Follower {
    /// Where to go on.
    token: String,
    /// The last event seen.
    seq: u64,
    pub(crate) follows: BTreeSet<(u64, u64)>,
    pub(crate) blocks: BTreeSet<(u64, u64)>,
    pub(crate) mutes: BTreeSet<(u64, u64)>,
}

impl Follower {
    /// Follows from a position on.
    pub(crate) fn from(position: &Position) -> Self {
        Self { token: position.to_token(), seq: position.event_count(), ..Self::default() }
    }

    /// Follows until the server is gone.
    pub(crate) fn follow_until_cut(&mut self, address: SocketAddr) {
        // Every way to end is the server's end; what was seen until then counts.
        drop(self.follow(address, u64::MAX));
    }

    /// Follows until it has seen the event `last`.
    pub(crate) fn catch_up(&mut self, address: SocketAddr, last: u64) {
        self.follow(address, last).expect("the server is ready");
    }

    fn follow(&mut self, address: SocketAddr, last: u64) -> io::Result<()> {
        let mut stream = Rpc::connect(address)?.stream("Watch", &json!({ "token": self.token }))?;
        while self.seq < last {
            let Some(message) = stream.message()? else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            for event in items(&message["events"]) {
                self.see(event);
            }
            // The last message says how the stream ended; only the server's own end is a reason here.
            let error = &message["error"];
            assert!(error.is_null() || error["code"] == "unavailable", "{error}");
            if let Some(token) = message["token"].as_str() {
                token.clone_into(&mut self.token);
            }
        }
        Ok(())
    }

    /// Takes one event in. Each changes something, and none is missing or seen twice.
    fn see(&mut self, event: &Value) {
        let number = |name: &str| event[name].as_str().and_then(|text| text.parse::<u64>().ok());
        let seq = event["place"]["seq"].as_str().and_then(|text| text.parse::<u64>().ok());
        let seq = seq.expect("an event has a place");
        assert_eq!(seq, self.seq + 1, "the event after {} is {event}", self.seq);
        self.seq = seq;
        let kind = event["kind"].as_str().expect("an event is of a kind");
        if kind.starts_with("POST_") || kind.ends_with("LIKED") {
            assert!(number("postId").is_some_and(|id| id > 0), "an event about no post: {event}");
            return;
        }
        let pair = number("subject").zip(number("object")).expect("an event is about two users");
        let changed = match kind {
            "FOLLOWED" => self.follows.insert(pair),
            "UNFOLLOWED" => self.follows.remove(&pair),
            "BLOCKED" => self.blocks.insert(pair),
            "UNBLOCKED" => self.blocks.remove(&pair),
            "MUTED" => self.mutes.insert(pair),
            "UNMUTED" => self.mutes.remove(&pair),
            _ => panic!("an event of an unknown kind: {event}"),
        };
        assert!(changed, "an event that changes nothing: {event}");
    }
}
