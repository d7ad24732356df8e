//! Posts and what follows from them: outboxes, heads, counters, and the lists of likes.
//!
//! Tables are ordered by post or by author, so there are two passes. One is by post, over posts, their counters and likes ([`by_post`]).
//! The other is by author, over outboxes and heads ([`by_author`]), and over plain reposts ([`index`]), lists of reposts ([`shares`]),
//! likes ([`likes`]) and deleted posts ([`deleted`]). What has to agree across the two orders is folded into cells, and only if a cell
//! differs, its rows are read again and each wrong one is named ([`naming`]).

mod by_author;
mod by_post;
mod deleted;
mod index;
mod likes;
mod naming;
mod shares;

use super::cells::ComparedCells;
use super::findings::Findings;
use crate::engine::EngineResult;
use crate::progress::ProgressMeter;
use crate::view::View;
use guanxi_model::post::Kind;
use guanxi_model::{PostHeader, PostId, Uid};

/// How many rows were compared.
#[derive(Clone, Copy, Default)]
pub(super) struct ComparedPosts {
    pub posts: u64,
    pub likes: u64,
}

/// What has to agree across the order of posts and that of authors, or of parents.
struct Folds {
    /// Posts, and their places in outboxes.
    outboxes: ComparedCells,
    /// Replies and reposts that are not deleted, and their parents' counters.
    children: ComparedCells,
    /// Plain reposts that stand, and their places in the index.
    reposts: ComparedCells,
    /// Reposts and quotes that stand, and their places in the lists of their originals.
    shares: ComparedCells,
    /// Likes by post, and the same by user.
    likes: ComparedCells,
    /// Deleted posts with the time of that, and the same by time.
    deleted: ComparedCells,
}

/// What counts at a parent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Counted {
    Replies = 1,
    Reposts = 2,
}

/// Returns where a post counts, unless it is deleted.
const fn counted(header: &PostHeader) -> Option<(PostId, Counted)> {
    match header.kind {
        _ if header.deleted => None,
        Kind::Post => None,
        Kind::Reply { to, .. } => Some((to, Counted::Replies)),
        Kind::Repost { of, .. } | Kind::Quote { of, .. } => Some((of, Counted::Reposts)),
    }
}

/// Returns what an item is in the index of plain reposts, unless it is none or deleted: the user and the original.
const fn indexed(item: &PostHeader) -> Option<(Uid, PostId)> {
    match item.kind {
        Kind::Repost { of, .. } if !item.deleted => Some((item.author, of)),
        _ => None,
    }
}

/// Returns what an item shares, unless it is no repost or quote, or deleted.
fn shared(item: &PostHeader) -> Option<PostId> {
    item.kind.shared().filter(|_| !item.deleted).map(|(original, _)| original)
}

/// Checks all posts of a view.
pub(super) fn check(
    view: &View,
    seed: u64,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<(ComparedPosts, Findings)> {
    let mut folds = Folds {
        outboxes: ComparedCells::new(seed),
        children: ComparedCells::new(!seed),
        reposts: ComparedCells::new(!seed),
        shares: ComparedCells::new(seed),
        likes: ComparedCells::new(seed),
        deleted: ComparedCells::new(seed),
    };
    let (compared, mut findings) = by_post::compare(view, seed, &mut folds, meter)?;
    findings.append(by_author::compare(view, &mut folds.outboxes, meter)?);
    findings.append(index::compare(view, &mut folds.reposts, meter)?);
    findings.append(shares::compare(view, &mut folds.shares, meter)?);
    findings.append(likes::compare(view, &mut folds.likes, meter)?);
    findings.append(deleted::compare(view, &mut folds.deleted, meter)?);
    naming::outboxes(view, &folds.outboxes, &mut findings, meter)?;
    naming::children(view, &folds.children, &mut findings, meter)?;
    Ok((compared, findings))
}
