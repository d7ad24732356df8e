//! Bugs put in on purpose, one at a time: a simulator that does not find them proves nothing.

mod graph;

pub(crate) use graph::MutantGraph;

use guanxi_model::post::Kind;
use guanxi_model::{EventAt, LogId, LogMark, Logs, MuteScope, Position, PostId, Result, Stamp, Uid};
use guanxi_ports::{
    BoxFuture, FillTicket, Inbox, InboxFill, InboxLayer, InboxRead, Offer, Offered, RelationsVersion, Store,
    ViewerRelations,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// One bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The fan-out is said to be further than it is.
    CoveredTooFar,
    /// What was not offered to everybody is not noted.
    SkipForgotten,
    /// A note is taken back although something earlier still holds.
    SkipTakenBackWhole,
    /// An author's own inbox is left out.
    OwnPostNotOffered,
    /// An offer is lost without anybody knowing.
    OfferLost,
    /// An inbox is read as if it reached the first post ever.
    FloorIgnored,
    /// What is deleted or muted when an inbox is filled is left out of it. Of a post itself that would be harmless, since
    /// a restored one is offered again; of a repost, whose original is restored, it is not.
    RulesAtFill,
    /// An inbox claims to be filled from a later view than it was.
    BuiltTooLate,
    /// An inbox is registered only when it is filled, after the view was pinned.
    BegunAtFill,
    /// The version of a viewer's relations never changes.
    VersionFrozen,
    /// What the fan-out has passed in one log is taken for what it has passed in another.
    WrongLog,
    /// An inbox is kept although a follow of its reader does not stand in the followers list that the fan-out reads.
    AppliedAssumed,
    /// Whether it stands there is asked after the outboxes were read.
    AppliedAskedLate,
    /// An inbox is filled from a view that is behind what the fan-out has passed.
    FilledBehind,
    /// Answers leave although the viewer's relations have changed meanwhile.
    ConfirmForgotten,
    /// It is not asked who blocks the viewer.
    BlockedByForgotten,
    /// What others did to a user is not in the user's log.
    EchoForgotten,
    /// No reader is told that a mute has ended by itself.
    MuteEndUntold,
    /// A request that has ended by itself still holds its sender's place.
    PlaceKept,
    /// The end of a request that was accepted meanwhile ends the follow.
    ExpiryUndoesAccept,
    /// A mute ends although it was put off after its end was looked up.
    RenewedMuteEnded,
    /// Some of what is due never ends.
    EndSkipped,
    /// Of the users who wait for an account to unlock one is never approved.
    UnlockSkips,
    /// Two who ask each other wait for ever.
    CrossingWaits,
    /// A user that was rejected may ask again at once.
    CooldownForgotten,
    /// Every reader is taken for a member of each group.
    AudienceAssumed,
    /// No reader is told that an audience has changed.
    AudienceUntold,
}

impl Mutation {
    /// Every bug.
    pub const ALL: [Self; 27] = [
        Self::CoveredTooFar,
        Self::SkipForgotten,
        Self::SkipTakenBackWhole,
        Self::OwnPostNotOffered,
        Self::OfferLost,
        Self::FloorIgnored,
        Self::RulesAtFill,
        Self::BuiltTooLate,
        Self::BegunAtFill,
        Self::VersionFrozen,
        Self::WrongLog,
        Self::AppliedAssumed,
        Self::AppliedAskedLate,
        Self::FilledBehind,
        Self::ConfirmForgotten,
        Self::BlockedByForgotten,
        Self::EchoForgotten,
        Self::MuteEndUntold,
        Self::PlaceKept,
        Self::ExpiryUndoesAccept,
        Self::RenewedMuteEnded,
        Self::EndSkipped,
        Self::UnlockSkips,
        Self::CrossingWaits,
        Self::CooldownForgotten,
        Self::AudienceAssumed,
        Self::AudienceUntold,
    ];

