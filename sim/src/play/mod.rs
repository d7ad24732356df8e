//! Plays a trace against a subject, and holds every answer against the definition.

mod ends;
mod groups;
mod news;
mod operate;
mod reads;
mod removals;
mod takedowns;
mod writes;

use crate::count::Counts;
use crate::stage::Ran;
use crate::trace::{Inside, Nth, START_MS, Step, Trace, User};
use crate::world::{Given, Keeper, Subject, World};
use guanxi_centers::feed::HomeStream;
use guanxi_model::{EventAt, FanoutMode, Position, PostId, Reason, RequestKey, Uid};
use guanxi_oracle::{Happened, Oracle};
use reads::EVERYTHING;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;

/// What a trace's playing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// What was looked at.
    pub counts: Counts,
    /// Each answer that does not depend on how calls overlapped, in order: the same for every subject.
    pub answers: Vec<Answer>,
    /// The first answer that was wrong.
    pub failure: Option<Failure>,
}

/// What a reader got: items, and whether there is more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// At which step.
    pub step: usize,
    /// Which items, or which number.
    pub ids: Vec<u64>,
    /// Where the next page starts, or another remark.
    pub next: u64,
}

/// An answer that is not the right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// At which step.
    pub step: usize,
    /// What was wrong with it.
    pub what: String,
}

/// The outcome of a check; what was wrong otherwise.
type Checked<T = ()> = Result<T, String>;

/// Plays a trace. It ends at the first wrong answer.
pub fn play(trace: &Trace, subject: Subject) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime of one thread needs nothing that can be missing");
    runtime.block_on(played(trace, subject, None))
}

/// Plays a trace against a backend that has nothing, and under one policy, in a runtime of the caller's. After each step the homes of
/// all users are read, too.
pub async fn play_given(trace: &Trace, mode: FanoutMode, given: Arc<dyn Given>) -> Played {
    let subject = Subject { keeper: Keeper::Given, mode: Some(mode), mutation: None };
    played(trace, subject, Some(given)).await
}

async fn played(trace: &Trace, subject: Subject, given: Option<Arc<dyn Given>>) -> Played {
    match World::begin(subject, trace.settings, trace.seed, given).await {
        Ok(world) => Player::new(world, subject, trace).play(trace).await,
        Err(what) => Played {
            counts: Counts::default(),
            answers: Vec::new(),
            failure: Some(Failure { step: 0, what }),
        },
    }
}

/// What a client holds that is told what is new.
#[derive(Clone, Debug)]
struct Held {
    position: Position,
    ids: Vec<PostId>,
}

/// Something that happened, with where it stands.
#[derive(Clone, Debug)]
struct Past {
    what: Happened,
    /// In the log of who acted.
    at: EventAt,
    /// In every log: everything of it that stands before its answer is included.
    place: Position,
}

/// A client of a stream.
struct Follower {
    stream: HomeStream,
    held: Held,
}

struct Player {
    /// Away only while the process is dead.
    world: Option<World>,
    subject: Subject,
    /// Whether inboxes may be dropped because the log is short: then no page is steady.
    log_is_short: bool,
    oracle: Oracle,
    /// What happened and changed something.
    past: Vec<Past>,
    /// Where all that was written so far stands, as acts.
    acts: Option<Position>,
    /// Everything has arrived that was under way between shards.
    settled: bool,
    ids: Vec<PostId>,
    keys: BTreeMap<(User, u8), PostId>,
    revisions: BTreeMap<PostId, u32>,
    seen: BTreeMap<User, Position>,
    cursors: BTreeMap<User, PostId>,
    held: BTreeMap<User, Held>,
    followers: BTreeMap<User, Follower>,
    /// Readers whose relations and inbox nothing has touched since their last first page, with the latest time that a
    /// clock had shown then.
    steady: BTreeMap<Uid, u64>,
    latest_ms: u64,
    /// Where the log stood when the process began, if it is not the first one.
    began: Option<Position>,
    /// The last user in the order in which deleted ones are due.
    last_due: (u64, Option<Uid>),
    /// From when on the job has found all users that came in before that one.
    in_order_ms: u64,
    /// Within another step.
    nested: bool,
    requests: u64,
    step: usize,
    counts: Counts,
    answers: Vec<Answer>,
}

