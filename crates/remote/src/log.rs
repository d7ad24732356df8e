//! The log: Watch, read one answer at a time.

use guanxi_api::client_side::{Time, from_wire, op_of, place_of, request_back, stamp};
use guanxi_model::event::{PairChange, PostChange, UserChange};
use guanxi_model::{
    Change, Event, GroupChange, GroupId, LogId, Logs, MuteTerms, Position, PostId, RequestKind, Result,
    Stamp, Uid,
};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use guanxi_proto::v1::{self, event::Kind};

use super::{Remote, broken};

impl Log for Remote {
    fn logs(&self) -> Logs {
        self.known_head().logs()
    }

    /// Returns what is known of it: the positions that were answered.
    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        Box::pin(std::future::ready(Ok(self.known_head())))
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        Box::pin(async move {
            let asked = after.only(|other| other == log);
            let answer = self.first_answer(&asked, false).await?;
            let mut position = self.saw(&answer.token)?.joined(Some(after));
            let mut events = answer.events.iter().map(event_back).collect::<Result<Vec<_>>>()?;
            if events.len() > max {
                events.truncate(max);
                position = events.last().map_or_else(|| after.clone(), |last| after.after(last.at));
            }
            Ok(EventBatch { events, unreadable: Vec::new(), position })
        })
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let answer = self.first_answer(after, true).await?;
            self.saw(&answer.token).map(drop)
        })
    }
}

impl Remote {
    /// The first answer of a stream after a position: the very first, or the first with events.
    async fn first_answer(&self, after: &Position, with_events: bool) -> Result<v1::WatchResponse> {
        let request = v1::WatchRequest { token: after.to_token(), uids: Vec::new() };
        let streams = self.main.relation_streams();
        let mut stream = streams.watch(request).await.map_err(|error| from_wire(&error))?;
        loop {
            let message = stream.message::<v1::WatchResponse>().await.map_err(|error| from_wire(&error))?;
            let answer = message.ok_or_else(|| broken("no end"))?.to_owned_message();
            if !with_events || !answer.events.is_empty() {
                return Ok(answer);
            }
        }
    }
}

fn event_back(event: &v1::Event) -> Result<Event> {
    Ok(Event {
        at: event.place.as_option().map_or_else(|| Err(broken("an event without a place")), place_of)?,
        version: time_back(&event.time)?,
        subject: Uid::new(event.subject)?,
        change: change_back(event)?,
        echo: None,
    })
}

fn time_back(time: &Time) -> Result<Stamp> {
    time.as_option().and_then(stamp).ok_or_else(|| broken("an event without a time"))
}

