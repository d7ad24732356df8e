//! Watch: a stream of changes that reads the log, and is only woken by it: by an event that concerns one of its users.
//!
//! The position is the whole state. So a reader that is a million events behind catches up by reading, and one that comes
//! back with its token goes on where it was: no gap, no repeat.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use buffa::{EnumValue, MessageField};
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::relation::{Changes, RelationCenter};
use guanxi_model::event::{PairChange, PostChange, UserChange};
use guanxi_model::post::Kind as PostKind;
use guanxi_model::{Change, Error, Event, GroupChange, Op, PostId, Reason, Result, Uid};
use guanxi_proto::v1::{self, event::Cause, event::Kind};

use crate::convert::{at_least, place, request_shown, required_list, time, until};
use crate::limits::{HEARTBEAT, WATCH_EVENTS_MAX, WATCH_SCAN_MAX};
use guanxi_model::limits::WATCH_UIDS_MAX;
use guanxi_rim::Load;
use guanxi_rim::errors::to_wire;

/// One open stream.
struct Watching {
    /// Stands after the last event that was sent or left out.
    changes: Changes,
    load: Arc<Load>,
    /// The users whose events it wants; `None` for all.
    uids: Option<HashSet<Uid>>,
    /// The first answer goes out at once, so that the caller knows that it listens.
    greeted: bool,
}

