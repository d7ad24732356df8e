//! Requests between users, and mutes on terms, through the API.

use buffa::MessageField;
use guanxi_api::client_side::{ListScope, duration, relation_back, requests_scope, stamp, time};
use guanxi_model::Error;
use guanxi_model::{
    Command, FriendRequest, MuteCommand, MuteTerms, Op, Outcome, Page, PageStart, PairCommand, PairOutcome,
    Reason, Relation, RelationRequest, RequestDirection, RequestKind, Result, Stamp, Uid,
};
use guanxi_ports::{Applied, RequestPage};
use guanxi_proto::v1;

use super::graph::is_refusal;
use super::places::page_tokens;
use super::view::RemoteView;
use super::{Remote, broken, call};

impl Remote {
    /// A friend request or a mute, with what it is asked with. A refusal is an error on the wire; here it is an outcome.
    pub(crate) async fn on_terms(&self, command: &Command, request_id: String) -> Result<Applied> {
        let (subject, object, sent) = match command {
            Command::SendFriendRequest(asked) => {
                (asked.sender, asked.receiver, self.send_request(asked.clone(), request_id).await)
            }
            Command::Mute(mute) => (mute.subject, mute.object, self.send_mute(*mute, request_id).await),
            _ => return Err(broken("a command without terms")),
        };
        match sent {
            Ok((changed, relation, token)) => Ok(Applied {
                position: self.saw(&token)?,
                outcomes: vec![Outcome::Pair(PairOutcome {
                    result: Ok(changed.unwrap_or_default()),
                    relation,
                })],
            }),
            Err(Error { reason, .. }) if is_refusal(&reason) => {
                let command = PairCommand { op: Op::Mute, subject, object };
                self.refused(command, reason, String::new()).await
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn send_request(
        &self,
        asked: FriendRequest,
        request_id: String,
    ) -> Result<(Option<bool>, Relation, String)> {
        let FriendRequest { sender, receiver, message, ttl_ms } = asked;
        let request = v1::SendFriendRequestRequest {
            subject: sender.get(),
            object: receiver.get(),
            request_id,
            message,
            ttl: ttl_ms.map_or_else(MessageField::none, |ms| MessageField::some(duration(ms))),
        };
        let answer = call(self.main.relation().send_friend_request(request).await)?;
        let relation = answer.relation.as_option().map(relation_back).ok_or_else(|| broken("no relation"))?;
        Ok((answer.changed, relation, answer.token))
    }

    pub(crate) async fn send_mute(
        &self,
        mute: MuteCommand,
        request_id: String,
    ) -> Result<(Option<bool>, Relation, String)> {
        let request = v1::MuteRequest {
            subject: mute.subject.get(),
            object: mute.object.get(),
            request_id,
            reposts_only: mute.reposts_only,
            duration: mute.duration_ms.map_or_else(MessageField::none, |ms| MessageField::some(duration(ms))),
        };
        let answer = call(self.main.relation().mute(request).await)?;
        let relation = answer.relation.as_option().map(relation_back).ok_or_else(|| broken("no relation"))?;
        Ok((answer.changed, relation, answer.token))
    }

    pub(crate) async fn mark_requests_seen(&self, uid: Uid, seen: Option<Stamp>) -> Result<Applied> {
        let seen_time = seen.map_or_else(MessageField::none, |seen| MessageField::some(time(seen)));
        let request = v1::MarkRequestsSeenRequest { uid: uid.get(), seen_time };
        let answer = call(self.main.relation().mark_requests_seen(request).await);
        self.done(answer.map(|answer| answer.token.clone())).await
    }
}

/// A page's place as the API takes it.
fn place(page: Page, scope: ListScope) -> Result<(i32, String)> {
    let size = i32::try_from(page.size()).unwrap_or(i32::MAX);
    match page.start() {
        PageStart::Newest => Ok((size, String::new())),
        PageStart::After(cursor) => Ok((size, page_tokens(scope).after(Some(cursor)))),
        PageStart::Offset(_) => Err(Error::new(Reason::InvalidField { field: "offset" })),
    }
}

fn request_of(
    of: Uid,
    direction: RequestDirection,
    kind: RequestKind,
    item: v1::RequestItem,
) -> Option<RelationRequest> {
    let other = Uid::new(item.uid).ok()?;
    let (sender, receiver) = match direction {
        RequestDirection::Incoming => (other, of),
        RequestDirection::Outgoing => (of, other),
    };
    let at = item.create_time.as_option().and_then(stamp)?;
    let expires = item.expire_time.as_option().and_then(stamp)?;
    Some(RelationRequest { sender, receiver, kind, at, expires_ms: expires.ms(), message: item.message })
}

impl RemoteView {
    pub(super) async fn requests_of(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> Result<RequestPage> {
        let scope = requests_scope(of, direction, kind);
        let (page_size, page_token) = place(page, scope)?;
        let (uid, token) = (of.get(), self.token());
        let outgoing = direction == RequestDirection::Outgoing;
        let client = self.main.relation();
        let (items, next) = match kind {
            RequestKind::Friend => {
                let request = v1::ListFriendRequestsRequest { uid, outgoing, page_size, page_token, token };
                let answer = call(client.list_friend_requests(request).await)?;
                (answer.requests, answer.next_page_token)
            }
            RequestKind::Follow => {
                let request = v1::ListFollowRequestsRequest { uid, outgoing, page_size, page_token, token };
                let answer = call(client.list_follow_requests(request).await)?;
                (answer.requests, answer.next_page_token)
            }
        };
        let items: Option<Vec<RelationRequest>> =
            items.into_iter().map(|item| request_of(of, direction, kind, item)).collect();
        let items = items.ok_or_else(|| broken("a request without a time"))?;
        let next = if next.is_empty() { None } else { Some(page_tokens(scope).cursor(&next)?) };
        Ok(RequestPage { items, next })
    }

    /// The terms of all mutes of a user.
    pub(super) async fn all_mute_terms(&self, of: Uid) -> Result<Vec<(Uid, MuteTerms)>> {
        let (mut all, mut page_token) = (Vec::new(), String::new());
        loop {
            let request =
                v1::ListMutesRequest { uid: of.get(), page_size: 1_000, page_token, token: self.token() };
            let answer = call(self.main.relation().list_mutes(request).await)?;
            for item in &answer.mutes {
                let until = item.expire_time.as_option().and_then(stamp);
                let terms = MuteTerms { reposts_only: item.reposts_only, until_ms: until.map(Stamp::ms) };
                all.push((Uid::new(item.uid)?, terms));
            }
            page_token = answer.next_page_token;
            if page_token.is_empty() {
                return Ok(all);
            }
        }
    }
}
