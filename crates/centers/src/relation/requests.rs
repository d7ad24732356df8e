//! Requests of the relation center: friend requests, and requests to follow a locked user; and mutes on terms.

use super::RelationCenter;
use super::write::Written;
use crate::Viewer;
use guanxi_model::limits::UNREAD_CAP_MAX;
use guanxi_model::{
    Command, Cursor, Error, FriendRequest, MuteCommand, Page, Position, Reason, RelationRequest,
    RequestDirection, RequestKey, RequestKind, Result, Stamp, Uid, Write,
};

/// One request of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRequest {
    /// The request.
    pub request: RelationRequest,
    /// The other user of it is deactivated.
    pub deactivated: bool,
}

/// A page of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRequests {
    /// The items, newest first.
    pub items: Vec<ListedRequest>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<Cursor>,
    /// Where the answer stands.
    pub position: Position,
}

/// How many requests of each kind a user got that it has not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnseenRequests {
    /// To be friends, up to what was asked for.
    pub friend: u32,
    /// To follow, up to what was asked for.
    pub follow: u32,
    /// Where the answer stands.
    pub position: Position,
}

impl RelationCenter {
    /// Asks a user to be friends. If that user has asked the sender before, this accepts its request.
    ///
    /// # Errors
    /// `SELF`, `BLOCKED` or `NOT_ALLOWED`, `LIMIT_REACHED`, `REQUEST_REJECTED`, `TOO_LONG{message}`, `INVALID_FIELD{ttl}`, or
    /// a whole-request error of the store.
    pub async fn send_friend_request(
        &self,
        viewer: Viewer,
        asked: FriendRequest,
        request: Option<RequestKey>,
    ) -> Result<Written> {
        let pair = (asked.sender, asked.receiver);
        self.one(viewer, pair, Command::SendFriendRequest(asked), request).await
    }

    /// Mutes a user on terms; a mute that stands gets them.
    ///
    /// # Errors
    /// `SELF`, `LIMIT_REACHED`, `INVALID_FIELD{duration}`, or a whole-request error of the store.
    pub async fn mute(
        &self,
        viewer: Viewer,
        mute: MuteCommand,
        request: Option<RequestKey>,
    ) -> Result<Written> {
        self.one(viewer, (mute.subject, mute.object), Command::Mute(mute), request).await
    }

    /// Returns a page of the requests of a kind that a user got or sent, newest first.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user other than this user; those of pinning a view.
    pub async fn requests(
        &self,
        viewer: Viewer,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<ListedRequests> {
        viewer.require_private_of(of)?;
        let view = self.store.view(at_least.as_ref()).await?;
        let page = view.requests(of, direction, kind, page).await?;
        let other = |request: &RelationRequest| match direction {
            RequestDirection::Incoming => request.sender,
            RequestDirection::Outgoing => request.receiver,
        };
        let others: Vec<(Uid, Uid)> = page.items.iter().map(|request| (of, other(request))).collect();
        let standings =
            if view.all_stand_by_default() { Vec::new() } else { view.standings_beside(&others).await? };
        let gone =
            standings.iter().map(guanxi_model::user::Standing::is_gone).chain(std::iter::repeat(false));
        let listed = |(request, deactivated)| ListedRequest { request, deactivated };
        Ok(ListedRequests {
            items: page.items.into_iter().zip(gone).map(listed).collect(),
            next: page.next,
            position: view.position().joined(at_least.as_ref()),
        })
    }

    /// Returns how many requests of each kind a user got since those that it has seen, counted up to `cap`, which is at most
    /// [`UNREAD_CAP_MAX`].
    ///
    /// # Errors
    /// `INVALID_FIELD{cap}`; `PERMISSION_DENIED` for an end user other than this user; those of pinning a view.
    pub async fn unseen_requests(
        &self,
        viewer: Viewer,
        of: Uid,
        cap: u32,
        at_least: Option<Position>,
    ) -> Result<UnseenRequests> {
        viewer.require_private_of(of)?;
        if cap == 0 || cap > UNREAD_CAP_MAX {
            return Err(Error::new(Reason::InvalidField { field: "cap" }));
        }
        let view = self.store.view(at_least.as_ref()).await?;
        let friend = view.unseen_requests(of, RequestKind::Friend, cap).await?;
        let follow = view.unseen_requests(of, RequestKind::Follow, cap).await?;
        Ok(UnseenRequests { friend, follow, position: view.position().joined(at_least.as_ref()) })
    }

    /// Notes that a user has seen the requests to it up to one, or all that there are. The mark only rises.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for an end user other than this user; those of the store.
    pub async fn mark_requests_seen(
        &self,
        viewer: Viewer,
        uid: Uid,
        seen: Option<Stamp>,
    ) -> Result<Position> {
        viewer.require_private_of(uid)?;
        self.store.apply(Write::of(Command::MarkRequestsSeen { uid, seen })).await?.done()
    }
}