    /// Whether it is one of what waits and ends between users.
    pub(crate) const fn is_of_graph(self) -> bool {
        matches!(
            self,
            Self::PlaceKept
                | Self::ExpiryUndoesAccept
                | Self::RenewedMuteEnded
                | Self::EndSkipped
                | Self::UnlockSkips
                | Self::CrossingWaits
                | Self::CooldownForgotten
        )
    }
}

/// Of which users it was asked up to which event what follows stands everywhere: for bugs that look at it later.
pub(crate) type Asked = Arc<Mutex<BTreeMap<Uid, EventAt>>>;

/// Relations that say of their last change only what the viewer's own acts were.
pub(crate) struct OwnActsOnly {
    pub inner: Box<dyn ViewerRelations>,
    /// The last of them.
    pub acted: EventAt,
}

impl ViewerRelations for OwnActsOnly {
    fn version(&self) -> RelationsVersion {
        RelationsVersion(self.acted.seq())
    }

    fn changed(&self) -> EventAt {
        self.acted
    }

    fn following(&self) -> &[Uid] {
        self.inner.following()
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        self.inner.follow(uid)
    }

    fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        self.inner.mutes(uid)
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.inner.blocks(uid)
    }
}

/// Relations that always have the same version.
pub(crate) struct Frozen(pub Box<dyn ViewerRelations>);

impl ViewerRelations for Frozen {
    fn version(&self) -> RelationsVersion {
        RelationsVersion(1)
    }

    fn changed(&self) -> EventAt {
        self.0.changed()
    }

    fn following(&self) -> &[Uid] {
        self.0.following()
    }

    fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        self.0.follow(uid)
    }

    fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        self.0.mutes(uid)
    }

    fn blocks(&self, uid: Uid) -> bool {
        self.0.blocks(uid)
    }
}

/// Inboxes with one bug.
pub(crate) struct Mutant {
    pub inner: Arc<dyn Inbox>,
    /// The backend's own posts, for bugs that look at them.
    pub posts: Arc<dyn Store>,
    pub mutation: Mutation,
    asked: Asked,
    /// The first fill of each reader and version of its relations.
    fills: Mutex<Vec<(Uid, InboxFill)>>,
}

impl Mutant {
    pub(crate) fn new(
        inner: Arc<dyn Inbox>,
        posts: Arc<dyn Store>,
        mutation: Mutation,
        asked: Asked,
    ) -> Self {
        Self { inner, posts, mutation, asked, fills: Mutex::default() }
    }

    /// What a reader's inbox was filled with before, for the same relations.
    fn filled_before(&self, viewer: Uid, fill: InboxFill) -> InboxFill {
        let mut fills = self.fills.lock().expect("nobody panics while holding fills");
        let is_it = |known: &&(Uid, InboxFill)| {
            known.0 == viewer && known.1.relations_version == fill.relations_version
        };
        if let Some((_, known)) = fills.iter().find(is_it) {
            return known.clone();
        }
        fills.push((viewer, fill.clone()));
        fill
    }

    /// The question that was put off, once its reader has applied what was missing.
    async fn is_applied_now(&self, viewer: Uid) -> Result<bool> {
        let at = self.asked.lock().expect("nobody panics while holding questions").get(&viewer).copied();
        let Some(at) = at else { return Ok(true) };
        let covered = self.inner.covered().await?;
        let acted = Position::acted(covered.history(), covered.logs(), at);
        let view = self.posts.view(Some(&acted)).await?;
        let followed = view.viewer_relations(viewer).await?.following().to_vec();
        view.counts(&followed).await?;
        self.posts.is_applied(viewer, at).await
    }

    fn has(&self, mutation: Mutation) -> bool {
        self.mutation == mutation
    }

