//! The operator's tasks: as methods for the binary, and as the ports for the conformance suite.

use std::num::NonZeroU32;

use std::io;

use guanxi_model::{Credential, Error, Position, Principal, Reason, RestrictionKind, Result, Scopes, Uid};
use guanxi_ports::{
    BoxFuture, Credentials, Difference, DifferenceKind, ExportEdge, Progress, Upkeep, VerifyReport,
};
use guanxi_proto::v1::{self, difference::Kind, verify_response::Step};

use super::graph::kind_shown;
use super::view::export_back;
use super::{Remote, broken, call};
use crate::convert::stamp;
use crate::error::from_wire;

/// Told how far a task is.
pub(super) type OnProgress<'a> = &'a mut (dyn FnMut(Progress) + Send);

impl Remote {
    /// Has the server compare all its tables at one snapshot.
    ///
    /// # Errors
    /// When the server cannot be reached, or cannot read its store.
    pub async fn verify(&self, progress: OnProgress<'_>) -> Result<VerifyReport> {
        let streams = self.operator()?.admin_streams();
        let mut stream =
            streams.verify(v1::VerifyRequest::default()).await.map_err(|error| from_wire(&error))?;
        let mut report = None;
        while let Some(said) =
            stream.message::<v1::VerifyResponse>().await.map_err(|error| from_wire(&error))?
        {
            match said.to_owned_message().step {
                Some(Step::Progress(now)) => progress(Progress { done: now.done, total: now.total }),
                Some(Step::Report(found)) => report = Some(report_back(&found)?),
                None => {}
            }
        }
        let report = report.ok_or_else(|| broken("no report"))?;
        self.saw(&report.position.to_token())?;
        Ok(report)
    }

    /// Writes a dump of the server's whole store into `sink`, and answers where it stands.
    ///
    /// # Errors
    /// When the server cannot be reached or cannot read its store, or `sink` cannot be written.
    pub async fn backup(
        &self,
        sink: &mut (dyn io::Write + Send),
        progress: OnProgress<'_>,
    ) -> Result<Position> {
        let streams = self.operator()?.admin_streams();
        let mut stream =
            streams.backup(v1::BackupRequest::default()).await.map_err(|error| from_wire(&error))?;
        let mut position = None;
        while let Some(said) =
            stream.message::<v1::BackupResponse>().await.map_err(|error| from_wire(&error))?
        {
            let said = said.to_owned_message();
            sink.write_all(&said.chunk).map_err(|error| Error::with_detail(Reason::Internal, error))?;
            if let Some(now) = said.progress.as_option() {
                progress(Progress { done: now.done, total: now.total });
            }
            if !said.token.is_empty() {
                position = Some(self.saw(&said.token)?);
            }
        }
        // Without the token the dump was cut off, whatever arrived of it.
        position.ok_or_else(|| broken("no end: the dump is not whole"))
    }

    /// Reads all follows, or restrictions of a kind, at one position, chunk by chunk, and answers the position.
    ///
    /// # Errors
    /// When the server cannot be reached, or `each` fails.
    pub async fn export(
        &self,
        kind: Option<RestrictionKind>,
        each: &mut (dyn FnMut(&[ExportEdge]) -> io::Result<()> + Send),
    ) -> Result<Position> {
        let streams = self.operator()?.admin_streams();
        let mut stream = streams
            .export_edges(v1::ExportEdgesRequest { kind: kind_shown(kind), ..Default::default() })
            .await
            .map_err(|error| from_wire(&error))?;
        let mut token = String::new();
        while let Some(chunk) =
            stream.message::<v1::ExportEdgesResponse>().await.map_err(|error| from_wire(&error))?
        {
            let chunk = chunk.to_owned_message();
            let edges = chunk.edges.iter().map(export_back).collect::<Result<Vec<_>>>()?;
            each(&edges).map_err(|error| Error::with_detail(Reason::Internal, error))?;
            token = chunk.token;
        }
        self.saw(&token)
    }

    /// Has the server make a token, and answers its secret, which is shown only now.
    ///
    /// # Errors
    /// `ALREADY_EXISTS`, `TOO_LONG`, `MISSING_FIELD`, `LIMIT_REACHED`.
    pub async fn create_token(
        &self,
        name: &str,
        principal: &Principal,
        rate_per_minute: Option<NonZeroU32>,
    ) -> Result<String> {
        let rate_per_minute = rate_per_minute.map_or(0, NonZeroU32::get);
        let mut request =
            v1::CreateTokenRequest { name: name.to_owned(), rate_per_minute, ..Default::default() };
        match principal {
            Principal::EndUser(uid) => request.end_user = uid.get(),
            Principal::Admin => request.admin = true,
            Principal::Service(scopes) => request.scopes = scopes.names().map(str::to_owned).collect(),
        }
        Ok(call(self.operator()?.admin().create_token(request).await)?.secret)
    }

    /// All tokens by name. Their hashes stay on the server; those answered here are zero.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn list_tokens(&self) -> Result<Vec<Credential>> {
        let answer = call(self.operator()?.admin().list_tokens(v1::ListTokensRequest::default()).await)?;
        answer.tokens.iter().map(credential_back).collect()
    }

    /// Revokes a token; `false` when there was none of this name.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn revoke_token(&self, name: &str) -> Result<bool> {
        let request = v1::RevokeTokenRequest { name: name.to_owned() };
        match call(self.operator()?.admin().revoke_token(request).await) {
            Ok(_) => Ok(true),
            Err(error) if error.reason == Reason::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Upkeep for Remote {
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        // What this port is given cannot cross threads, and the task it waits for can: the last progress is told.
        let mut last = None;
        let report = self.runtime.block_on(Self::verify(self, &mut |now| last = Some(now)));
        last.into_iter().for_each(progress);
        report
    }

    fn dump(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        let mut last = None;
        let mut dump = Vec::new();
        let position = self.runtime.block_on(self.backup(&mut dump, &mut |now| last = Some(now)))?;
        last.into_iter().for_each(progress);
        sink.write_all(&dump).map_err(|error| Error::with_detail(Reason::Internal, error))?;
        Ok(position)
    }
}