fn change_back(event: &v1::Event) -> Result<Change> {
    let post = || PostId::new(event.post_id);
    let liked = || -> Result<(PostId, Uid)> { Ok((post()?, Uid::new(event.object)?)) };
    let of_post = |kind: PostChange| Ok(Change::Post { id: post()?, kind });
    let of_group = |kind| Ok(Change::Group { id: GroupId::new(event.group_id)?, kind });
    match event.kind.as_known() {
        Some(Kind::FOLLOW_LIMIT_CHANGED) => Ok(Change::FollowLimit(event.follow_limit)),
        Some(Kind::POST_CREATED) => of_post(PostChange::Created),
        Some(Kind::POST_IMPORTED) => of_post(PostChange::Imported),
        Some(Kind::POST_EDITED) => of_post(PostChange::Edited),
        Some(Kind::POST_WIDENED) => of_post(PostChange::Widened),
        Some(Kind::POST_NARROWED) => of_post(PostChange::Narrowed),
        Some(Kind::POST_DELETED) => of_post(PostChange::Deleted),
        Some(Kind::POST_RESTORED) => of_post(PostChange::Restored),
        Some(Kind::POST_PURGED) => of_post(PostChange::Purged),
        Some(Kind::POST_TAKEN_DOWN) => of_post(PostChange::TakenDown),
        Some(Kind::POST_REINSTATED) => of_post(PostChange::Reinstated),
        Some(Kind::USER_REGISTERED) => Ok(Change::User(UserChange::Registered)),
        Some(Kind::USER_PROFILE_UPDATED) => Ok(Change::User(UserChange::ProfileUpdated)),
        Some(Kind::USER_PRIVACY_SET) => Ok(Change::User(UserChange::PrivacySet)),
        Some(Kind::USER_PASSWORD_SET) => Ok(Change::User(UserChange::PasswordSet)),
        Some(Kind::USER_DEACTIVATED) => Ok(Change::User(UserChange::Deactivated)),
        Some(Kind::USER_REACTIVATED) => Ok(Change::User(UserChange::Reactivated)),
        Some(Kind::USER_PHONE_SET) => Ok(Change::User(UserChange::PhoneSet)),
        Some(Kind::USER_EMAIL_SET) => Ok(Change::User(UserChange::EmailSet)),
        Some(Kind::USER_EXTERNAL_ID_ASSIGNED) => Ok(Change::User(UserChange::ExternalIdAssigned)),
        Some(Kind::USER_DELETED) => Ok(Change::User(UserChange::Deleted)),
        Some(Kind::USER_ERASED) => Ok(Change::User(UserChange::Erased)),
        Some(Kind::USER_SIGNED_OUT) => Ok(Change::User(UserChange::SignedOut)),
        Some(Kind::USER_LOGGED_IN) => Ok(Change::User(UserChange::LoggedIn)),
        Some(Kind::USER_SESSION_ENDED) => Ok(Change::User(UserChange::SessionEnded)),
        Some(Kind::USER_TAKEN_DOWN) => Ok(Change::User(UserChange::TakenDown)),
        Some(Kind::USER_REINSTATED) => Ok(Change::User(UserChange::Reinstated)),
        Some(Kind::GROUP_CREATED) => of_group(GroupChange::Created),
        Some(Kind::GROUP_UPDATED) => of_group(GroupChange::Updated),
        Some(Kind::GROUP_MEMBERS_CHANGED) => of_group(GroupChange::MembersChanged),
        Some(Kind::GROUP_AUDIENCE_CHANGED) => of_group(GroupChange::AudienceChanged),
        Some(Kind::GROUP_DELETED) => of_group(GroupChange::Deleted),
        Some(Kind::LIKED) => {
            let ((id, author), at) = (liked()?, listed_at(event)?);
            Ok(Change::Liked { id, author, at })
        }
        Some(Kind::UNLIKED) => liked().map(|(id, author)| Change::Unliked { id, author }),
        _ => pair_back(event),
    }
}

/// Returns where a block, mute or like stands in lists, which is its own time unless it was imported.
fn listed_at(event: &v1::Event) -> Result<Stamp> {
    time_back(if event.follow_time.as_option().is_some() { &event.follow_time } else { &event.time })
}

/// Returns when what an event tells of ends by itself.
fn until_of(event: &v1::Event) -> Option<u64> {
    event.expire_time.as_option().and_then(stamp).map(Stamp::ms)
}

fn request_of(event: &v1::Event) -> Result<RequestKind> {
    request_back(event.request).ok_or_else(|| broken("a request of an unknown kind"))
}

fn pair_back(event: &v1::Event) -> Result<Change> {
    let kind = match event.kind.as_known() {
        Some(Kind::FOLLOWED) => {
            PairChange::Followed { at: time_back(&event.follow_time)?, mutual: event.mutual }
        }
        Some(Kind::UNFOLLOWED) => PairChange::Unfollowed,
        Some(Kind::BLOCKED) => PairChange::Blocked { at: listed_at(event)? },
        Some(Kind::UNBLOCKED) => PairChange::Unblocked,
        Some(Kind::MUTED) => {
            let terms = MuteTerms { reposts_only: event.reposts_only, until_ms: until_of(event) };
            PairChange::Muted { at: listed_at(event)?, terms }
        }
        Some(Kind::REQUESTED) => PairChange::Requested {
            kind: request_of(event)?,
            expires_ms: until_of(event).ok_or_else(|| broken("a request without an end"))?,
        },
        Some(Kind::REQUEST_ENDED) => PairChange::RequestEnded { kind: request_of(event)? },
        Some(Kind::UNMUTED) => PairChange::Unmuted,
        _ => return Err(broken("an event of an unknown kind")),
    };
    let cause =
        event.cause.as_known().and_then(op_of).ok_or_else(|| broken("an event of an unknown cause"))?;
    Ok(Change::Pair { object: Uid::new(event.object)?, kind, cause })
}
