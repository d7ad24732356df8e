//! What a page was told by memory and by rows, and whether the parts go together.
//!
//! Memory tells a page as of its cut. Rows that memory lacks may be of a later moment. The events between the two say whether one
//! of them tells of a user or a post that the page has asked about. Then the page is made again.

use crate::cut::{Cut, CutPlace, GeneCut};
use crate::tail::ring::RingEntry;
use guanxi_model::{Change, Gene, LogId, Logs, PostId, Uid};
use std::collections::BTreeMap;

/// What rows are asked for beside what memory tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRows {
    /// Facts that decide who sees what.
    Facts,
    /// What posts say whose headers the page knows.
    Contents,
    /// What decides nothing: counters, and what the viewer likes.
    Counters,
}

/// What a page has asked about.
#[derive(Clone, Debug, Default)]
pub struct PageTold {
    /// Where the logs stood of the databases whose cut is fixed.
    cut: GeneCut,
    /// The logs of which memory has told something.
    logs: GeneSet,
    users: Noted<Uid>,
    posts: Noted<PostId>,
    /// Up to where rows beside that were read, of facts and of contents.
    facts: BTreeMap<Gene, u64>,
    contents: BTreeMap<Gene, u64>,
    /// The databases of which contents were read without a snapshot, and where the shard of the viewer stood then.
    read: BTreeMap<usize, Option<(Gene, u64)>>,
}

/// Some genes.
#[derive(Clone, Debug, Default)]
struct GeneSet([u64; 4]);

impl GeneSet {
    const fn place(gene: Gene) -> (usize, u64) {
        (gene.0 as usize / 64, 1 << (gene.0 % 64))
    }

    fn insert(&mut self, gene: Gene) {
        let (word, bit) = Self::place(gene);
        self.0[word] |= bit;
    }

    fn contains(&self, gene: Gene) -> bool {
        let (word, bit) = Self::place(gene);
        self.0[word] & bit != 0
    }

    fn iter(&self) -> impl Iterator<Item = Gene> {
        (0..=u8::MAX).map(Gene).filter(|gene| self.contains(*gene))
    }
}

/// Ids that are noted by the hundred and seldom looked for: they are put in order when they are.
#[derive(Clone, Debug)]
struct Noted<K> {
    ids: Vec<K>,
    is_sorted: bool,
}

impl<K> Default for Noted<K> {
    fn default() -> Self {
        Self { ids: Vec::new(), is_sorted: true }
    }
}

impl<K: Copy + Ord> Noted<K> {
    fn push(&mut self, id: K) {
        self.ids.push(id);
        self.is_sorted = false;
    }

    fn sort(&mut self) {
        if !self.is_sorted {
            self.ids.sort_unstable();
            self.ids.dedup();
            self.is_sorted = true;
        }
    }

    fn contains(&self, id: K) -> bool {
        if self.is_sorted { self.ids.binary_search(&id).is_ok() } else { self.ids.contains(&id) }
    }
}

/// A part of a log between what memory told a page of it and rows that the page has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSpan {
    /// The log.
    pub log: Gene,
    /// The last event that memory has told.
    pub from: u64,
    /// The last event that the rows have.
    pub upto: u64,
    /// What the rows are.
    pub rows: PageRows,
}

impl PageTold {
    /// Fixes where the logs of a database stand for what memory tells.
    pub fn fix(&mut self, places: &[(LogId, CutPlace)]) {
        self.cut = self.cut.with(places);
    }

    /// Where the logs stand that are fixed.
    pub const fn cut(&self) -> &GeneCut {
        &self.cut
    }

    /// Where memory told something of a log, if it did.
    pub fn at(&self, log: Gene) -> Option<u64> {
        self.logs.contains(log).then(|| self.cut.seq(Logs::PerGene.of_gene(log)))
    }

    /// The logs of which memory told something, in order, and where it told it.
    pub fn places(&self) -> Vec<(Gene, u64)> {
        self.logs.iter().map(|log| (log, self.cut.seq(Logs::PerGene.of_gene(log)))).collect()
    }

