//! The questions of a page: each is answered from memory where that can, else from rows, which memory keeps.

use super::Break;
use super::process::log_of;
use super::tables::Refused;
use super::view::{Answer, View};
use guanxi_memory::cut::Cut as _;
use guanxi_memory::headers::KnownHeaders;
use guanxi_memory::known::posts::HeldPost;
use guanxi_memory::outboxes::{OutboxEntry, TAIL_LEN, TailAnswer};
use guanxi_memory::page::PageRows;
use guanxi_memory::pairs::PairEntry;
use guanxi_memory::relations::RelationsEntry;
use guanxi_memory::viewer_relations::HeldViewerRelations;
use guanxi_model::post::{Post, PostHeader};
use guanxi_model::{PostId, Relation, Uid};
use guanxi_ports::OutboxAsk;
use guanxi_shard::cells::Pair;
use std::collections::BTreeSet;

impl View {
    /// The relations within pairs.
    pub async fn relations(&mut self, pairs: &[Pair]) -> Result<Vec<Relation>, Refused> {
        let mut told = self.told_in(pairs).await?;
        let missing: Vec<Pair> =
            pairs.iter().zip(&told).filter(|(_, told)| told.is_none()).map(|(pair, _)| *pair).collect();
        if !missing.is_empty() {
            let memory = self.memory.clone();
            let begin = || memory.pairs.begin_fills(missing.iter().copied());
            let fills = (!self.breaks(Break::FillLate)).then(begin);
            let before = self.told_of(missing.iter().map(|pair| pair.0.gene()));
            let seqs = self.ask(PageRows::Facts, missing.iter().map(|pair| pair.0.gene())).await?;
            let row = |pair: &Pair| self.relation_row(*pair, seqs[&pair.0.gene()]);
            let read: Vec<(Relation, u64)> = missing.iter().map(row).collect();
            self.catch_up(&before).await?;
            let entry = |(pair, (relation, seq)): (&Pair, &(Relation, u64))| {
                let is_kept = self.may_keep(&before, pair.0.gene(), *seq);
                is_kept.then(|| PairEntry::new(*pair, *seq, *relation))
            };
            fills.unwrap_or_else(begin).keep(missing.iter().zip(&read).map(entry));
            let unknown = told.iter_mut().filter(|told| told.is_none());
            unknown.zip(read).for_each(|(told, (relation, _))| *told = Some(relation));
        }
        Ok(told.into_iter().flatten().collect())
    }

    /// The relation within a pair as rows have it, with the event as of which that is.
    fn relation_row(&mut self, pair: Pair, seq: u64) -> (Relation, u64) {
        let relation = self.shared.borrow().tables.shard(pair.0.gene()).relation(pair, seq);
        self.answers.push(Answer::Relation(pair, relation, seq));
        (relation, seq)
    }

    /// What memory tells of pairs.
    async fn told_in(&mut self, pairs: &[Pair]) -> Result<Vec<Option<Relation>>, Refused> {
        let cut = self.cut_of(pairs.iter().map(|pair| pair.0.gene())).await?;
        let as_of = |pair: &Pair| match &cut {
            Some(cut) => Some(cut.seq_of(pair.0)),
            None => self.seq_of(pair.0.gene()).filter(|seq| self.has_come_to(pair.0.gene(), *seq)),
        };
        let asked: Vec<(Pair, Option<u64>)> = pairs.iter().map(|pair| (*pair, as_of(pair))).collect();
        let told = self.memory.pairs.find_each(&asked);
        for ((pair, seq), relation) in asked.iter().zip(&told) {
            let (Some(seq), Some(relation)) = (seq, relation) else { continue };
            self.answers.push(Answer::Relation(*pair, *relation, *seq));
            if cut.is_some() {
                self.page.note([pair.0], []);
            }
        }
        Ok(told)
    }

    /// Whether authors block a viewer, as the viewer's shard knows.
    pub async fn blocked_by(&mut self, viewer: Uid, authors: &[Uid]) -> Result<Vec<bool>, Refused> {
        let pairs: Vec<Pair> = authors.iter().map(|author| (viewer, *author)).collect();
        let told: Option<Vec<Relation>> = self.told_in(&pairs).await?.into_iter().collect();
        if let Some(told) = told {
            return Ok(told.iter().map(|relation| relation.blocked_by).collect());
        }
        let seq = self.ask(PageRows::Facts, [viewer.gene()]).await?[&viewer.gene()];
        Ok(pairs.iter().map(|pair| self.relation_row(*pair, seq).0.blocked_by).collect())
    }

    /// Whether authors follow a viewer.
    pub async fn follow(&mut self, authors: &[Uid], viewer: Uid) -> Result<Vec<bool>, Refused> {
        if self.breaks(Break::Mirror) {
            let pairs: Vec<Pair> = authors.iter().map(|author| (viewer, *author)).collect();
            let relations = self.relations(&pairs).await?;
            return Ok(relations.iter().map(|relation| relation.followed_by).collect());
        }
        let pairs: Vec<Pair> = authors.iter().map(|author| (*author, viewer)).collect();
        let relations = self.relations(&pairs).await?;
        Ok(relations.iter().map(|relation| relation.following_since.is_some()).collect())
    }

