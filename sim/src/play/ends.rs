//! Steps of what waits and ends by itself, and of the jobs of the server behind that.

use super::{Checked, Player, answered, repeated, same};
use crate::stage::Ran;
use crate::trace::{CATCH_UP, Inside, Job, Step, User, uid};
use guanxi_centers::jobs::{Expiry, Unlock};
use guanxi_model::{
    Command, FriendRequest, List, MuteCommand, Page, PageStart, RequestDirection, RequestKind, Result, Uid,
    Write,
};
use guanxi_oracle::Happened;
use guanxi_ports::StoreView;
use guanxi_ports::Walk;
use std::collections::BTreeSet;
use std::pin::pin;

/// More steps than a job can need in any trace.
const STEPS_MAX: u32 = 10_000;

/// More ends than any trace has.
const ENDS_MAX: usize = 10_000;

/// Items of a page of relations: fewer than most lists have.
const PAGE: i32 = 2;

/// A job that is away from the world while it works.
enum Working {
    Ends(Expiry),
    Unlock(Unlock),
}

impl Working {
    async fn step(&mut self) -> Result<bool> {
        match self {
            Self::Ends(job) => job.step().await,
            Self::Unlock(job) => job.step().await,
        }
    }
}

impl Player {
    /// Asks, mutes on terms, or gets another limit.
    pub(super) async fn ask(&mut self, step: &Step) -> Checked {
        let (actor, command, what) = match *step {
            Step::Ask { sender, receiver, ttl_ms } => {
                let (sender, receiver, message) = (uid(sender), uid(receiver), String::new());
                let request = FriendRequest { sender, receiver, message, ttl_ms };
                (sender, Command::SendFriendRequest(request), Happened::Asked { sender, receiver, ttl_ms })
            }
            Step::Mute { subject, object, reposts_only, duration_ms } => {
                let (subject, object) = (uid(subject), uid(object));
                let mute = MuteCommand { subject, object, reposts_only, duration_ms };
                let what = Happened::Muted { subject, object, reposts_only, duration_ms };
                (subject, Command::Mute(mute), what)
            }
            Step::Spare(user, spare) => {
                let uid = uid(user);
                let limit = spare.map(|spare| self.oracle.places(uid) as u32 + u32::from(spare));
                (uid, Command::FollowLimit { uid, limit }, Happened::Limited(uid, limit))
            }
            _ => return Ok(()),
        };
        let write = Write::of(command).under(self.request(actor));
        let graph = &self.world().graph;
        let answer = answered(repeated(|| graph.apply(write.clone())).await)?;
        let changed = self.note(&answer.position.clone(), what).await?;
        let Some(outcome) = answer.pairs().pop() else { return Ok(()) };
        if let Happened::Asked { sender: a, receiver: b, .. }
        | Happened::Muted { subject: a, object: b, .. } = what
        {
            self.steady.remove(&a);
            self.steady.remove(&b);
        }
        same("changed", &outcome.result.unwrap_or(false), &changed)
    }

    pub(super) async fn job(&mut self, job: Job, steps: u8, inside: &[Inside]) -> Checked {
        let Some(mut working) = self.take_job(job) else { return Ok(()) };
        let max = if steps == CATCH_UP { STEPS_MAX } else { u32::from(steps) };
        let done = {
            let work = async {
                for _ in 0..max {
                    if !working.step().await? {
                        return Ok(true);
                    }
                }
                Ok(false)
            };
            self.overlap(work, inside).await
        };
        self.put_job(working);
        self.take_in_removals()?;
        let is_done = answered(done?)? && steps == CATCH_UP && inside.is_empty();
        if is_done && !self.nested { self.check_ended(job).await } else { Ok(()) }
    }

    /// A job dies within a step, and another one goes on where it was.
    pub(super) async fn job_cut(&mut self, job: Job, pauses: u8) -> Checked {
        let Some(mut working) = self.take_job(job) else { return Ok(()) };
        let stage = self.world().stage.clone();
        let before = stage.open(true);
        {
            let mut step = pin!(async {
                while working.step().await? {}
                Ok(())
            });
            for _ in 0..=pauses {
                if let Ran::Done(done) = stage.run(step.as_mut()).await {
                    answered(done)?;
                    break;
                }
            }
        }
        stage.open(before);
        self.put_job(self.new_job(job));
        self.take_in_removals()
    }

    /// Everything that is due ends, and every user that waits in vain is approved.
    pub(super) async fn end_rest(&mut self) -> Checked {
        for job in [Job::Ends, Job::Unlock] {
            self.put_job(self.new_job(job));
            self.job(job, CATCH_UP, &[]).await?;
        }
        Ok(())
    }