    /// Notes that memory has told something of users and posts.
    pub fn note(&mut self, users: impl IntoIterator<Item = Uid>, posts: impl IntoIterator<Item = PostId>) {
        for uid in users {
            self.logs.insert(uid.gene());
            self.users.push(uid);
        }
        for id in posts {
            self.logs.insert(id.gene());
            self.posts.push(id);
        }
    }

    /// Notes up to where rows of shards were read.
    pub fn note_rows(&mut self, asked: PageRows, places: impl IntoIterator<Item = (Gene, u64)>) {
        match asked {
            PageRows::Facts => self.facts.extend(places),
            PageRows::Contents => self.contents.extend(places),
            PageRows::Counters => {}
        }
    }

    /// Notes that contents were read without a snapshot, where the shards of these stood by then, and where that of the viewer did.
    pub fn note_read(&mut self, database: usize, contents: BTreeMap<Gene, u64>, viewer: BTreeMap<Gene, u64>) {
        self.contents.extend(contents);
        self.read.insert(database, viewer.into_iter().next());
    }

    /// The databases of which contents were read without a snapshot.
    pub fn read(&self) -> Vec<usize> {
        self.read.keys().copied().collect()
    }

    /// Where the shard of a viewer stood when contents of its database were last read without a snapshot.
    pub fn viewer_read(&self, database: usize, viewer: Gene) -> Option<u64> {
        let read = self.read.get(&database).copied().flatten();
        read.filter(|(gene, _)| *gene == viewer).map(|(_, seq)| seq)
    }

    /// Whether the headers of posts were told from memory.
    pub fn has_told(&mut self, ids: &[PostId]) -> bool {
        self.posts.sort();
        ids.iter().all(|id| self.posts.contains(*id))
    }

    /// The parts of logs whose events say whether the rows go with what memory told.
    pub fn spans(&mut self) -> Vec<PageSpan> {
        self.users.sort();
        self.posts.sort();
        let of = |places: &BTreeMap<Gene, u64>, rows| -> Vec<PageSpan> {
            let span = |(log, upto): (&Gene, &u64)| {
                let from = self.at(*log)?;
                (from < *upto).then_some(PageSpan { log: *log, from, upto: *upto, rows })
            };
            places.iter().filter_map(span).collect()
        };
        let mut spans = of(&self.facts, PageRows::Facts);
        spans.extend(of(&self.contents, PageRows::Contents));
        spans
    }

    /// Whether rows go with what memory told, by the events of the part of the log between the two.
    pub fn goes_on_by(&self, span: &PageSpan, events: &[impl RingEntry]) -> bool {
        let are_facts = span.rows == PageRows::Facts;
        !events
            .iter()
            .any(|event| self.concerns_post(event) || are_facts && self.concerns_user(event, span.log))
    }

    /// Whether an event tells of a post that memory told of.
    fn concerns_post(&self, event: &impl RingEntry) -> bool {
        match event.said().map(|event| event.change) {
            Ok(Change::Post { id, .. }) => self.posts.contains(id),
            Ok(_) => false,
            Err(_) => true,
        }
    }

    /// Whether an event of a log tells of a user of that log of whom memory told something.
    fn concerns_user(&self, event: &impl RingEntry, log: Gene) -> bool {
        let Ok(event) = event.said() else { return true };
        // Likes decide nothing. A post is judged as the rows have it, by what memory told: both go together if nothing but posts changed
        // between, and none of those that memory told.
        let is_of_posts = matches!(
            event.change,
            Change::Post { .. } | Change::Liked { .. } | Change::Unliked { .. } | Change::Interacted
        );
        if is_of_posts {
            return false;
        }
        let has_told = |uid: Uid| uid.gene() == log && self.users.contains(uid);
        has_told(event.subject) || event.object().is_some_and(has_told)
    }
}

/// Whether what was said of a viewer's relations goes on to hold, by the events of the viewer's log since.
pub fn holds_for(viewer: Uid, events: &[impl RingEntry]) -> bool {
    let tells = |event: &_| match RingEntry::said(event) {
        Ok(event) => matches!(event.change, Change::Pair { .. }) && event.tells_of(viewer),
        Err(_) => true,
    };
    !events.iter().any(tells)
}
