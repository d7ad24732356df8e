//! What must hold: of memory at every moment, and of a page that leaves.

use super::acts::AnsweredBlock;
use super::direct::{LIST_PAGE, LISTS};
use super::pages::{POSTS_MAX, Page};
use super::shard::Shard;
use super::view::Answer;
use super::{Process, USERS, World, uid};
use guanxi_memory::cut::{CutPlace, GeneCut};
use guanxi_memory::first_pages::Held;
use guanxi_memory::outboxes::TailAnswer;
use guanxi_model::post::Post;
use guanxi_model::{LogId, PostId, Uid, Visibility};
use guanxi_ports::OutboxAsk;

impl World {
    /// Checks what a process holds in memory, unless a database has lost what memory may know.
    pub fn check_memory(&mut self, process: usize) {
        if !self.has_lost {
            self.check_memory_whole(process);
        }
    }

    /// Compares all that memory tells with what its rows are at the last event that it was told of.
    pub fn check_memory_whole(&mut self, process: usize) {
        let mut found = Vec::new();
        let of = &self.processes[process];
        for (gene, shard) in &self.tables.shards {
            let place = of.map[gene];
            let Some(last) = of.last((*gene, place)) else { continue };
            // A look that left events to the next may have ended within a commit. No reader is told anything of that log then.
            let ends_a_commit = shard.commits.iter().any(|commit| commit.seq == last);
            if of.tails[place.database].is_lost || !ends_a_commit {
                continue;
            }
            let users: Vec<Uid> = USERS.map(uid).into_iter().filter(|user| user.gene() == *gene).collect();
            for user in users {
                self.compared += check_user(of, shard, (user, last), &mut found);
            }
        }
        let (breaks, now) = (self.breaks, self.now);
        let wrong = |what: String| format!("{breaks:?} at {now}: process {process} holds {what}");
        self.found.extend(found.into_iter().map(wrong));
    }

    /// Checks a page that leaves.
    pub fn check_page(&mut self, page: &Page) {
        self.pages.0 += 1;
        if self.has_lost {
            return;
        }
        self.pages.2 += page.shown.len();
        let wrong = page.view.answers.iter().filter_map(|answer| self.wrong(page, answer));
        let leaks = page.shown.iter().filter_map(|post| self.leak(page, post));
        let apart = page.view.answers.iter().filter_map(|answer| self.apart(page, answer));
        let found: Vec<String> = wrong.chain(leaks).chain(apart).collect();
        let at = format!("{:?}, page of {} at {:?}", self.breaks, page.viewer, page.time);
        self.found.extend(found.into_iter().map(|what| format!("{at}: {what}")));
    }

    /// What is wrong with an answer, if something is.
    fn wrong(&self, page: &Page, answer: &Answer) -> Option<String> {
        let (gene, seq) = (answer.gene(), answer.seq());
        let shard = self.tables.shard(gene);
        let is_right = match answer {
            Answer::Relation(pair, relation, _) => shard.relation(*pair, seq) == *relation,
            Answer::Viewer(viewer, facts, _) => shard.viewer(*viewer, seq) == *facts,
            Answer::Outbox(author, ids, _) => shard.outbox(*author, POSTS_MAX, seq).0 == *ids,
            Answer::Header(id, header, _) => shard.post(*id, seq).map(|post| post.header) == *header,
        };
        if !is_right {
            return Some(format!("not as the rows: {answer:?}"));
        }
        let staleness = self.processes[page.view.process].staleness;
        if seq < shard.commit_at(page.time.0.saturating_sub(staleness)).seq {
            return Some(format!("older than it may be: {answer:?}"));
        }
        if seq < page.known[&gene] {
            return Some(format!("without what the process knew, {}: {answer:?}", page.known[&gene]));
        }
        let (source, acted) = page.view.acted?;
        let includes = if source == gene { seq } else { shard.mark(source, seq) };
        (includes < acted).then(|| format!("without the effects of event {acted}: {answer:?}"))
    }

    /// Which answer is not right any more at the moment of another part of its page, if one is not.
    fn apart(&self, page: &Page, answer: &Answer) -> Option<String> {
        let (answers, gene) = (&page.view.answers, answer.gene());
        let shard = self.tables.shard(gene);
        let mut last = answers.iter().filter(|one| one.gene() == gene).map(Answer::seq).max()?;
        let of_viewer = match answer {
            Answer::Relation(pair, ..) => pair.0 == page.viewer,
            Answer::Viewer(..) => true,
            Answer::Outbox(..) | Answer::Header(..) => false,
        };
        if of_viewer {
            let times = answers.iter().map(|one| self.tables.shard(one.gene()).time_of(one.seq()));
            let written = page.shown.iter().map(|post| self.written(post));
            let time = times.chain(written).max()?;
            last = last.max(shard.commit_at(time).seq);
        }
        let is_right = match answer {
            Answer::Relation(pair, relation, _) => shard.relation(*pair, last) == *relation,
            Answer::Viewer(viewer, facts, _) => shard.viewer(*viewer, last) == *facts,
            Answer::Header(id, header, _) => shard.post(*id, last).map(|post| post.header) == *header,
            Answer::Outbox(..) => true,
        };
        (!is_right).then(|| format!("other parts of the page are as of {last}: {answer:?}"))
    }

    /// When what a post says was written.
    fn written(&self, post: &Post) -> u64 {
        let shard = self.tables.shard(post.header.id.gene());
        let moments = &shard.posts[&post.header.id].0;
        let (seq, _) = moments.iter().find(|(_, then)| then.revision == post.revision).unwrap();
        shard.time_of(*seq)
    }