impl Player {
    fn new(world: World, subject: Subject, trace: &Trace) -> Self {
        Self {
            world: Some(world),
            subject,
            log_is_short: trace.settings.log_events_max < 1_000,
            oracle: Oracle::at(START_MS),
            past: Vec::new(),
            acts: None,
            settled: !subject.keeper.lags(),
            ids: Vec::new(),
            keys: BTreeMap::new(),
            revisions: BTreeMap::new(),
            seen: BTreeMap::new(),
            cursors: BTreeMap::new(),
            held: BTreeMap::new(),
            followers: BTreeMap::new(),
            steady: BTreeMap::new(),
            latest_ms: 0,
            began: None,
            last_due: (0, None),
            in_order_ms: 0,
            nested: false,
            requests: 0,
            step: 0,
            counts: Counts { played: 1, ..Counts::default() },
            answers: Vec::new(),
        }
    }

    async fn play(mut self, trace: &Trace) -> Played {
        let mut failure = None;
        for (number, step) in trace.steps.iter().enumerate() {
            self.step = number;
            let mut checked = self.step(step).await;
            if checked.is_ok() && self.subject.keeper == Keeper::Given {
                checked = self.homes().await;
            }
            if let Err(what) = checked {
                failure = Some(Failure { step: number, what: format!("{step:?}: {what}") });
                break;
            }
        }
        if failure.is_none()
            && !self.settled
            && let Err(what) = self.settle().await
        {
            failure =
                Some(Failure { step: trace.steps.len(), what: format!("once all has arrived: {what}") });
        }
        Played { counts: self.counts, answers: self.answers, failure }
    }