    fn new_job(&self, job: Job) -> Working {
        let (port, clock) = (self.world().job_port.clone(), self.world().clock.clone());
        match job {
            Job::Ends => Working::Ends(Expiry::new(port, clock)),
            Job::Unlock => Working::Unlock(Unlock::new(port)),
        }
    }

    fn take_job(&mut self, job: Job) -> Option<Working> {
        match job {
            Job::Ends => self.world_mut().expiry.take().map(Working::Ends),
            Job::Unlock => self.world_mut().unlock.take().map(Working::Unlock),
        }
    }

    fn put_job(&mut self, working: Working) {
        match working {
            Working::Ends(job) => self.world_mut().expiry = Some(job),
            Working::Unlock(job) => self.world_mut().unlock = Some(job),
        }
    }

    /// Once a job finds nothing to do there is nothing for it: and what is not due yet is kept, each with its time.
    async fn check_ended(&mut self, job: Job) -> Checked {
        let view = answered(self.world().graph.view(None).await)?;
        match job {
            Job::Unlock => same("waits in vain", &self.oracle.waits_in_vain(), &Vec::new()),
            Job::Ends => {
                let ends = answered(view.due_ends(u64::MAX, Walk::new(None, ENDS_MAX)).await)?;
                let ends: BTreeSet<_> = ends.into_iter().map(|due| (due.at_ms, due.end)).collect();
                same("what ends by itself", &ends, &self.oracle.ends())?;
                let now_ms = guanxi_model::Clock::now_ms(&*self.world().clock);
                let due: Vec<_> = ends.into_iter().take_while(|(at_ms, _)| *at_ms <= now_ms).collect();
                same("due", &due, &Vec::new())
            }
        }
    }

    /// Lists, requests, mutes and counts of a user are those of the definition. Where what follows from an act comes later,
    /// the view includes all that was done.
    pub(super) async fn relations(&mut self, user: User) -> Checked {
        let user = uid(user);
        self.counts.others += 1;
        let acts = self.acts.clone();
        let view = answered(self.world().graph.view(acts.as_ref()).await)?;
        let view = &*view;
        for direction in [RequestDirection::Incoming, RequestDirection::Outgoing] {
            for kind in [RequestKind::Friend, RequestKind::Follow] {
                let found = requests(view, user, direction, kind).await?;
                let right = self.oracle.requests(user, direction, kind);
                same(&format!("{direction:?} {kind:?} requests of {user}"), &found, &right)?;
            }
        }
        let muted = list(view, user, List::Mutes).await?;
        let terms = answered(view.mute_terms(user, &muted).await)?;
        let found: Vec<_> = muted
            .iter()
            .zip(terms)
            .map(|(whom, terms)| (*whom, terms.reposts_only, terms.until_ms))
            .collect();
        same(&format!("mutes of {user}"), &found, &self.oracle.mutes(user))?;
        let following: BTreeSet<Uid> = list(view, user, List::Following).await?.into_iter().collect();
        same(&format!("followed by {user}"), &following, &self.oracle.following(user))?;
        let followers: BTreeSet<Uid> = list(view, user, List::Followers).await?.into_iter().collect();
        same(&format!("followers of {user}"), &followers, &self.oracle.followers(user))?;
        let counts = answered(view.counts(&[user]).await)?;
        let friends = following.intersection(&followers).count();
        let found: Vec<_> = counts
            .iter()
            .map(|counts| (counts.following, counts.followers, counts.friends, counts.mutes))
            .collect();
        let right = (following.len() as u32, followers.len() as u64, friends as u32, muted.len() as u32);
        same(&format!("counts of {user}"), &found, &vec![right])
    }
}

/// The requests of a kind that a user got or sent, page by page: of whom or to whom, and until when.
async fn requests(
    view: &dyn StoreView,
    of: Uid,
    direction: RequestDirection,
    kind: RequestKind,
) -> Checked<Vec<(Uid, u64)>> {
    let (mut start, mut found) = (PageStart::Newest, Vec::new());
    loop {
        let page = answered(Page::new(start, PAGE))?;
        let page = answered(view.requests(of, direction, kind, page).await)?;
        for request in page.items {
            let other = match direction {
                RequestDirection::Incoming => request.sender,
                RequestDirection::Outgoing => request.receiver,
            };
            found.push((other, request.expires_ms));
        }
        match page.next {
            Some(next) => start = PageStart::After(next),
            None => return Ok(found),
        }
    }
}

/// A list of a user, page by page.
async fn list(view: &dyn StoreView, of: Uid, list: List) -> Checked<Vec<Uid>> {
    let (mut start, mut found) = (PageStart::Newest, Vec::new());
    loop {
        let page = answered(Page::new(start, PAGE))?;
        let page = answered(view.list(of, list, page).await)?;
        found.extend(page.items.iter().map(|edge| edge.uid));
        match page.next {
            Some(next) => start = PageStart::After(next),
            None => return Ok(found),
        }
    }
}