    /// What a viewer has said about others.
    pub async fn viewer_relations(&mut self, viewer: Uid) -> Result<HeldViewerRelations, Refused> {
        let (gene, memory) = (viewer.gene(), self.memory.clone());
        let cut = self.cut_of([gene]).await?;
        let user = cut.and_then(|cut| {
            let user = memory.viewers.latest(viewer).filter(|user| user.as_of() <= cut.seq_of(viewer))?;
            Some((user, cut.seq_of(viewer)))
        });
        if let Some((user, seq)) = user {
            self.page.note([viewer], []);
            return Ok(self.held(viewer, user, seq));
        }
        let seq = self.ask(PageRows::Facts, [gene]).await?[&gene];
        let (changed, facts) = self.shared.borrow().tables.shard(gene).viewer(viewer, seq);
        // A friendship that the viewer has granted stands under the number of an event that is yet to come.
        let is_it = |user: &RelationsEntry| user.version() == changed && changed <= seq;
        if let Some(user) = memory.viewers.latest(viewer).filter(is_it) {
            return Ok(self.held(viewer, user, seq));
        }
        let begin = || memory.viewers.begin_fill(viewer);
        let fill = (!self.breaks(Break::FillLate)).then(begin);
        let told = self.told_of([gene]);
        self.ask(PageRows::Facts, [gene]).await?;
        self.catch_up(&told).await?;
        let user = RelationsEntry::new(changed, changed, (0, 0), &facts);
        let is_kept = self.may_keep(&told, gene, changed);
        fill.unwrap_or_else(begin).keep([is_kept.then(|| user.clone())]);
        Ok(self.held(viewer, user, seq))
    }

    fn held(&mut self, viewer: Uid, user: RelationsEntry, seq: u64) -> HeldViewerRelations {
        let facts = user.packed().unpack();
        self.answers.push(Answer::Viewer(viewer, (user.version(), facts), seq));
        HeldViewerRelations::new(user, log_of(viewer.gene()))
    }

    /// The newest posts of authors.
    pub async fn outboxes(&mut self, authors: &[Uid], max: usize) -> Result<Vec<PostId>, Refused> {
        let Some(cut) = self.cut_of(authors.iter().map(|author| author.gene())).await? else {
            return self.outbox_rows(authors, max).await;
        };
        let memory = self.memory.clone();
        let asks: Vec<OutboxAsk> =
            authors.iter().map(|author| OutboxAsk { author: *author, below: None }).collect();
        let (told, answers) = memory.outboxes.outboxes(&asks, max, &cut);
        let (mut ids, mut start, mut missing, mut unknown) = (Vec::new(), 0, Vec::new(), Vec::new());
        for ((author, answer), part) in authors.iter().zip(&answers).zip(&told.parts) {
            let end = part.end as usize;
            if matches!(answer, TailAnswer::Added { .. }) {
                self.page.note([*author], []);
                let told = told.ids[start..end].to_vec();
                self.answers.push(Answer::Outbox(*author, told.clone(), cut.seq_of(*author)));
                ids.extend(told);
            } else {
                missing.push(*author);
                unknown.extend((*answer == TailAnswer::Unknown).then_some(*author));
            }
            start = end;
        }
        if !missing.is_empty() {
            ids.extend(self.outbox_rows(&missing, max).await?);
        }
        if !unknown.is_empty() {
            self.fill_outboxes(&unknown).await?;
        }
        Ok(ids)
    }

    async fn fill_outboxes(&mut self, authors: &[Uid]) -> Result<(), Refused> {
        let memory = self.memory.clone();
        let begin = || memory.outboxes.begin_fills(authors);
        let fills = (!self.breaks(Break::FillLate)).then(begin);
        let told = self.told_of(authors.iter().map(|author| author.gene()));
        let seqs = self.ask(PageRows::Facts, authors.iter().map(|author| author.gene())).await?;
        let read = |author: &Uid| {
            let world = self.shared.borrow();
            let (shard, seq) = (world.tables.shard(author.gene()), seqs[&author.gene()]);
            (shard.head(*author, seq), shard.outbox(*author, TAIL_LEN, seq))
        };
        let read: Vec<_> = authors.iter().map(read).collect();
        self.catch_up(&told).await?;
        let entry = |(author, (head, (ids, more))): (&Uid, &(_, (Vec<PostId>, bool)))| {
            let head: &guanxi_model::post::AuthorHead = head;
            let is_kept = self.may_keep(&told, author.gene(), head.last.seq());
            is_kept.then(|| OutboxEntry::new(head, Some((ids, !more))))
        };
        fills.unwrap_or_else(begin).keep(authors.iter().zip(&read).map(entry));
        Ok(())
    }