    /// What a post shows that it must not, if it does.
    fn leak(&self, page: &Page, post: &Post) -> Option<String> {
        let (header, viewer, upto) = (&post.header, page.viewer, page.time.1);
        let (author, end) = (header.author, upto);
        let is_told = |answer: &Answer| match answer {
            Answer::Header(id, told, _) => *id == header.id && *told == Some(*header),
            _ => false,
        };
        if !page.view.answers.iter().any(is_told) {
            return Some(format!("not as its header told: {post:?}"));
        }
        let (own, of_author) = (self.tables.shard(viewer.gene()), self.tables.shard(author.gene()));
        let written = self.written(post);
        let takes_in = |seq: u64| {
            let relation = own.relation((viewer, author), seq);
            let follows = relation.following_since.is_some() || header.visibility == Visibility::Public;
            !relation.is_apart() && follows
        };
        if !own.seqs_within(written, end).any(takes_in) {
            return Some(format!("written at {written}, when its viewer was parted: {post:?}"));
        }
        let follows_back = |seq: u64| of_author.relation((author, viewer), seq).following_since.is_some();
        if header.visibility == Visibility::Friends && !of_author.seqs_within(written, end).any(follows_back)
        {
            return Some(format!("written at {written}, when the two were no friends: {post:?}"));
        }
        let parts = |block: &&AnsweredBlock| {
            let pair = (block.subject, block.object);
            let of_subject = self.tables.shard(pair.0.gene());
            let mut seqs = of_subject.seqs_within(block.answered, end);
            (pair == (author, viewer) || pair == (viewer, author))
                && block.answered < written
                && seqs.all(|seq| of_subject.relation(pair, seq).blocking)
        };
        self.blocks
            .iter()
            .find(parts)
            .map(|block| format!("written at {written}, behind {block:?}: {post:?}"))
    }

    /// Has each shard log one event more, so that looks see whether a log goes on.
    pub fn write_everywhere(&mut self) {
        for gene in self.tables.genes() {
            self.write_in(gene);
        }
    }
}

/// Compares what memory tells of a user with the rows. Returns how many answers it has told.
fn check_user(process: &Process, shard: &Shard, (user, last): (Uid, u64), found: &mut Vec<String>) -> usize {
    let memory = &process.memory;
    let mut told = 0;
    for other in USERS.map(uid).into_iter().filter(|other| *other != user) {
        let Some(relations) = memory.pairs.find(user, &[other], last) else { continue };
        told += 1;
        let right = shard.relation((user, other), last);
        if relations != [right] {
            found.push(format!("{user} to {other} as of {last}: {relations:?}, not {right:?}"));
        }
    }
    for list in LISTS {
        let cut = GeneCut::new(|_: LogId| CutPlace { seq: last, ids_high: 0 });
        let Held::All(edges) = memory.lists.of(list).unwrap().page(user, &cut, None, LIST_PAGE) else {
            continue;
        };
        told += 1;
        let mut right = shard.list(user, list, last);
        right.truncate(LIST_PAGE);
        if edges != right {
            found.push(format!("{list:?} of {user} as of {last}: {edges:?}, not {right:?}"));
        }
    }
    if let Some(entry) = memory.viewers.latest(user).filter(|entry| entry.as_of() <= last) {
        told += 1;
        let (facts, right) = ((entry.version(), entry.packed().unpack()), shard.viewer(user, last));
        if facts != right {
            found.push(format!("viewer {user} as of {last}: {facts:?}, not {right:?}"));
        }
    }
    let high = shard.commits.iter().rfind(|commit| commit.seq <= last).map_or(0, |commit| commit.post_high);
    let cut = GeneCut::new(|_: LogId| CutPlace { seq: last, ids_high: high });
    let (heads, missing) = memory.outboxes.heads(&[user], &cut);
    if missing.is_empty() && heads[0].last.seq() <= last {
        told += 1;
        let right = shard.head(user, last);
        if heads != [right] {
            found.push(format!("head of {user} as of {last}: {heads:?}, not {right:?}"));
        }
    }
    let (ids, answers) = memory.outboxes.outboxes(&[OutboxAsk { author: user, below: None }], 4, &cut);
    if matches!(answers[0], TailAnswer::Added { .. }) {
        told += 1;
        let right = shard.outbox(user, 4, last).0;
        if ids.ids != right {
            found.push(format!("outbox of {user} as of {last}: {:?}, not {right:?}", ids.ids));
        }
    }
    let ids: Vec<PostId> = shard.posts.keys().copied().filter(|id| id.get() <= high).collect();
    let known = memory.headers.at(&ids, &cut);
    for (place, id) in ids.iter().enumerate() {
        if known.unknown.contains(&place) || known.newer.contains(&place) {
            continue;
        }
        told += 1;
        let (header, right) = (known.headers[place], shard.post(*id, last).map(|post| post.header));
        if header != right {
            found.push(format!("post {id:?} as of {last}: {header:?}, not {right:?}"));
        }
    }
    for (id, post) in ids.iter().zip(memory.posts.at(&ids, &cut)) {
        let Some(post) = post else { continue };
        told += 1;
        let right = shard.post(*id, last);
        if post.post() != right {
            found.push(format!("post {id:?} as of {last}: {post:?}, not {right:?}"));
        }
    }
    told
}
