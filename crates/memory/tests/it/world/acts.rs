//! What users do: writes by the machine of the shards, step by step, by writers that may die between two steps.

use super::pages::page_of;
use super::process::look;
use super::shard::Shard;
use super::{Break, PROCESSES, Shared, USERS, World, pause, uid};
use guanxi_model::post::{Body, Draft, Edit, PostCommand};
use guanxi_model::{Command, FriendRequest, Gene, Op, PairCommand, Uid, Visibility, Write};
use guanxi_shard::batch::{ShardAnswer, ShardWork};
use guanxi_shard::cells::{LoggedEvent, Peer};
use guanxi_shard::meeting::{Meeting, MeetingStep, StepResult};
use guanxi_shard::route::{Home, Part, split};
use std::collections::BTreeSet;
use std::sync::Arc;

const OPS: [Op; 18] = [
    Op::Follow,
    Op::Follow,
    Op::Follow,
    Op::Follow,
    Op::Unfollow,
    Op::Unfollow,
    Op::RemoveFollower,
    Op::Block,
    Op::Unblock,
    Op::Unblock,
    Op::SendFriendRequest,
    Op::SendFriendRequest,
    Op::AcceptFriendRequest,
    Op::AcceptFriendRequest,
    Op::RejectFriendRequest,
    Op::CancelFriendRequest,
    Op::RemoveFriend,
    Op::Mute,
];

/// A block that was answered: nothing that one of the two writes while it stands is shown to the other.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredBlock {
    pub subject: Uid,
    pub object: Uid,
    pub answered: u64,
}

/// The writer died, or the shard could not be asked.
struct Died;

/// Someone does something, through a process.
pub async fn act(shared: Shared, process: usize) {
    let (subject, object, op, is_post) = {
        let mut world = shared.borrow_mut();
        let (a, b) = (world.any_user(), world.any_user());
        (a, b, world.random.pick(&OPS), world.random.one_in(4))
    };
    if is_post {
        return write_post(&shared, process, subject);
    }
    if subject == object {
        return;
    }
    let command = match op {
        Op::SendFriendRequest => Command::SendFriendRequest(FriendRequest {
            sender: subject,
            receiver: object,
            message: String::new(),
            ttl_ms: None,
        }),
        _ => Command::Pair(PairCommand { op, subject, object }),
    };
    let steps = {
        let mut world = shared.borrow_mut();
        if world.random.one_in(5) { world.random.below(20) } else { usize::MAX }
    };
    // An author that has parted from a viewer writes what that one is not to see.
    let parts = matches!(op, Op::Block | Op::RemoveFollower | Op::RemoveFriend | Op::Unfollow);
    let reader = {
        let mut world = shared.borrow_mut();
        (parts && world.random.one_in(3)).then(|| world.random.below(PROCESSES))
    };
    if let Some(reader) = reader {
        // A process that has read before tells the next page from memory.
        page_of(shared.clone(), reader, object).await;
    }
    let mut writer = Writer { shared, process, steps };
    for part in split(Write::of(command)).unwrap().stages.into_iter().flatten() {
        if writer.part(part).await.is_err() {
            return;
        }
    }
    if op == Op::Block {
        let mut world = writer.shared.borrow_mut();
        let block = AnsweredBlock { subject, object, answered: world.now };
        world.blocks.push(block);
    }
    if parts && !writer.shared.borrow_mut().random.one_in(4) {
        pause().await;
        write_post(&writer.shared, process, subject);
        if let Some(reader) = reader {
            read_after(&writer.shared, reader, (subject, object)).await;
        }
    }
}

/// The viewer reads through a process that knows the post of the author, and maybe not that the two have parted.
async fn read_after(shared: &Shared, process: usize, (author, viewer): (Uid, Uid)) {
    let database = shared.borrow().processes[process].map[&author.gene()].database;
    if look(shared, process, database).await.is_ok() {
        page_of(shared.clone(), process, viewer).await;
    }
}

/// An author writes a post, or changes one of its own.
fn write_post(shared: &Shared, process: usize, author: Uid) {
    let mut world = shared.borrow_mut();
    let kinds = [Visibility::Public, Visibility::Followers, Visibility::Friends];
    let (visibility, n) = (world.random.pick(&kinds), world.random.below(6));
    let home = author.gene();
    let own = world.tables.shard(home).newest(author, 4);
    let says = format!("At {}", world.now);
    let command = match (n, own.first(), own.last()) {
        (0, Some(id), _) => PostCommand::Delete { author, id: *id },
        (1, _, Some(id)) => PostCommand::Restore { author, id: *id },
        (2 | 3, Some(id), _) => {
            let edit = Edit {
                text: Some(says),
                attachments: None,
                visibility: Some(visibility),
                expected_revision: None,
            };
            PostCommand::Update { author, id: *id, edit }
        }
        _ => create(author, visibility, says),
    };
    let write = Write::of(Command::Post(command));
    let _ = world.work(process, home, &ShardWork::Judged(write, Arc::default()));
}