impl Credentials for Remote {
    fn add(&self, _credential: Credential) -> BoxFuture<'_, Result<()>> {
        let error = Error::with_detail(Reason::Internal, "the server makes the secrets of its tokens itself");
        Box::pin(std::future::ready(Err(error)))
    }

    fn find(&self, _hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>> {
        let error = Error::with_detail(Reason::Internal, "the server shows no hashes of its tokens");
        Box::pin(std::future::ready(Err(error)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>> {
        Box::pin(self.list_tokens())
    }

    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>> {
        let name = name.to_owned();
        Box::pin(async move { self.revoke_token(&name).await })
    }
}

fn report_back(found: &v1::VerifyReport) -> Result<VerifyReport> {
    Ok(VerifyReport {
        position: Position::from_token(&found.token)?,
        forward: found.forward.unwrap_or_default(),
        reverse: found.reverse.unwrap_or_default(),
        counters: found.counters.unwrap_or_default(),
        mutual: found.mutual.unwrap_or_default(),
        marks: found.marks.unwrap_or_default(),
        posts: found.posts.unwrap_or_default(),
        likes: found.likes.unwrap_or_default(),
        differences_total: found.differences_total.unwrap_or_default(),
        differences: found.differences.iter().map(difference_back).collect::<Result<_>>()?,
    })
}

fn difference_back(found: &v1::Difference) -> Result<Difference> {
    Ok(Difference {
        kind: kind_back(found.kind.as_known()).ok_or_else(|| broken("a difference of an unknown kind"))?,
        subject: Uid::new(found.subject).ok(),
        object: Uid::new(found.object).ok(),
        detail: found.detail.clone(),
    })
}

const fn kind_back(kind: Option<Kind>) -> Option<DifferenceKind> {
    Some(match kind {
        Some(Kind::REVERSE_MISSING) => DifferenceKind::ReverseMissing,
        Some(Kind::FORWARD_MISSING) => DifferenceKind::ForwardMissing,
        Some(Kind::TIME_DIFFERS) => DifferenceKind::TimeDiffers,
        Some(Kind::MUTUAL_MARK_MISSING) => DifferenceKind::MutualMarkMissing,
        Some(Kind::MUTUAL_MARK_WRONG) => DifferenceKind::MutualMarkWrong,
        Some(Kind::FOLLOWING_COUNT) => DifferenceKind::FollowingCount,
        Some(Kind::FOLLOWERS_COUNT) => DifferenceKind::FollowersCount,
        Some(Kind::FRIENDS_COUNT) => DifferenceKind::FriendsCount,
        Some(Kind::BLOCKS_COUNT) => DifferenceKind::BlocksCount,
        Some(Kind::MUTES_COUNT) => DifferenceKind::MutesCount,
        Some(Kind::REQUESTS_COUNT) => DifferenceKind::RequestsCount,
        Some(Kind::FOLLOW_DESPITE_BLOCK) => DifferenceKind::FollowDespiteBlock,
        Some(Kind::LOG_GAP) => DifferenceKind::LogGap,
        Some(Kind::OUTBOX_MISSING) => DifferenceKind::OutboxMissing,
        Some(Kind::POST_MISSING) => DifferenceKind::PostMissing,
        Some(Kind::LIKE_UNLISTED) => DifferenceKind::LikeUnlisted,
        Some(Kind::LIKE_MISSING) => DifferenceKind::LikeMissing,
        Some(Kind::LIKES_COUNT) => DifferenceKind::LikesCount,
        Some(Kind::REPLIES_COUNT) => DifferenceKind::RepliesCount,
        Some(Kind::REPOSTS_COUNT) => DifferenceKind::RepostsCount,
        Some(Kind::REPOST_INDEX) => DifferenceKind::RepostIndex,
        Some(Kind::LIKE_INDEX) => DifferenceKind::LikeIndex,
        Some(Kind::DELETED_INDEX) => DifferenceKind::DeletedIndex,
        Some(Kind::MARK_INDEX) => DifferenceKind::MarkIndex,
        Some(Kind::HEAD_BEHIND) => DifferenceKind::HeadBehind,
        Some(Kind::POST_IDS_BEHIND) => DifferenceKind::PostIdsBehind,
        Some(Kind::UNDECODABLE) => DifferenceKind::Undecodable,
        Some(Kind::KIND_UNSPECIFIED) | None => return None,
    })
}

fn credential_back(token: &v1::Token) -> Result<Credential> {
    let scopes = || Scopes::of_names(token.scopes.iter().map(String::as_str));
    let principal = match (token.admin, token.end_user) {
        (true, _) => Principal::Admin,
        (false, 0) => Principal::Service(scopes().ok_or_else(|| broken("too many scopes"))?),
        (false, uid) => Principal::EndUser(Uid::new(uid)?),
    };
    let created =
        token.create_time.as_option().and_then(stamp).ok_or_else(|| broken("a token without a time"))?;
    Ok(Credential {
        hash: [0; 32],
        name: token.name.clone(),
        principal,
        created_ms: created.ms(),
        rate_per_minute: NonZeroU32::new(token.rate_per_minute),
    })
}
