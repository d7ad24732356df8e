//! One pass over posts, their counters and their likes, post by post.

use super::{ComparedPosts, Counted, Folds, counted, indexed, shared};
use crate::engine::{EngineResult, Table};
use crate::layout::{IDS_KEY, decode_number};
use crate::progress::ProgressMeter;
use crate::upkeep::verify::cells::hash_pair;
use crate::upkeep::verify::findings::Findings;
use crate::upkeep::verify::posts::naming;
use crate::upkeep::verify::source::{self, RowSource};
use crate::view::View;
use guanxi_model::post::PostStats;
use guanxi_model::{Edge, Post, Uid};
use guanxi_ports::DifferenceKind;

struct Pass<'a, 'm> {
    view: &'a View,
    seed: u64,
    posts: RowSource<Option<Post>>,
    stats: RowSource<Option<PostStats>>,
    likes: RowSource<Edge>,
    listed: RowSource<Edge>,
    folds: &'a mut Folds,
    meter: &'a mut ProgressMeter<'m>,
    findings: Findings,
}

/// Likes of one post, in any order.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Digest {
    count: u64,
    sum: u64,
}

/// Compares the rows about each post, and folds what has to agree elsewhere.
pub(super) fn compare(
    view: &View,
    seed: u64,
    folds: &mut Folds,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<(ComparedPosts, Findings)> {
    let snapshot = &view.snapshot;
    let mut pass = Pass {
        view,
        seed,
        posts: source::posts(snapshot)?,
        stats: source::post_stats(snapshot)?,
        likes: source::likes(snapshot)?,
        listed: source::like_times(snapshot)?,
        folds,
        meter,
        findings: Findings::default(),
    };
    let mut newest = None;
    while let Some(id) = pass.next_post() {
        newest = pass.posts.of().or(newest);
        pass.post(id)?;
    }
    ids(view, newest, &mut pass.findings)?;
    let compared = ComparedPosts { posts: pass.posts.read, likes: pass.likes.read };
    let mut findings = pass.findings;
    findings.append(pass.posts.into_undecodable());
    findings.append(pass.stats.into_undecodable());
    findings.append(pass.likes.into_undecodable());
    findings.append(pass.listed.into_undecodable());
    Ok((compared, findings))
}

/// Post ids go on above the newest post. A number that cannot be decoded is named with the records.
fn ids(view: &View, newest: Option<u64>, findings: &mut Findings) -> EngineResult<()> {
    let stored = view.snapshot.get(Table::Records, IDS_KEY)?;
    let stored = stored.map_or(Some(0), |bytes| decode_number(&bytes));
    if let (Some(stored), Some(newest)) = (stored, newest)
        && newest > stored
    {
        findings.add(DifferenceKind::PostIdsBehind, None, None, || {
            format!("post ids go on after {stored}, but there is post {newest}")
        });
    }
    Ok(())
}

impl Pass<'_, '_> {
    /// The smallest post that any table has rows of.
    fn next_post(&self) -> Option<u64> {
        let heads = [self.posts.of(), self.stats.of(), self.likes.of(), self.listed.of()];
        heads.into_iter().flatten().min()
    }

    fn post(&mut self, id: u64) -> EngineResult<()> {
        let known = self.posts.next_of(id)?;
        let of_users = &mut self.folds.likes;
        let fold = |like: Edge| of_users.forward(like.uid.get(), id, like.at.raw());
        let likes = digest(&mut self.likes, id, self.seed, self.meter, fold)?;
        let listed = digest(&mut self.listed, id, self.seed, self.meter, |_| {})?;
        let stats = self.stats(id)?;
        match &known {
            Some(Some(post)) => self.fold(post),
            Some(None) => self.undecodable(id, "the post"),
            None => self.findings.add(DifferenceKind::PostMissing, None, None, || {
                format!("there are likes or counters of post {id}, but no such post")
            }),
        }
        if likes != listed {
            let author = author_of(known.as_ref());
            naming::likes(self.view, id, author, &mut self.findings)?;
        }
        if let Some(stats) = stats
            && known.is_some()
            && stats.likes != likes.count
        {
            self.findings.add(
                DifferenceKind::LikesCount,
                author_of(known.as_ref()).map(Uid::get),
                None,
                || format!("post {id}: the counter says {}, expected {}", stats.likes, likes.count),
            );
        }
        Ok(())
    }

    fn fold(&mut self, post: &Post) {
        self.meter.row();
        let header = &post.header;
        if let Some(ms) = post.deleted_ms {
            self.folds.deleted.forward(header.id.get(), 0, ms);
        } else if header.deleted && !header.taken_down && post.revision > 0 {
            let author = Some(header.author.get());
            self.findings.add(DifferenceKind::DeletedIndex, author, None, || {
                format!("post {} is deleted, and does not say since when", header.id)
            });
        }
        self.folds.outboxes.forward(header.author.get(), header.id.get(), 0);
        if let Some((parent, counted)) = counted(header) {
            self.folds.children.forward(parent.get(), counted as u64, 0);
        }
        if let Some(original) = shared(header) {
            self.folds.shares.forward(original.get(), header.id.get(), 0);
        }
        if let Some((user, original)) = indexed(header) {
            self.folds.reposts.forward(user.get(), original.get(), header.id.get());
        }
    }

    /// The counters of a post, folded; `None` if they cannot be decoded.
    fn stats(&mut self, id: u64) -> EngineResult<Option<PostStats>> {
        let stats = match self.stats.next_of(id)? {
            None => PostStats::default(),
            Some(Some(stats)) => stats,
            Some(None) => {
                self.undecodable(id, "the counters");
                return Ok(None);
            }
        };
        let children = &mut self.folds.children;
        children.reverse_times(id, Counted::Replies as u64, 0, stats.replies);
        children.reverse_times(id, Counted::Reposts as u64, 0, stats.reposts);
        Ok(Some(stats))
    }

    fn undecodable(&mut self, id: u64, what: &str) {
        let detail = || format!("post {id}: {what} cannot be decoded");
        self.findings.add(DifferenceKind::Undecodable, None, None, detail);
    }
}

/// Returns whose a post is, if it can be decoded.
fn author_of(post: Option<&Option<Post>>) -> Option<Uid> {
    Some(post?.as_ref()?.header.author)
}

fn digest(
    likes: &mut RowSource<Edge>,
    id: u64,
    seed: u64,
    meter: &mut ProgressMeter<'_>,
    mut each: impl FnMut(Edge),
) -> EngineResult<Digest> {
    let mut digest = Digest::default();
    while let Some(like) = likes.next_of(id)? {
        each(like);
        meter.expect(1);
        meter.row();
        digest.count += 1;
        digest.sum = digest.sum.wrapping_add(hash_pair(seed, like.uid.get(), like.at.raw()));
    }
    Ok(digest)
}