    /// Everything arrives that is under way: then homes, polls and streams are whole, too.
    async fn settle(&mut self) -> Checked {
        answered(self.world().settle().await)?;
        self.settled = true;
        self.remove_rest().await?;
        self.end_rest().await?;
        let clients: BTreeSet<User> = self.held.keys().chain(self.followers.keys()).copied().collect();
        for viewer in clients {
            if self.held.contains_key(&viewer) {
                self.poll(viewer, EVERYTHING).await?;
            }
            if self.followers.contains_key(&viewer) {
                self.stream(viewer).await?;
            }
            self.walk(viewer, 20, &[]).await?;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Checked {
        self.counts.steps += 1;
        match step {
            Step::Create { author, draft, visibility } => self.create(*author, *draft, *visibility).await,
            Step::EditText(post) => self.edit_text(*post).await,
            Step::Show(post, visibility) => self.show(*post, *visibility).await,
            Step::Delete(post) => self.delete(*post).await,
            Step::Restore(post) => self.restore(*post).await,
            Step::Import(posts) => self.import(posts).await,
            Step::Like(user, post) => self.like(*user, *post, true).await,
            Step::Unlike(user, post) => self.like(*user, *post, false).await,
            Step::UndoRepost(user, post) => self.undo_repost(*user, *post).await,
            Step::TakeDown(post) => self.take_down(*post, true).await,
            Step::Reinstate(post) => self.take_down(*post, false).await,
            Step::TakeUserDown(user, down) => self.take_user_down(*user, *down).await,
            Step::Status(user, status) => self.set_status(*user, *status).await,
            Step::DeleteUser { user, at_once } => self.delete_user(*user, *at_once).await,
            Step::Remove { steps, inside } => self.remove(*steps, inside).await,
            Step::RemoveCut(pauses) => self.remove_cut(*pauses).await,
            Step::Pair(op, a, b) => self.pairs(&[(*op, *a, *b)]).await,
            Step::Lock(user, locked) => self.lock(*user, *locked).await,
            Step::Mute { .. } | Step::Ask { .. } | Step::Spare(..) => self.ask(step).await,
            Step::Job { job, steps, inside } => self.job(*job, *steps, inside).await,
            Step::JobCut(job, pauses) => self.job_cut(*job, *pauses).await,
            Step::Relations(user) => self.relations(*user).await,
            Step::FollowMany(a, objects) => {
                let pairs: Vec<_> = objects.iter().map(|b| (guanxi_model::Op::Follow, *a, *b)).collect();
                self.pairs(&pairs).await
            }
            Step::Home { viewer, size, older, inside } => self.home(*viewer, *size, *older, inside).await,
            Step::Walk { viewer, size, between } => self.walk(*viewer, *size, between).await,
            Step::HomePosts { viewer, size } => self.home_posts(*viewer, *size).await,
            Step::Poll { viewer, max } => self.poll(*viewer, *max).await,
            Step::Stream(viewer) => self.stream(*viewer).await,
            Step::Unread { viewer, cap } => self.unread(*viewer, *cap).await,
            Step::MarkSeen { viewer, ago } => self.mark_seen(*viewer, *ago).await,
            Step::Explain(viewer, post) => self.explain(*viewer, *post).await,
            Step::AuthorList { viewer, author, filter, size } => {
                self.author_list(*viewer, *author, *filter, *size).await
            }
            Step::Get(viewer, posts) => self.get(*viewer, posts).await,
            Step::Verify(viewer) => self.verify(*viewer).await,
            Step::Group(owner, members) => self.group(*owner, members).await,
            Step::GroupTimeline { viewer, size, inside } => self.group_timeline(*viewer, *size, inside).await,
            Step::VerifyGroup(viewer) => self.verify_group(*viewer).await,
            other => self.operate(other).await,
        }
    }

    /// Drives a call, and lets other steps happen at its pauses; those that it leaves no place for happen after it.
    async fn overlap<T>(&mut self, call: impl Future<Output = T>, inside: &[Inside]) -> Checked<T> {
        let stage = self.world().stage.clone();
        let mut call = pin!(call);
        let mut inside = inside.iter();
        let mut next = inside.next();
        let mut left = next.map_or(0, |inside| inside.after);
        let value = loop {
            stage.open(next.is_some());
            match stage.run(call.as_mut()).await {
                Ran::Done(value) => break value,
                Ran::Idle => return Err("the call waits for ever".to_owned()),
                Ran::Paused if left > 0 => left -= 1,
                Ran::Paused => {
                    stage.open(false);
                    if let Some(inside) = next {
                        self.nested(&inside.step).await?;
                    }
                    next = inside.next();
                    left = next.map_or(0, |inside| inside.after);
                }
            }
        };
        stage.open(false);
        for rest in next.into_iter().chain(inside) {
            self.nested(&rest.step).await?;
        }
        Ok(value)
    }

    async fn nested(&mut self, step: &Step) -> Checked {
        // What a job around it has removed so far has happened.
        self.take_in_removals()?;
        let outer = std::mem::replace(&mut self.nested, true);
        let checked = Box::pin(self.step(step)).await;
        self.nested = outer;
        checked.map_err(|what| format!("inside, {step:?}: {what}"))
    }

    fn world(&self) -> &World {
        self.world.as_ref().expect("the process is alive between steps")
    }

    /// The post of a number.
    fn nth(&self, nth: Nth) -> Option<PostId> {
        let len = self.ids.len();
        (len > 0).then(|| self.ids[nth as usize % len])
    }

    /// Takes in what happened; returns whether it should have changed anything.
    async fn note(&mut self, position: &Position, what: Happened) -> Checked<bool> {
        let place = answered(self.world().log.head().await)?;
        Ok(self.note_at(position, what, &place))
    }

    /// The same of what happened when the log ended at a place.
    fn note_at(&mut self, position: &Position, what: Happened, place: &Position) -> bool {
        let plain = self.oracle.in_plain_words(&what);
        let changed = self.oracle.happened(&what);
        self.counts.writes += u64::from(changed);
        self.acts = Some(position.clone().joined(self.acts.as_ref()));
        for what in plain.into_iter().filter(|_| changed) {
            let at = position.of(self.actor(&what));
            self.past.push(Past { what, at, place: place.clone() });
        }
        changed
    }

    /// Returns the actor of something: it stands in the actor's log.
    fn actor(&self, what: &Happened) -> Uid {
        let actor = match *what {
            Happened::Pair { subject, .. } | Happened::Muted { subject, .. } => Some(subject),
            Happened::Asked { sender, .. } => Some(sender),
            Happened::Wrote { author, .. } => Some(author),
            Happened::Went(uid)
            | Happened::CameBack(uid)
            | Happened::UserTakenDown(uid)
            | Happened::UserReinstated(uid)
            | Happened::Left(uid)
            | Happened::Erased(uid)
            | Happened::Liked(uid, _)
            | Happened::Unliked(uid, _)
            | Happened::GroupMade(uid)
            | Happened::Grouped(uid, _)
            | Happened::Ungrouped(uid, _)
            | Happened::GroupGone(uid)
            | Happened::Locked(uid, _)
            | Happened::Limited(uid, _)
            | Happened::RejectionForgotten(uid, _) => Some(uid),
            Happened::Showed { id, .. }
            | Happened::Deleted(id)
            | Happened::Restored(id)
            | Happened::TakenDown(id)
            | Happened::Reinstated(id)
            | Happened::Purged(id) => self.oracle.author(id),
        };
        actor.expect("only posts that were written change")
    }

    /// The definition for a viewer at a position.
    fn at(&self, viewer: Uid, position: &Position) -> Cow<'_, Oracle> {
        if self.past.last().is_none_or(|last| position.covers(&last.place)) {
            return Cow::Borrowed(&self.oracle);
        }
        Cow::Owned(self.parts(Some(viewer), position))
    }

    /// What happened as each shard has it at a position.
    fn parts(&self, viewer: Option<Uid>, position: &Position) -> Oracle {
        let parts =
            self.past.iter().map(|past| (&past.what, |uid: Uid| position.includes(past.place.of(uid))));
        Oracle::of_parts(viewer, &parts.collect::<Vec<_>>())
    }

    /// The request under which a write is made whose outcome may be unknown, so that it can be repeated.
    fn request(&mut self, actor: Uid) -> Option<RequestKey> {
        self.requests += 1;
        let fingerprint = self.requests;
        let request = RequestKey { actor, id: fingerprint.to_string().into(), fingerprint };
        (self.subject.keeper == Keeper::MemoryDisordered).then_some(request)
    }

    fn answer(&mut self, ids: &[PostId], next: u64) {
        let ids = ids.iter().map(|id| id.get()).collect();
        self.answers.push(Answer { step: self.step, ids, next });
    }
}

/// What a position says of each author: the last event of the author's log that it includes.
fn by_author(position: &Position) -> impl Fn(Uid) -> u64 + '_ {
    |author| position.of(author).seq()
}

/// Repeats of a call before it counts as refused.
const REPEATS_MAX: u32 = 100;

/// Makes a call, and again when its outcome is unknown or what arrived meanwhile has overtaken each of its answers.
async fn repeated<T, F>(call: impl Fn() -> F) -> guanxi_model::Result<T>
where
    F: Future<Output = guanxi_model::Result<T>>,
{
    let mut answer = call().await;
    for _ in 0..REPEATS_MAX {
        match &answer {
            Err(error) if matches!(error.reason, Reason::OutcomeUnknown | Reason::Overloaded { .. }) => {
                answer = call().await;
            }
            _ => break,
        }
    }
    answer
}

/// A call that should have been answered.
fn answered<T>(result: guanxi_model::Result<T>) -> Checked<T> {
    result.map_err(|error| format!("refused: {error:?}"))
}

/// Compares what was found with what is right.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, right: &T) -> Checked {
    if found == right {
        return Ok(());
    }
    Err(format!("{what}: {found:?} instead of {right:?}"))
}