fn create(author: Uid, visibility: Visibility, text: String) -> PostCommand {
    let body = Body { text, attachments: Vec::new() };
    PostCommand::Create(Draft { author, body, visibility, reply_to: None, repost_of: None })
}

/// One write, and how many steps of it are done.
struct Writer {
    shared: Shared,
    process: usize,
    steps: usize,
}

impl Writer {
    async fn step(&mut self) -> Result<(), Died> {
        self.steps = self.steps.checked_sub(1).ok_or(Died)?;
        pause().await;
        Ok(())
    }

    async fn work(&mut self, home: Gene, work: &ShardWork) -> Result<ShardAnswer, Died> {
        self.step().await?;
        self.shared.borrow_mut().work(self.process, home, work).ok_or(Died)
    }

    async fn part(&mut self, Part { home, write, meets, partings, .. }: Part) -> Result<(), Died> {
        let Home::Shard(home) = home else { return Ok(()) };
        if !meets {
            let done = self.work(home, &ShardWork::Write(write.clone())).await?;
            if done.concerned.is_empty() {
                let is_half = self.shared.borrow().breaks == Break::HalfBlock;
                let others =
                    partings.iter().flat_map(|parting| [parting.subject.gene(), parting.object.gene()]);
                let others: BTreeSet<Gene> = others.filter(|gene| *gene != home && !is_half).collect();
                return self.stand(home, &others).await;
            }
        }
        let mut meeting = Meeting::of_one(write).unwrap();
        let mut result = StepResult::Begun;
        loop {
            result = match meeting.next(result).map_err(|_| Died)? {
                MeetingStep::Done(_) => return Ok(()),
                MeetingStep::Work(shard, work) => StepResult::Answer(self.work(shard, &work).await?),
                MeetingStep::Heads(shards) => {
                    self.step().await?;
                    let world = self.shared.borrow();
                    if shards.iter().any(|shard| world.tables.is_away(*shard)) {
                        return Err(Died);
                    }
                    let head = |shard: Gene| (shard, world.tables.shard(shard).seq());
                    StepResult::Heads(shards.into_iter().map(head).collect())
                }
                MeetingStep::Reach(shards, marks) => {
                    for source in marks.into_keys() {
                        for shard in shards.iter().filter(|shard| **shard != source) {
                            self.take_in(source, *shard).await?;
                        }
                    }
                    StepResult::Reached
                }
            };
        }
    }

    /// What a shard has done comes to another.
    async fn take_in(&mut self, source: Gene, shard: Gene) -> Result<(), Died> {
        self.step().await?;
        self.shared.borrow_mut().carry(source, shard, usize::MAX).then_some(()).ok_or(Died)
    }

    /// What a shard has done, and what follows from it, comes to stand in it and in others.
    async fn stand(&mut self, shard: Gene, others: &BTreeSet<Gene>) -> Result<(), Died> {
        for _ in 0..2 {
            for other in others.iter().filter(|other| **other != shard) {
                self.take_in(shard, *other).await?;
                self.take_in(*other, shard).await?;
            }
        }
        Ok(())
    }
}

impl World {
    /// Someone writes a post in a shard.
    pub fn write_in(&mut self, gene: Gene) {
        let author = USERS.map(uid).into_iter().find(|user| user.gene() == gene).unwrap();
        let command = create(author, Visibility::Public, format!("At {}", self.now));
        let write = Write::of(Command::Post(command));
        let _ = self.work(0, gene, &ShardWork::Judged(write, Arc::default()));
    }

    /// Does some work in a shard, through a process. None if the shard cannot be asked, or refuses all of it.
    pub fn work(&mut self, process: usize, home: Gene, work: &ShardWork) -> Option<ShardAnswer> {
        if self.tables.is_away(home) {
            return None;
        }
        self.now += 1;
        let now = self.now;
        let shard = self.tables.shards.get_mut(&home).unwrap();
        let answer = shard.work(work, now);
        let seq = shard.seq();
        self.processes[process].note_head(home, seq);
        answer
    }

    /// Has a shard take in some events of another. False if one of the two cannot be asked.
    pub fn carry(&mut self, from: Gene, to: Gene, most: usize) -> bool {
        if self.tables.is_away(from) || self.tables.is_away(to) {
            return false;
        }
        let events = self.tables.to_carry(from, to, most);
        if events.is_empty() {
            return true;
        }
        self.now += 1;
        let now = self.now;
        let is_lossy = self.breaks == Break::MarkWithoutEffect;
        let random = &mut self.random;
        let mut arrives = |logged: &LoggedEvent| {
            let times = if is_lossy && random.one_in(8) { 0 } else { 1 + usize::from(random.one_in(12)) };
            std::iter::repeat_n(*logged, times).collect::<Vec<_>>()
        };
        let of_target = events.iter().filter(|logged| logged.peer == Some(Peer::Shard(to)));
        let arriving: Vec<LoggedEvent> = of_target.flat_map(&mut arrives).collect();
        let target: &mut Shard = self.tables.shards.get_mut(&to).unwrap();
        let mark = target.mark(from, target.seq()) + events.len() as u64;
        target.take(from, &arriving, mark, now);
        true
    }
}
