//! What verifications and repairs found, as the wire has it.

use buffa::{EnumValue, MessageField};
use guanxi_model::Uid;
use guanxi_ports::{
    Difference, DifferenceKind, HeatCell, MendProgress, MendReport, MendStage, Progress, Remedy, VerifyReport,
};
use guanxi_proto::v1::{
    self, difference::Kind, repair_progress::Stage, repair_report::Remedy as Shown, repair_response::Step,
};

/// The progress of a task.
pub(super) const fn progress(progress: Progress) -> v1::Progress {
    v1::Progress { done: progress.done, total: progress.total }
}

/// The progress of a repair.
pub(super) fn mending(now: MendProgress) -> v1::RepairResponse {
    let stage = match now.stage {
        MendStage::Comparing => Stage::COMPARING,
        MendStage::Mending => Stage::MENDING,
    };
    let (stage, progress) = (EnumValue::from(stage), MessageField::some(progress(now.progress)));
    let now = v1::RepairProgress { stage, progress, mended: now.mended };
    v1::RepairResponse { step: Some(Step::Progress(Box::new(now))) }
}

/// The result of a repair.
pub(super) fn mended_all(found: &MendReport) -> v1::RepairResponse {
    let report = v1::RepairReport {
        found: Some(found.found),
        mended: Some(found.mended),
        left: MessageField::some(verified(&found.left)),
        remedies: found.remedies().into_iter().map(|one| EnumValue::from(remedy(one))).collect(),
    };
    v1::RepairResponse { step: Some(Step::Report(Box::new(report))) }
}

const fn remedy(remedy: Remedy) -> Shown {
    match remedy {
        Remedy::MendAgain => Shown::REPAIR_AGAIN,
        Remedy::RestoreDump => Shown::RESTORE_DUMP,
        Remedy::RestoreBackup => Shown::RESTORE_BACKUP,
        Remedy::EndFact => Shown::END_FACT,
    }
}

fn heat_cell(cell: &HeatCell) -> v1::HeatCell {
    let HeatCell { subjects, objects, forward, reverse, agrees } = *cell;
    v1::HeatCell { subjects: subjects.into(), objects: objects.into(), forward, reverse, agrees }
}

/// The result of a verification.
pub(super) fn verified(found: &VerifyReport) -> v1::VerifyReport {
    v1::VerifyReport {
        forward: Some(found.forward),
        reverse: Some(found.reverse),
        counters: Some(found.counters),
        mutual: Some(found.mutual),
        marks: Some(found.marks),
        posts: Some(found.posts),
        likes: Some(found.likes),
        differences_total: Some(found.differences_total),
        differences: found.differences.iter().map(difference).collect(),
        token: found.position.to_token(),
        heat: found.heat.iter().map(heat_cell).collect(),
    }
}

fn difference(found: &Difference) -> v1::Difference {
    v1::Difference {
        kind: EnumValue::from(kind(found.kind)),
        subject: found.subject.map_or(0, Uid::get),
        object: found.object.map_or(0, Uid::get),
        detail: found.detail.clone(),
    }
}

const fn kind(kind: DifferenceKind) -> Kind {
    match kind {
        DifferenceKind::ReverseMissing => Kind::REVERSE_MISSING,
        DifferenceKind::ForwardMissing => Kind::FORWARD_MISSING,
        DifferenceKind::TimeDiffers => Kind::TIME_DIFFERS,
        DifferenceKind::MutualMarkMissing => Kind::MUTUAL_MARK_MISSING,
        DifferenceKind::MutualMarkWrong => Kind::MUTUAL_MARK_WRONG,
        DifferenceKind::FollowingCount => Kind::FOLLOWING_COUNT,
        DifferenceKind::FollowersCount => Kind::FOLLOWERS_COUNT,
        DifferenceKind::FriendsCount => Kind::FRIENDS_COUNT,
        DifferenceKind::BlocksCount => Kind::BLOCKS_COUNT,
        DifferenceKind::MutesCount => Kind::MUTES_COUNT,
        DifferenceKind::RequestsCount => Kind::REQUESTS_COUNT,
        DifferenceKind::FollowDespiteBlock => Kind::FOLLOW_DESPITE_BLOCK,
        DifferenceKind::Undecodable => Kind::UNDECODABLE,
        DifferenceKind::AccountCopy => Kind::ACCOUNT_COPY,
        DifferenceKind::ShardMisplaced => Kind::SHARD_MISPLACED,
        DifferenceKind::Digest => Kind::DIGEST,
        DifferenceKind::LogGap => Kind::LOG_GAP,
        DifferenceKind::OutboxMissing => Kind::OUTBOX_MISSING,
        DifferenceKind::PostMissing => Kind::POST_MISSING,
        DifferenceKind::LikeUnlisted => Kind::LIKE_UNLISTED,
        DifferenceKind::LikeMissing => Kind::LIKE_MISSING,
        DifferenceKind::LikesCount => Kind::LIKES_COUNT,
        DifferenceKind::RepliesCount => Kind::REPLIES_COUNT,
        DifferenceKind::RepostsCount => Kind::REPOSTS_COUNT,
        DifferenceKind::RepostIndex => Kind::REPOST_INDEX,
        DifferenceKind::LikeIndex => Kind::LIKE_INDEX,
        DifferenceKind::DeletedIndex => Kind::DELETED_INDEX,
        DifferenceKind::MarkIndex => Kind::MARK_INDEX,
        DifferenceKind::HeadBehind => Kind::HEAD_BEHIND,
        DifferenceKind::PostIdsBehind => Kind::POST_IDS_BEHIND,
    }
}