    /// What a filter at the time of the fill would leave.
    async fn filtered(&self, viewer: Uid, ids: Vec<PostId>) -> Result<Vec<PostId>> {
        let view = self.posts.view(None).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let mut shown = Vec::new();
        for item in view.headers(&ids).await?.into_iter().flatten() {
            let original = match item.kind {
                Kind::Repost { of, .. } => view.headers(&[of]).await?.pop().flatten(),
                Kind::Post | Kind::Reply { .. } | Kind::Quote { .. } => Some(item),
            };
            if !item.deleted
                && viewer_relations.mutes(item.author) != Some(MuteScope::All)
                && original.is_some_and(|original| !original.deleted)
            {
                shown.push(item.id);
            }
        }
        Ok(shown)
    }
}

impl InboxLayer for Mutant {
    fn inner(&self) -> &dyn Inbox {
        &*self.inner
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        Box::pin(async move {
            let mut read = self.inner.read(viewer, below, max, now_ms).await?;
            if self.has(Mutation::CoveredTooFar) {
                read.coverage = read.coverage.moved(two_further);
            }
            if self.has(Mutation::WrongLog) {
                read.coverage = read.coverage.moved(of_next_user);
            }
            if let Some(slice) = read.slice.as_mut() {
                if self.has(Mutation::FloorIgnored) {
                    slice.floor = None;
                }
                if self.has(Mutation::BuiltTooLate) {
                    slice.built = two_further(&slice.built);
                }
            }
            Ok(read)
        })
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        if self.has(Mutation::BegunAtFill) {
            // The time is passed on as the ticket, so that the real one can be had later.
            return Box::pin(async move {
                let covered = self.inner.covered().await?;
                Ok(Some(FillTicket { viewer, ticket: now_ms, covered }))
            });
        }
        self.inner.begin(viewer, now_ms)
    }

    fn fill(&self, ticket: FillTicket, mut fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move {
            if self.has(Mutation::FilledBehind) {
                fill = self.filled_before(ticket.viewer, fill);
            }
            if self.has(Mutation::AppliedAskedLate) && !self.is_applied_now(ticket.viewer).await? {
                self.inner.evict(ticket.viewer).await?;
                return Ok(false);
            }
            if self.has(Mutation::RulesAtFill) {
                fill.ids = self.filtered(ticket.viewer, fill.ids).await?;
            }
            if self.has(Mutation::BegunAtFill) {
                let Some(begun) = self.inner.begin(ticket.viewer, ticket.ticket).await? else {
                    return Ok(false);
                };
                return self.inner.fill(begun, fill).await;
            }
            self.inner.fill(ticket, fill).await
        })
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        Box::pin(async move {
            let own = self.has(Mutation::OwnPostNotOffered);
            let mut offered = Vec::new();
            for Offer { id, readers } in offers {
                let is_lost = self.has(Mutation::OfferLost) && (id.get() >> 8).is_multiple_of(4);
                let kept = |uid: &Uid| !(is_lost || own && uid.gene() == id.gene());
                let readers: Vec<Uid> = readers.iter().copied().filter(kept).collect();
                offered.extend(self.inner.offer(&[Offer { id: *id, readers: &readers }]).await?);
            }
            Ok(offered)
        })
    }

    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>> {
        if self.has(Mutation::SkipForgotten) {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.inner.skip(author, at)
    }

    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        let earlier = earlier.filter(|_| !self.has(Mutation::SkipTakenBackWhole));
        self.inner.unskip(author, at, earlier)
    }
}

/// Every mark of a position two events further.
fn two_further(position: &Position) -> Position {
    let marks = position.marks().map(|(log, mark)| EventAt::new(log, mark.seen + 2));
    marks.fold(position.clone(), |position, at| position.after(at))
}

/// The mark of each log where that of the next named log should be.
fn of_next_user(position: &Position) -> Position {
    let mut marks: Vec<(LogId, LogMark)> = position.marks().filter(|(_, mark)| mark.seen > 0).collect();
    if position.logs() == Logs::One || marks.is_empty() {
        return position.clone();
    }
    let seqs: Vec<LogMark> = marks.iter().map(|(_, mark)| *mark).collect();
    for (place, mark) in marks.iter_mut().enumerate() {
        mark.1 = seqs[(place + 1) % seqs.len()];
    }
    Position::sparse(position.history(), marks)
}
