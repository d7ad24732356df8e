//! Exports of one user, one record per message.

use std::collections::VecDeque;
use std::sync::Arc;

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::user::ShownUser;
use guanxi_centers::user::export::{ExportedAccount, ExportedSession, UserExport, UserExports, UserRecord};
use guanxi_model::{Counts, Edge, Error, ExternalId, List, Reason, Result, Stamp};
use guanxi_proto::v1::{self, export_user_response::Record};
use guanxi_rim::errors::to_wire;
use guanxi_rim::{Caller, Load, ROWS_PER_CALL};

use super::{sessions, shape};
use crate::convert::{at_least, counter, request_shown, required, time, until};
use crate::post::shape::{post, revision};
use crate::relation::group_shown as group;

/// A session of a call, by its id.
type Current = Option<[u8; 32]>;

/// An open stream.
struct Exporting {
    export: UserExport,
    /// Records that were read and are not sent yet.
    records: VecDeque<UserRecord>,
    current: Current,
    load: Arc<Load>,
    /// The caller that pays for what is read; `None` for an operator's export.
    payer: Option<Caller>,
    /// Records that are not paid for yet.
    owed: u64,
}

/// Opens a stream of what is kept of the caller's user.
pub(super) fn export_user(
    exports: &UserExports,
    load: Arc<Load>,
    caller: &Caller,
    request: &v1::ExportUserRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportUserResponse, ConnectError>> + Send + use<>> {
    let uid = caller.uid(request.uid, "uid")?;
    let export = exports.start(uid, at_least(request.token)?);
    Ok(stream(export, sessions::current(caller), load, Some(caller.clone())))
}

/// Opens a stream of what is kept of any user, for operators.
pub(crate) fn export_any_user(
    exports: &UserExports,
    load: Arc<Load>,
    request: &v1::ExportUserRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportUserResponse, ConnectError>> + Send + use<>> {
    let uid = required(request.uid, "uid")?;
    Ok(stream(exports.start(uid, at_least(request.token)?), None, load, None))
}

fn stream(
    export: UserExport,
    current: Current,
    load: Arc<Load>,
    payer: Option<Caller>,
) -> impl Stream<Item = Result<v1::ExportUserResponse, ConnectError>> + Send {
    let exporting = Exporting { export, records: VecDeque::new(), current, load, payer, owed: 0 };
    futures::stream::unfold(Some(exporting), |exporting| async {
        let mut exporting = exporting?;
        match exporting.next().await {
            Ok(record) => Some((Ok(shown(&record?, exporting.current)), Some(exporting))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    })
}

impl Exporting {
    /// The next record; `None` after the end.
    async fn next(&mut self) -> Result<Option<UserRecord>> {
        while self.records.is_empty() {
            let load = Arc::clone(&self.load);
            let more = tokio::select! {
                biased;
                () = load.closed() => return Err(Error::new(Reason::ShuttingDown)),
                more = self.export.next() => more?,
            };
            let Some(records) = more else { return Ok(None) };
            self.pay(records.len() as u64);
            self.records = records.into();
        }
        Ok(self.records.pop_front())
    }

    /// Steps are small: many together are a call.
    fn pay(&mut self, records: u64) {
        self.owed += records;
        if let Some(payer) = self.payer.as_ref().filter(|_| self.owed >= ROWS_PER_CALL) {
            payer.pay_for_rows(self.owed);
            self.owed = 0;
        }
    }
}

/// A record of an export as a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportLine {
    /// The message, without a line break.
    pub json: String,
    /// Whether it is the last one, which says that nothing is missing.
    pub is_end: bool,
}

impl ExportLine {
    /// The line of a record.
    ///
    /// # Errors
    /// When the record cannot be written as JSON, which is a defect.
    pub(crate) fn of(message: &v1::ExportUserResponse) -> Result<Self> {
        let is_end = matches!(message.record, Some(Record::End(_)));
        let json = serde_json::to_string(message);
        let json = json.map_err(|error| Error::with_detail(Reason::Internal, error))?;
        Ok(Self { json, is_end })
    }
}

fn shown(record: &UserRecord, current: Current) -> v1::ExportUserResponse {
    let record = match record {
        UserRecord::Account(found) => Record::Account(Box::new(account(found))),
        UserRecord::Session(found) => {
            let ExportedSession { session, token_name } = &**found;
            Record::Session(Box::new(v1::ExportedSession {
                session: MessageField::some(sessions::shown(session, current)),
                token_name: token_name.clone().unwrap_or_default(),
            }))
        }
        UserRecord::Edge(list, found) => {
            let found = Box::new(edge(*found));
            match list {
                // Friends are both, and no list of the export.
                List::Following | List::Friends => Record::Following(found),
                List::Followers => Record::Follower(found),
                List::Blocks => Record::Block(found),
                List::Mutes => Record::Mute(found),
            }
        }
        UserRecord::Mute(found, terms) => Record::Mute(Box::new(v1::ExportedEdge {
            reposts_only: terms.reposts_only,
            expire_time: until(terms.until_ms),
            ..edge(*found)
        })),
        UserRecord::Request(found) => Record::Request(Box::new(v1::ExportedRequest {
            subject: found.sender.get(),
            object: found.receiver.get(),
            request: request_shown(Some(found.kind)),
            create_time: MessageField::some(time(found.at)),
            expire_time: until(Some(found.expires_ms)),
            message: found.message.clone(),
        })),
        UserRecord::Rejection(other, until_ms) => Record::Rejection(Box::new(v1::ExportedRejection {
            uid: other.get(),
            expire_time: until(Some(*until_ms)),
        })),
        UserRecord::RemovedFollow(found) => Record::RemovedFollow(Box::new(edge(*found))),
        UserRecord::Dismissed(found) => Record::Dismissed(Box::new(edge(*found))),
        UserRecord::Affinity(uid) => Record::Affinity(Box::new(v1::ExportedAffinity { uid: uid.get() })),
        UserRecord::Group(found) => Record::Group(Box::new(v1::ExportedGroup {
            group: MessageField::some(group(&found.group)),
            members: found.members.iter().copied().map(edge).collect(),
        })),
        UserRecord::ImportedName(key, id) => {
            Record::ImportedName(Box::new(v1::ExportedName { key: key.clone(), post_id: id.get() }))
        }
        UserRecord::Post(found) => Record::Post(Box::new(v1::ExportedPost {
            post: MessageField::some(post(found)),
            deleted: found.header.deleted && !found.header.taken_down,
            delete_time: found
                .deleted_ms
                .filter(|_| found.revision > 0)
                .map(|ms| time(Stamp::from_ms(ms)))
                .into(),
        })),
        UserRecord::Revision { id, create_ms, revision: found } => {
            Record::Revision(Box::new(revision(*id, *create_ms, found)))
        }
        UserRecord::Like(like) => Record::Like(Box::new(v1::ExportedPostLike {
            post_id: like.id.get(),
            create_time: MessageField::some(time(like.at)),
        })),
        UserRecord::End { records, position } => {
            Record::End(Box::new(v1::ExportEnd { records: *records, token: position.to_token() }))
        }
    };
    v1::ExportUserResponse { record: Some(record) }
}

fn account(found: &ExportedAccount) -> v1::ExportedAccount {
    let ExportedAccount { user, external_id, follow_limit, counts, seen, notes, position } = found;
    let Counts { following, followers, friends, blocks, mutes } = *counts;
    let counts = v1::Counts {
        uid: user.uid.get(),
        following: Some(following),
        followers: Some(counter(followers)),
        friends: Some(friends),
        blocks: Some(blocks),
        mutes: Some(mutes),
    };
    v1::ExportedAccount {
        user: MessageField::some(shape::shown(&ShownUser { user: user.clone(), whole: true })),
        external_id: external_id.as_ref().map(ExternalId::as_str).unwrap_or_default().to_owned(),
        follow_limit: *follow_limit,
        counts: MessageField::some(counts),
        seen: seen.to_token(),
        requests_seen_time: notes.requests_seen.map(time).into(),
        sign_out_time: until(notes.signed_out_ms),
        token: position.to_token(),
    }
}

fn edge(found: Edge) -> v1::ExportedEdge {
    v1::ExportedEdge {
        uid: found.uid.get(),
        create_time: MessageField::some(time(found.at)),
        ..Default::default()
    }
}
