//! Rows that a group has changed, by their keys: `None` is a row that it has removed.

use crate::engine::EngineResult;
use guanxi_model::affinity::Affinities;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash, Standing};
use guanxi_model::{
    Credential, Edge, GroupId, LoginName, MuteTerms, PastRequest, RelationRequest, Stamp, Uid, User,
    UserGroup,
};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// Returns what the group has made of a row, or what the tables hold of it.
pub(crate) fn planned<T: Clone>(
    changed: Option<&T>,
    read: impl FnOnce() -> EngineResult<T>,
) -> EngineResult<T> {
    changed.map_or_else(read, |changed| Ok(changed.clone()))
}

/// Returns what the group holds of a key, to change it. The tables are read at the first touch.
pub(crate) fn touched<K: Eq + Hash, V>(
    held: &mut HashMap<K, V>,
    key: K,
    read: impl FnOnce() -> EngineResult<V>,
) -> EngineResult<&mut V> {
    Ok(match held.entry(key) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(read()?),
    })
}

/// Users as of this point of the plan, where the group has changed them.
#[derive(Default)]
pub(crate) struct WorkingUsers {
    pub(crate) users: HashMap<Uid, User>,
    pub(crate) login_names: HashMap<LoginName, Option<Uid>>,
    pub(crate) passwords: HashMap<Uid, Option<PasswordHash>>,
    pub(crate) claims: HashMap<Contact, Option<ContactClaim>>,
    /// When the users signed out whom the group has signed out.
    pub(crate) signed_out: HashMap<Uid, u64>,
}

impl WorkingUsers {
    /// Returns whether the group has changed a user.
    pub(crate) fn has(&self, uid: Uid) -> bool {
        self.users.contains_key(&uid)
    }

    /// Returns how the users stand whom the group has changed.
    pub(crate) fn standings(&self) -> Vec<(Uid, Standing)> {
        self.users.values().map(|user| (user.uid, user.standing())).collect()
    }
}

/// Groups and members as of this point of the plan, where the group of writes has changed them.
#[derive(Default)]
pub(crate) struct WorkingUserGroups {
    pub(crate) groups: BTreeMap<(Uid, GroupId), Option<UserGroup>>,
    /// The last number that an owner has given.
    pub(crate) numbers: BTreeMap<Uid, Option<GroupId>>,
    pub(crate) members: BTreeMap<(Uid, GroupId, Uid), Option<Stamp>>,
    /// The same, by member and owner.
    pub(crate) member_of: BTreeMap<(Uid, Uid, GroupId), bool>,
}

impl WorkingUserGroups {
    /// Returns whether a group changed.
    pub(crate) fn changes(&self) -> bool {
        !self.groups.is_empty() || !self.members.is_empty()
    }

    /// Returns whether an owner has given a number; `None` of one who gave none in the group of writes.
    pub(crate) fn has_given(&self, owner: Uid) -> Option<bool> {
        self.numbers.get(&owner).map(Option::is_some)
    }
}

/// Requests, mutes and what ends by itself, where the group has changed them.
#[derive(Default)]
pub(crate) struct WorkingWaiting {
    pub(crate) mutes: HashMap<(Uid, Uid), Option<(Stamp, MuteTerms)>>,
    pub(crate) requests: HashMap<(Uid, Uid), Option<RelationRequest>>,
    pub(crate) past: HashMap<(Uid, Uid), Option<PastRequest>>,
    pub(crate) seen: HashMap<Uid, Stamp>,
    pub(crate) unlocking: HashMap<Uid, Option<Stamp>>,
}

/// The users whom the users of a group of writes have dismissed, and their scores.
#[derive(Default)]
pub(crate) struct WorkingSuggestions {
    pub(crate) dismissed: HashMap<Uid, Vec<Edge>>,
    pub(crate) affinities: HashMap<Uid, Affinities>,
}

impl WorkingSuggestions {
    /// Users whose scores the group may have changed.
    pub(crate) fn scored(self) -> Vec<Uid> {
        self.affinities.into_keys().collect()
    }
}

/// Credentials by name as of this point of the plan, where the group has changed them: `None` is one that it has revoked.
#[derive(Default)]
pub(crate) struct WorkingCredentials {
    pub(crate) changed: BTreeMap<String, Option<Credential>>,
    /// How many more there are than before the group, or fewer.
    pub(crate) more: i64,
}