    async fn outbox_rows(&mut self, authors: &[Uid], max: usize) -> Result<Vec<PostId>, Refused> {
        let seqs = self.ask(PageRows::Facts, authors.iter().map(|author| author.gene())).await?;
        let mut all = Vec::new();
        for author in authors {
            let seq = seqs[&author.gene()];
            let (ids, _) = self.shared.borrow().tables.shard(author.gene()).outbox(*author, max, seq);
            self.answers.push(Answer::Outbox(*author, ids.clone(), seq));
            all.extend(ids);
        }
        Ok(all)
    }

    /// Posts without their content.
    pub async fn headers(&mut self, ids: &[PostId]) -> Result<Vec<Option<PostHeader>>, Refused> {
        let Some(cut) = self.cut_of(ids.iter().map(|id| id.gene())).await? else {
            return Ok(self.header_rows(ids).await?.into_iter().map(|(header, _)| header).collect());
        };
        let memory = self.memory.clone();
        let KnownHeaders { mut headers, unknown, newer } = memory.headers.at(ids, &cut);
        let is_new = |id: &PostId| id.get() > cut.ids_high(log_of(id.gene()));
        let new = ids.iter().enumerate().filter(|(_, id)| is_new(id)).map(|(place, _)| place);
        let missing: BTreeSet<usize> = unknown.iter().chain(&newer).copied().chain(new).collect();
        for (place, id) in ids.iter().enumerate().filter(|(place, _)| !missing.contains(place)) {
            self.page.note([], [*id]);
            self.answers.push(Answer::Header(*id, headers[place], cut.seq_of(*id)));
        }
        if missing.is_empty() {
            return Ok(headers);
        }
        let asked: Vec<PostId> = missing.iter().map(|place| ids[*place]).collect();
        let begin = || memory.headers.begin_fills(&asked);
        let fills = (!self.breaks(Break::FillLate)).then(begin);
        let told = self.told_of(asked.iter().map(|id| id.gene()));
        let read = self.header_rows(&asked).await?;
        self.catch_up(&told).await?;
        let kept = |(id, (header, seq)): (&PostId, &(Option<PostHeader>, u64))| {
            header.filter(|_| self.may_keep(&told, id.gene(), *seq)).map(|header| (header, *seq))
        };
        fills.unwrap_or_else(begin).keep(&asked.iter().zip(&read).map(kept).collect::<Vec<_>>());
        missing.into_iter().zip(read).for_each(|(place, (header, _))| headers[place] = header);
        Ok(headers)
    }

    async fn header_rows(&mut self, ids: &[PostId]) -> Result<Vec<(Option<PostHeader>, u64)>, Refused> {
        let seqs = self.ask(PageRows::Facts, ids.iter().map(|id| id.gene())).await?;
        let mut headers = Vec::new();
        for id in ids {
            let seq = seqs[&id.gene()];
            let header = self.shared.borrow().tables.shard(id.gene()).post(*id, seq).map(|post| post.header);
            self.answers.push(Answer::Header(*id, header, seq));
            headers.push((header, seq));
        }
        Ok(headers)
    }

    /// Whole posts.
    pub async fn posts(&mut self, viewer: Uid, ids: &[PostId]) -> Result<Vec<Option<Post>>, Refused> {
        let memory = self.memory.clone();
        let mut posts: Vec<Option<Post>> = ids.iter().map(|_| None).collect();
        if let Some(cut) = self.cut_of(ids.iter().map(|id| id.gene())).await? {
            let told = memory.posts.at(ids, &cut);
            posts
                .iter_mut()
                .zip(told)
                .for_each(|(post, told)| *post = told.as_ref().and_then(HeldPost::post).cloned());
            self.page.note([], posts.iter().flatten().map(|post| post.header.id));
        }
        let unread = ids.iter().zip(&posts).filter(|(_, post)| post.is_none());
        let unread: Vec<PostId> = unread.map(|(id, _)| *id).collect();
        if unread.is_empty() {
            return Ok(posts);
        }
        let begin = || memory.posts.begin_fills(unread.iter().copied());
        let fills = (!self.breaks(Break::FillLate)).then(begin);
        let told = self.told_of(unread.iter().map(|id| id.gene()));
        let genes: BTreeSet<_> = unread.iter().map(|id| id.gene()).collect();
        let seqs = if self.page.has_told(&unread) {
            self.read_contents(viewer, genes).await?
        } else {
            self.ask(PageRows::Facts, genes).await?
        };
        let post = |id: &PostId| {
            let world = self.shared.borrow();
            world.tables.shard(id.gene()).post(*id, seqs[&id.gene()]).cloned()
        };
        let read: Vec<Option<Post>> = unread.iter().map(post).collect();
        self.catch_up_to(&seqs).await?;
        let kept = |(id, post): (&PostId, &Option<Post>)| {
            let seq = seqs[&id.gene()];
            HeldPost::entry(seq, post.as_ref()?).filter(|_| self.may_keep_read(&told, (id.gene(), seq), seq))
        };
        fills.unwrap_or_else(begin).keep(unread.iter().zip(&read).map(kept));
        posts.iter_mut().filter(|post| post.is_none()).zip(read).for_each(|(post, read)| *post = read);
        Ok(posts)
    }
}
