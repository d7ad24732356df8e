//! What one user has said about others, in the form that the writer changes.

use guanxi_model::{Edge, MuteScope, RequestKind, Stamp, Uid};

/// One active follow of the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follow {
    /// The followed user.
    pub uid: Uid,
    /// Its place in the following list.
    pub at: Stamp,
    /// When the two became friends, if the other follows back.
    pub friends_since: Option<Stamp>,
}

/// Everything a user has said about others: bounded by the limits on follows, blocks and mutes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserRelations {
    /// Active follows, by uid.
    pub following: Vec<Follow>,
    /// Blocks, by uid.
    pub blocks: Vec<Edge>,
    /// Mutes, by uid.
    pub mutes: Vec<Edge>,
    /// The users of whom only reposts are muted, by uid.
    pub muted_reposts: Vec<Uid>,
    /// Requests that wait, by uid: to whom, since when, for what.
    pub asks: Vec<(Edge, RequestKind)>,
    /// The user's own follow limit.
    pub limit: Option<u32>,
}

impl UserRelations {
    /// The follow of a user, if active.
    pub fn follow(&self, uid: Uid) -> Option<&Follow> {
        self.following.binary_search_by_key(&uid, |f| f.uid).ok().map(|i| &self.following[i])
    }

    /// Adds or replaces a follow.
    pub fn set_follow(&mut self, follow: Follow) {
        match self.following.binary_search_by_key(&follow.uid, |f| f.uid) {
            Ok(i) => self.following[i] = follow,
            Err(i) => self.following.insert(i, follow),
        }
    }

    /// Removes a follow and returns it.
    pub fn remove_follow(&mut self, uid: Uid) -> Option<Follow> {
        let i = self.following.binary_search_by_key(&uid, |f| f.uid).ok()?;
        Some(self.following.remove(i))
    }

    /// Returns how many friends there are among the follows.
    pub fn friends(&self) -> usize {
        self.following.iter().filter(|f| f.friends_since.is_some()).count()
    }

    /// Returns whether nothing needs remembering.
    pub fn is_empty(&self) -> bool {
        self.following.is_empty()
            && self.blocks.is_empty()
            && self.mutes.is_empty()
            && self.asks.is_empty()
            && self.limit.is_none()
    }

    /// Returns what of a user's items is muted, if the user is.
    pub fn mute(&self, uid: Uid) -> Option<MuteScope> {
        self.mutes.find(uid)?;
        let reposts = self.muted_reposts.binary_search(&uid).is_ok();
        Some(if reposts { MuteScope::Reposts } else { MuteScope::All })
    }

    /// Sets what of a user's items is muted, and since when; or ends it.
    pub fn set_mute(&mut self, uid: Uid, mute: Option<(Stamp, MuteScope)>) {
        match mute {
            Some((at, _)) => self.mutes.set(Edge { at, uid }),
            None => drop(self.mutes.unset(uid)),
        }
        let reposts = mute.is_some_and(|(_, scope)| scope == MuteScope::Reposts);
        match self.muted_reposts.binary_search(&uid) {
            Ok(i) if !reposts => drop(self.muted_reposts.remove(i)),
            Err(i) if reposts => self.muted_reposts.insert(i, uid),
            _ => {}
        }
    }

    /// Returns what a user is asked, if that waits.
    pub fn ask(&self, uid: Uid) -> Option<RequestKind> {
        self.asks.binary_search_by_key(&uid, |(edge, _)| edge.uid).ok().map(|i| self.asks[i].1)
    }

    /// Sets what a user is asked, and since when; or ends it.
    pub fn set_ask(&mut self, uid: Uid, ask: Option<(Stamp, RequestKind)>) {
        let place = self.asks.binary_search_by_key(&uid, |(edge, _)| edge.uid);
        let ask = ask.map(|(at, kind)| (Edge { at, uid }, kind));
        match (place, ask) {
            (Ok(i), Some(ask)) => self.asks[i] = ask,
            (Err(i), Some(ask)) => self.asks.insert(i, ask),
            (Ok(i), None) => drop(self.asks.remove(i)),
            (Err(_), None) => {}
        }
    }

    /// Returns how many of the users who are asked are not followed: they hold places.
    pub fn places(&self) -> usize {
        self.asks.iter().filter(|(edge, _)| self.follow(edge.uid).is_none()).count()
    }
}

/// Editing edges that are kept sorted by uid.
pub trait SortedEdges {
    /// The edge to a user.
    fn find(&self, uid: Uid) -> Option<&Edge>;
    /// Adds or replaces an edge.
    fn set(&mut self, edge: Edge);
    /// Removes an edge and returns it.
    fn unset(&mut self, uid: Uid) -> Option<Edge>;
}

impl SortedEdges for Vec<Edge> {
    fn find(&self, uid: Uid) -> Option<&Edge> {
        self.binary_search_by_key(&uid, |e| e.uid).ok().map(|i| &self[i])
    }

    fn set(&mut self, edge: Edge) {
        match self.binary_search_by_key(&edge.uid, |e| e.uid) {
            Ok(i) => self[i] = edge,
            Err(i) => self.insert(i, edge),
        }
    }

    fn unset(&mut self, uid: Uid) -> Option<Edge> {
        self.binary_search_by_key(&uid, |e| e.uid).ok().map(|i| self.remove(i))
    }
}
