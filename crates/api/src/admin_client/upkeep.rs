//! Proof, mending and backup.

use std::io;

use guanxi_centers::operator::{SearchIndexKind, SearchProofStep};
use guanxi_model::{Error, Position, Reason, Result, Uid};
use guanxi_ports::search::DocDiffers;
use guanxi_ports::{
    Difference, DifferenceKind, GENE_GROUPS, HeatCell, MendProgress, MendReport, MendStage, Progress,
    VerifyReport,
};
use guanxi_proto::v1::repair_progress::Stage;
use guanxi_proto::v1::repair_response::Step as MendStep;
use guanxi_proto::v1::{self, difference::Kind, verify_response::Step};
use guanxi_proto::v1::{search_finding::Kind as Found, verify_search_response::Index};
use guanxi_rim::errors::from_wire;

use super::OperatorClient;
use crate::client_side::broken;

/// Told how far a task is.
type OnProgress<'a> = &'a mut (dyn FnMut(Progress) + Send);

impl OperatorClient {
    /// Has the server compare all its tables at one snapshot.
    ///
    /// # Errors
    /// When the server cannot be reached, or cannot read its store.
    pub async fn verify(&self, progress: OnProgress<'_>) -> Result<VerifyReport> {
        let streams = self.0.admin_streams();
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
        report.ok_or_else(|| broken("no report"))
    }

    /// Has the server mend derived rows, for a reason that the audit log keeps.
    ///
    /// # Errors
    /// When the server cannot be reached, or cannot read or write its store.
    pub async fn mend(
        &self,
        reason: &str,
        progress: &mut (dyn FnMut(MendProgress) + Send),
    ) -> Result<MendReport> {
        let streams = self.0.admin_streams();
        let request = v1::RepairRequest { reason: reason.to_owned() };
        let mut stream = streams.repair(request).await.map_err(|error| from_wire(&error))?;
        let mut report = None;
        while let Some(said) =
            stream.message::<v1::RepairResponse>().await.map_err(|error| from_wire(&error))?
        {
            match said.to_owned_message().step {
                Some(MendStep::Progress(now)) => progress(mending_back(&now)),
                Some(MendStep::Report(found)) => report = Some(mended_back(&found)?),
                None => {}
            }
        }
        report.ok_or_else(|| broken("no report"))
    }

    /// Has the server build its search indexes anew, while they go on to answer.
    ///
    /// # Errors
    /// When the server cannot be reached; `SEARCH_UNAVAILABLE` when it keeps none.
    pub async fn rebuild_search(&self) -> Result<()> {
        let answer = self.0.admin().rebuild_search(v1::RebuildSearchRequest::default()).await;
        answer.map(drop).map_err(|error| from_wire(&error))
    }

    /// Has the server compare its search indexes with the facts.
    ///
    /// # Errors
    /// When the server cannot be reached or cannot read its store; `SEARCH_UNAVAILABLE` when it keeps none.
    pub async fn verify_search(&self, each: &mut (dyn FnMut(SearchProofStep) + Send)) -> Result<()> {
        let streams = self.0.admin_streams();
        let request = v1::VerifySearchRequest::default();
        let mut stream = streams.verify_search(request).await.map_err(|error| from_wire(&error))?;
        while let Some(said) =
            stream.message::<v1::VerifySearchResponse>().await.map_err(|error| from_wire(&error))?
        {
            each(step_back(&said.to_owned_message())?);
        }
        Ok(())
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
        let streams = self.0.admin_streams();
        let mut stream =
            streams.backup(v1::BackupRequest::default()).await.map_err(|error| from_wire(&error))?;
        let mut position = None;
        while let Some(said) =
            stream.message::<v1::BackupResponse>().await.map_err(|error| from_wire(&error))?
        {
            let said = said.to_owned_message();
            sink.write_all(&said.chunk).map_err(|error| not_written(&error))?;
            if let Some(now) = said.progress.as_option() {
                progress(Progress { done: now.done, total: now.total });
            }
            if !said.token.is_empty() {
                position = Some(Position::from_token(&said.token)?);
            }
        }
        // Without the token the dump was cut off, however much of it arrived.
        position.ok_or_else(|| broken("no end: the dump is not whole"))
    }
}

fn not_written(error: &io::Error) -> Error {
    Error::with_detail(Reason::Internal, format_args!("the dump cannot be written: {error}"))
}

fn mending_back(now: &v1::RepairProgress) -> MendProgress {
    let stage = match now.stage.as_known() {
        Some(Stage::MENDING) => MendStage::Mending,
        _ => MendStage::Comparing,
    };
    let progress = now.progress.as_option().map(|now| Progress { done: now.done, total: now.total });
    MendProgress { stage, progress: progress.unwrap_or(Progress { done: 0, total: 0 }), mended: now.mended }
}

fn mended_back(found: &v1::RepairReport) -> Result<MendReport> {
    let left = found.left.as_option().ok_or_else(|| broken("a repair without its last comparison"))?;
    Ok(MendReport {
        found: found.found.unwrap_or_default(),
        mended: found.mended.unwrap_or_default(),
        left: report_back(left)?,
    })
}

fn heat_back(cell: &v1::HeatCell) -> HeatCell {
    // A group of a server of another version that has more of them is the last one here.
    let group = |group: u32| u8::try_from(group).unwrap_or(u8::MAX).min(GENE_GROUPS as u8 - 1);
    HeatCell {
        subjects: group(cell.subjects),
        objects: group(cell.objects),
        forward: cell.forward,
        reverse: cell.reverse,
        agrees: cell.agrees,
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
        heat: found.heat.iter().map(heat_back).collect(),
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
        Some(Kind::ACCOUNT_COPY) => DifferenceKind::AccountCopy,
        Some(Kind::SHARD_MISPLACED) => DifferenceKind::ShardMisplaced,
        Some(Kind::DIGEST) => DifferenceKind::Digest,
        Some(Kind::KIND_UNSPECIFIED) | None => return None,
    })
}

fn step_back(said: &v1::VerifySearchResponse) -> Result<SearchProofStep> {
    let index = match said.index.as_known() {
        Some(Index::USERS) => SearchIndexKind::Users,
        Some(Index::POSTS) => SearchIndexKind::Posts,
        _ => return Err(broken("an index that this client does not know")),
    };
    let finding = |finding: &v1::SearchFinding| {
        let differs = match finding.kind.as_known() {
            Some(Found::MISSING) => DocDiffers::Missing,
            Some(Found::SURPLUS) => DocDiffers::Surplus,
            _ => DocDiffers::Field(finding.field.clone()),
        };
        (finding.uid.max(finding.post_id), differs)
    };
    Ok(SearchProofStep {
        index,
        compared: said.compared,
        findings: said.findings.iter().map(finding).collect(),
        left_out: said.left_out,
        as_of: Position::from_token(&said.as_of)?,
    })
}
