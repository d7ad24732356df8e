//! What waits between users, and ends by itself.

use guanxi_model::{MuteTerms, RelationRequest, RequestKind, Stamp, Uid};
use std::collections::BTreeMap;

/// What waits between users. The first of each key is the user in whose shard it lies.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingMaps {
    /// By receiver and sender.
    pub(crate) requests: BTreeMap<(Uid, Uid), RelationRequest>,
    /// Derived, at once: by sender and receiver.
    pub(crate) sent: BTreeMap<(Uid, Uid), RequestKind>,
    /// Until when somebody who was rejected may not ask again, by who has rejected.
    pub(crate) cooldowns: BTreeMap<(Uid, Uid), u64>,
    /// The places of requests that their senders took back, and until when they keep them, by who was asked.
    pub(crate) taken_back: BTreeMap<(Uid, Uid), (Stamp, u64)>,
    /// The terms of mutes that have some.
    pub(crate) mute_terms: BTreeMap<(Uid, Uid), MuteTerms>,
    /// Up to where users have seen the requests to them.
    pub(crate) seen: BTreeMap<Uid, Stamp>,
    /// The users who have unlocked themselves, with others who may wait.
    pub(crate) unlocking: BTreeMap<Uid, Stamp>,
}

impl WaitingMaps {
    /// Returns the users whom a user has asked.
    pub(crate) fn sent_by(&self, sender: Uid) -> impl Iterator<Item = Uid> {
        self.sent.range((sender, Uid::MIN)..=(sender, Uid::MAX)).map(|((_, receiver), _)| *receiver)
    }
}