/// Opens a stream after the request's position, or after now.
pub(super) async fn open(
    center: &RelationCenter,
    load: Arc<Load>,
    request: &v1::WatchRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::WatchResponse, ConnectError>> + Send + use<>> {
    let uids: Option<HashSet<Uid>> = if request.uids.is_empty() {
        None
    } else {
        Some(required_list(&request.uids, "uids", WATCH_UIDS_MAX)?.into_iter().collect())
    };
    let wanted = uids.as_ref().map(|uids| uids.iter().copied());
    let changes = center.changes(at_least(request.token)?, wanted).await?;
    let watching = Watching { changes, load, uids, greeted: false };
    Ok(futures::stream::unfold(Some(watching), |watching| async {
        let mut watching = watching?;
        match watching.next().await {
            Ok(answer) => Some((Ok(answer), Some(watching))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    }))
}

impl Watching {
    /// The next answer: events, or a heartbeat.
    async fn next(&mut self) -> Result<v1::WatchResponse> {
        let load = Arc::clone(&self.load);
        tokio::select! {
            biased;
            () = load.closed() => Err(Error::new(Reason::ShuttingDown)),
            answer = self.advance() => answer,
        }
    }

    async fn advance(&mut self) -> Result<v1::WatchResponse> {
        let mut events: Vec<Event> = Vec::new();
        let mut scanned = 0;
        let silent_since = tokio::time::Instant::now();
        loop {
            let batch = self.changes.read(WATCH_EVENTS_MAX).await?;
            let caught_up = batch.is_empty();
            scanned += batch.len();
            events.extend(batch.into_iter().filter(|event| self.wants(event)));
            let says_something =
                !events.is_empty() || scanned >= WATCH_SCAN_MAX || !self.greeted && caught_up;
            if says_something {
                break;
            }
            if caught_up {
                let woken = tokio::time::timeout_at(silent_since + HEARTBEAT, self.changes.wait());
                match woken.await {
                    Ok(woken) => woken?,
                    Err(_silence) => {
                        self.changes.pass_quiet();
                        break;
                    }
                }
            }
        }
        let kinds = self.changes.kinds_of_posts(&events).await?;
        self.greeted = true;
        Ok(v1::WatchResponse {
            events: events_shown(&events, &kinds),
            token: self.changes.position().to_token(),
            scanned: u32::try_from(scanned).unwrap_or(u32::MAX),
        })
    }

    fn wants(&self, event: &Event) -> bool {
        if event.change == Change::Interacted {
            return false;
        }
        let Some(uids) = &self.uids else { return event.echo.is_none() };
        // An echo puts into the other user's log what the subject's log has, too. A stream that watches the subject has that
        // event already.
        if event.echo.is_some() && uids.contains(&event.subject) {
            return false;
        }
        uids.contains(&event.subject) || event.object().is_some_and(|object| uids.contains(&object))
    }
}

/// Events as the wire has them. `kinds` has the kinds of the posts that changed in them.
pub(crate) fn events_shown(events: &[Event], kinds: &HashMap<PostId, PostKind>) -> Vec<v1::Event> {
    let kind_of = |event: &Event| match event.change {
        Change::Post { id, .. } => kinds.get(&id).copied().unwrap_or_default(),
        _ => PostKind::Post,
    };
    events.iter().map(|event| present(event, kind_of(event))).collect()
}

/// An event as the wire has it; of a changed post it is told what that is to other posts.
fn present(event: &Event, post: PostKind) -> v1::Event {
    let mut shown = v1::Event {
        place: MessageField::some(place(event.at)),
        time: MessageField::some(time(event.version)),
        subject: event.subject.get(),
        ..Default::default()
    };
    match event.change {
        Change::Post { id, kind } => {
            (shown.post_id, shown.author) = (id.get(), event.subject.get());
            shown.kind = EnumValue::from(post_kind(kind));
            show_original(&mut shown, post);
        }
        Change::Liked { id, author, at } => {
            (shown.post_id, shown.object, shown.author) = (id.get(), author.get(), author.get());
            if at != event.version {
                shown.follow_time = MessageField::some(time(at));
            }
            shown.kind = EnumValue::from(Kind::LIKED);
        }
        Change::Unliked { id, author } => {
            (shown.post_id, shown.object, shown.author) = (id.get(), author.get(), author.get());
            shown.kind = EnumValue::from(Kind::UNLIKED);
        }
        // No watcher needs it.
        Change::Interacted => {}
        Change::User(change) => shown.kind = EnumValue::from(user_kind(change)),
        Change::Group { id, kind } => {
            shown.group_id = id.get();
            shown.kind = EnumValue::from(group_kind(kind));
        }
        Change::FollowLimit(limit) => {
            shown.kind = EnumValue::from(Kind::FOLLOW_LIMIT_CHANGED);
            shown.follow_limit = limit;
        }
        Change::Pair { object, kind, cause } => {
            shown.object = object.get();
            shown.kind = EnumValue::from(kind_of(kind));
            shown.cause = EnumValue::from(cause_of(cause));
            match kind {
                PairChange::Followed { at, mutual } => {
                    shown.follow_time = MessageField::some(time(at));
                    shown.mutual = mutual;
                }
                PairChange::Blocked { at } if at != event.version => {
                    shown.follow_time = MessageField::some(time(at));
                }
                PairChange::Muted { at, terms } => {
                    if at != event.version {
                        shown.follow_time = MessageField::some(time(at));
                    }
                    shown.reposts_only = terms.reposts_only;
                    shown.expire_time = until(terms.until_ms);
                }
                PairChange::Requested { kind, expires_ms } => {
                    shown.request = request_shown(Some(kind));
                    shown.expire_time = until(Some(expires_ms));
                }
                PairChange::RequestEnded { kind } => shown.request = request_shown(Some(kind)),
                _ => {}
            }
        }
    }
    shown
}

/// Adds what a post answers, reposts or quotes.
const fn show_original(shown: &mut v1::Event, post: PostKind) {
    match post {
        PostKind::Post => {}
        PostKind::Reply { to, author } => {
            (shown.reply_to, shown.original_author) = (to.get(), author.get());
        }
        PostKind::Repost { of, author } | PostKind::Quote { of, author } => {
            (shown.repost_of, shown.original_author) = (of.get(), author.get());
        }
    }
}

const fn kind_of(kind: PairChange) -> Kind {
    match kind {
        PairChange::Followed { .. } => Kind::FOLLOWED,
        PairChange::Unfollowed => Kind::UNFOLLOWED,
        PairChange::Blocked { .. } => Kind::BLOCKED,
        PairChange::Unblocked => Kind::UNBLOCKED,
        PairChange::Muted { .. } => Kind::MUTED,
        PairChange::Unmuted => Kind::UNMUTED,
        PairChange::Requested { .. } => Kind::REQUESTED,
        PairChange::RequestEnded { .. } => Kind::REQUEST_ENDED,
    }
}

const fn group_kind(kind: GroupChange) -> Kind {
    match kind {
        GroupChange::Created => Kind::GROUP_CREATED,
        GroupChange::Updated => Kind::GROUP_UPDATED,
        GroupChange::MembersChanged => Kind::GROUP_MEMBERS_CHANGED,
        GroupChange::AudienceChanged => Kind::GROUP_AUDIENCE_CHANGED,
        GroupChange::Deleted => Kind::GROUP_DELETED,
    }
}

const fn user_kind(change: UserChange) -> Kind {
    match change {
        UserChange::Registered => Kind::USER_REGISTERED,
        UserChange::ProfileUpdated => Kind::USER_PROFILE_UPDATED,
        UserChange::PrivacySet => Kind::USER_PRIVACY_SET,
        UserChange::PasswordSet => Kind::USER_PASSWORD_SET,
        UserChange::Deactivated => Kind::USER_DEACTIVATED,
        UserChange::Reactivated => Kind::USER_REACTIVATED,
        UserChange::PhoneSet => Kind::USER_PHONE_SET,
        UserChange::EmailSet => Kind::USER_EMAIL_SET,
        UserChange::ExternalIdAssigned => Kind::USER_EXTERNAL_ID_ASSIGNED,
        UserChange::Deleted => Kind::USER_DELETED,
        UserChange::Erased => Kind::USER_ERASED,
        UserChange::SignedOut => Kind::USER_SIGNED_OUT,
        UserChange::LoggedIn => Kind::USER_LOGGED_IN,
        UserChange::SessionEnded => Kind::USER_SESSION_ENDED,
        UserChange::TakenDown => Kind::USER_TAKEN_DOWN,
        UserChange::Reinstated => Kind::USER_REINSTATED,
    }
}

const fn post_kind(kind: PostChange) -> Kind {
    match kind {
        PostChange::Created => Kind::POST_CREATED,
        PostChange::Imported => Kind::POST_IMPORTED,
        PostChange::Edited => Kind::POST_EDITED,
        PostChange::Widened => Kind::POST_WIDENED,
        PostChange::Narrowed => Kind::POST_NARROWED,
        PostChange::Deleted => Kind::POST_DELETED,
        PostChange::Restored => Kind::POST_RESTORED,
        PostChange::Purged => Kind::POST_PURGED,
        PostChange::TakenDown => Kind::POST_TAKEN_DOWN,
        PostChange::Reinstated => Kind::POST_REINSTATED,
    }
}

/// Makes the two ways between operations and causes of the table of operations.
macro_rules! causes {
    (
        plain { $(
            $(#[$doc:meta])*
            $op:ident { $code:literal, $name:literal, $title:literal, $guard:expr, $cause:ident, $($rpc:tt)* }
        )* }
        own { $(
            $(#[$own_doc:meta])*
            $own:ident { $own_code:literal, $own_name:literal, $own_title:literal, $own_guard:expr, $own_cause:ident }
        )* }
    ) => {
        /// The cause of an event, as the wire has it.
        pub(crate) const fn cause_of(op: Op) -> Cause {
            match op {
                $(Op::$op => Cause::$cause,)*
                $(Op::$own => Cause::$own_cause,)*
            }
        }

        /// The operation that a cause of the wire names.
        pub const fn op_of(cause: Cause) -> Option<Op> {
            match cause {
                $(Cause::$cause => Some(Op::$op),)*
                $(Cause::$own_cause => Some(Op::$own),)*
                Cause::CAUSE_UNSPECIFIED => None,
            }
        }
    };
}
guanxi_model::for_each_pair_op!(causes);
