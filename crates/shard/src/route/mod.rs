//! Where the commands of a write have their homes.

use guanxi_model::affinity::AffinityCommand;
use guanxi_model::post::ImportPost;
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::user::{Privacy, UserCommand};
use guanxi_model::{
    Command, Error, FriendRequest, Gene, GroupCommand, ImportEdge, MuteCommand, Op, PairCommand, Reason,
    RequestKey, RestrictionKind, Result, Uid, Write,
};
use std::collections::{BTreeMap, BTreeSet};

/// What has to stand in the shard of the other user, too, before a write is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The acting user.
    pub subject: Uid,
    /// The other.
    pub object: Uid,
}

/// Where commands are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    /// In a shard, of which a user is.
    Shard(Gene),
    /// In the first database: what is no user's.
    Settings,
}

/// A part of a write, all of whose commands have one home.
#[derive(Debug)]
pub struct Part {
    /// Where they are planned.
    pub home: Home,
    /// The commands, with the request id of the write.
    pub write: Write,
    /// The shards that must have taken it in before the answer.
    pub partings: Vec<Parting>,
    /// Where it ends, if the first step is in the shard of the other user.
    pub ends_in: Option<Gene>,
    /// Whether its commands take steps in the shards of two users each: one command, or many that answer requests to follow.
    pub meets: bool,
    /// Where each of its outcomes is among those of the whole write.
    pub places: Vec<usize>,
}

/// A write, split.
#[derive(Debug, Default)]
pub struct Split {
    /// Parts one after the other; those that stand together take place beside each other.
    pub stages: Vec<Vec<Part>>,
    /// How many outcomes the whole write has.
    pub outcomes: usize,
}

/// Splits a write into parts of one home each, in order. Parts are commits of their own.
///
/// # Errors
/// `NOT_SERVED` for commands of a domain whose rows are not in the shards yet.
pub fn split(write: Write) -> Result<Split> {
    let request = write.request;
    if are_assignments(&write.commands) {
        return Ok(side_by_side(write.commands, request.as_ref()));
    }
    let (mut split, mut parts) = (Split::default(), 0);
    for command in write.commands {
        let routed = routed(command)?;
        let is_one = routed.len() == 1;
        let mut stages: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        for Routed { home, command, partings, ends_in, within, stage } in routed {
            let meets = meets(&command);
            let places = within.into_iter().map(|place| split.outcomes + place);
            let last = split.stages.last_mut().filter(|stage| is_one && stage.len() == 1);
            let last = last.and_then(|stage| stage.last_mut());
            let fits = |part: &Part| {
                // Answers ask nothing of the other shards, so that many of them are one step here and one there.
                if part.home == home && answers(&command) && part.write.commands.iter().all(answers) {
                    return true;
                }
                let is_alone = part.ends_in.is_some() || part.meets || ends_in.is_some() || meets;
                let is_near = part.home == home && !is_alone;
                // What is about posts is judged by other shards' facts, and relations are not.
                is_near
                    && part.write.commands.iter().all(|one| is_about_posts(one) == is_about_posts(&command))
            };
            if let Some(part) = last.filter(|part| fits(part)) {
                part.places.extend(places);
                part.write.commands.push(command);
                part.partings.extend(partings);
                part.meets |= meets;
                continue;
            }
            let write = Write::of(command).under(numbered(request.as_ref(), parts));
            parts += 1;
            let part = Part { home, write, partings, ends_in, meets, places: places.collect() };
            stages.entry(stage).or_default().push(part);
        }
        let last = stages.values().flatten().chain(split.stages.last().into_iter().flatten());
        let last = last.filter_map(|part| part.places.last()).max();
        split.outcomes = last.map_or(split.outcomes, |place| split.outcomes.max(place + 1));
        split.stages.extend(stages.into_values());
    }
    Ok(split)
}

/// Returns whether a command asks another user for something or answers it, or ends what two have agreed on.
fn meets(command: &Command) -> bool {
    let (op, subject, object) = match command {
        Command::Pair(PairCommand { op, subject, object }) => (*op, *subject, *object),
        Command::SendFriendRequest(FriendRequest { sender, receiver, .. }) => {
            (Op::SendFriendRequest, *sender, *receiver)
        }
        _ => return false,
    };
    let stays = matches!(
        op,
        Op::Follow
            | Op::Unfollow
            | Op::RemoveFollower
            | Op::Block
            | Op::Unblock
            | Op::Mute
            | Op::Unmute
            | Op::ExpireMute
    );
    !stays && subject.gene() != object.gene()
}

/// Returns whether a command answers a request to follow.
const fn answers(command: &Command) -> bool {
    matches!(command, Command::Pair(PairCommand { op: Op::ApproveFollow | Op::RejectFollow, .. }))
}

/// The request key of a part.
fn numbered(request: Option<&RequestKey>, part: usize) -> Option<RequestKey> {
    request.map(|request| request.of_part(part))
}

/// Returns whether a command is about posts, whose plan may read rows of other shards.
pub const fn is_about_posts(command: &Command) -> bool {
    matches!(command, Command::Post(_) | Command::ImportPosts(_) | Command::ImportLikes(_))
}

/// A command, or a part of one, by its home.
struct Routed {
    home: Home,
    command: Command,
    partings: Vec<Parting>,
    ends_in: Option<Gene>,
    /// Where its outcomes are among those of the command.
    within: Vec<usize>,
    /// Parts of a command are done stage by stage, those of one stage side by side.
    stage: usize,
}

impl Routed {
    /// A command with one outcome, which concerns no other shard before its answer.
    fn one(home: Gene, command: Command) -> Vec<Self> {
        vec![Self::at(Home::Shard(home), command)]
    }

    /// One of what is no user's.
    fn setting(command: Command) -> Vec<Self> {
        vec![Self::at(Home::Settings, command)]
    }

    fn at(home: Home, command: Command) -> Self {
        Self { home, command, partings: Vec::new(), ends_in: None, within: vec![0], stage: 0 }
    }

    /// One that is to stand in the shards of two before its answer.
    fn parting(home: Gene, command: Command, parting: Parting) -> Vec<Self> {
        vec![Self { partings: vec![parting], ..Self::at(Home::Shard(home), command) }]
    }
}

/// An operation on a pair: in the shard of the actor, but for facts of the other user alone.
fn routed_pair(pair: PairCommand) -> Vec<Routed> {
    let PairCommand { op, subject, object } = pair;
    let command = Command::Pair(pair);

    let parting = Parting { subject, object };
    let home = subject.gene();
    match op {
        Op::RemoveFollower if object.gene() != home => {
            let mut routed = Routed::parting(object.gene(), command, parting);
            routed.iter_mut().for_each(|routed| routed.ends_in = Some(home));
            routed
        }
        Op::Block | Op::Unblock | Op::RemoveFollower => Routed::parting(home, command, parting),
        Op::Follow
        | Op::Unfollow
        | Op::Unmute
        | Op::Mute
        | Op::ExpireMute
        | Op::SendFriendRequest
        | Op::AcceptFriendRequest
        | Op::RejectFriendRequest
        | Op::CancelFriendRequest
        | Op::RemoveFriend
        | Op::ApproveFollow
        | Op::RejectFollow
        | Op::ExpireRequest
        | Op::ApproveUnlocked => Routed::one(home, command),
    }
}

/// A command by its homes: one, but for imports of many users.
fn routed(command: Command) -> Result<Vec<Routed>> {
    Ok(match command {
        Command::Pair(pair) => routed_pair(pair),
        Command::Mute(MuteCommand { subject, .. }) => Routed::one(subject.gene(), command),
        Command::User(ref user) => Routed::one(home_of(user), command),
        Command::Session(ref session) => Routed::one(session.gene(), command),
        Command::Group(ref group) => {
            check_group_name(group)?;
            Routed::one(group.owner().gene(), command)
        }
        Command::Dismiss(DismissCommand { viewer, .. }) => Routed::one(viewer.gene(), command),
        Command::Affinity(AffinityCommand { actor, .. }) => Routed::one(actor.gene(), command),
        Command::FanoutPolicy(_) | Command::Credential(_) | Command::Audit(_) => Routed::setting(command),
        Command::ImportEdges { edges, revive } => {
            each_home(edges, |edge| edge.subject, |edges| Command::ImportEdges { edges, revive })
        }
        Command::ImportRestrictions { kind, restrictions } => {
            let make = |restrictions| Command::ImportRestrictions { kind, restrictions };
            let mut routed = each_home(restrictions, |edge| edge.subject, make);
            for part in &mut routed {
                if let Command::ImportRestrictions { restrictions, .. } = &part.command
                    && kind == RestrictionKind::Block
                {
                    let parting = |edge: &ImportEdge| Parting { subject: edge.subject, object: edge.object };
                    part.partings = restrictions.iter().map(parting).collect();
                }
            }
            routed
        }
        Command::DropTombstones { pairs, until } if pairs.is_empty() => {
            Routed::one(Gene(0), Command::DropTombstones { pairs, until })
        }
        Command::DropTombstones { pairs, until } => {
            let mut routed =
                each_home(pairs, |pair| pair.0, |pairs| Command::DropTombstones { pairs, until });
            // All of it has one outcome.
            routed.iter_mut().for_each(|routed| (routed.within, routed.stage) = (vec![0], 0));
            routed
        }
        Command::Post(ref post) => Routed::one(post.actor().gene(), command),
        Command::ImportPosts(posts) => posts_by_stages(posts),
        Command::ImportLikes(likes) => each_home(likes, |like| like.uid, Command::ImportLikes),
        Command::FollowLimit { uid, .. }
        | Command::MarkSeen { uid, .. }
        | Command::SendFriendRequest(FriendRequest { sender: uid, .. })
        | Command::ForgetRejection { owner: uid, .. }
        | Command::EndUnlock { uid, .. }
        | Command::MarkRequestsSeen { uid, .. } => Routed::one(uid.gene(), command),
    })
}

/// A text of PostgreSQL has no zero in it.
fn check_group_name(command: &GroupCommand) -> Result<()> {
    let name = match command {
        GroupCommand::Create { name, .. } => Some(name),
        GroupCommand::Update { name, .. } => name.as_ref(),
        _ => None,
    };
    if name.is_some_and(|name| name.contains('\0')) {
        return Err(Error::new(Reason::InvalidField { field: "name" }));
    }
    Ok(())
}

/// Returns where a command of a user is planned: in the user's shard, but for what is looked up before anything is known of
/// a user.
fn home_of(command: &UserCommand) -> Gene {
    match command {
        UserCommand::Contact(command) => command.gene(),
        UserCommand::AssignExternalId { external_id, .. } => external_id.gene(),
        _ => command.uid().gene(),
    }
}

/// Returns the shards of the other sides of imported edges: these are applied there before they are answered. Imports would
/// otherwise write logs faster than their events are applied, for as long as they take.
pub fn imported_to(commands: &[Command]) -> BTreeSet<Gene> {
    let edges = commands.iter().filter_map(|command| match command {
        Command::ImportEdges { edges, .. } => Some(edges),
        _ => None,
    });
    edges.flatten().map(|edge| edge.object.gene()).collect()
}

/// Returns whether how a user stands may change by some commands: that stands in every database before it is
/// answered.
pub fn change_standings(commands: &[Command]) -> bool {
    let changes = |command: &Command| match command {
        Command::User(
            UserCommand::SetPrivacy { .. }
            | UserCommand::SetStatus { .. }
            | UserCommand::TakeDown { .. }
            | UserCommand::Reinstate { .. },
        ) => true,
        Command::User(UserCommand::Import { user, .. }) => {
            user.is_deactivated || user.privacy != Privacy::default()
        }
        _ => false,
    };
    commands.iter().any(changes)
}

/// Returns whether commands do nothing but give uids to external ids: these are independent, so that they go side by
/// side.
fn are_assignments(commands: &[Command]) -> bool {
    let is_one = |command: &Command| matches!(command, Command::User(UserCommand::AssignExternalId { .. }));
    commands.iter().all(is_one)
}

/// Splits independent commands of one outcome each by their homes.
fn side_by_side(commands: Vec<Command>, request: Option<&RequestKey>) -> Split {
    let outcomes = commands.len();
    let mut homes: BTreeMap<Gene, (Vec<Command>, Vec<usize>)> = BTreeMap::new();
    for (place, command) in commands.into_iter().enumerate() {
        let Command::User(user) = &command else { continue };
        let (commands, places) = homes.entry(home_of(user)).or_default();
        commands.push(command);
        places.push(place);
    }
    let parts = homes.into_iter().enumerate().map(|(number, (home, (commands, places)))| {
        let write = Write::all(commands).under(numbered(request, number));
        let home = Home::Shard(home);
        Part { home, write, partings: Vec::new(), ends_in: None, meets: false, places }
    });
    Split { stages: vec![parts.collect()], outcomes }
}

/// Things of an import that are done in their order, so that their times are in it, too; more of them go side by side.
const ORDERED_MAX: usize = 16;

/// Things that are imported by the homes of their users, each home's in order. Those of different homes do not depend on each
/// other; if they are few, they are in runs of one home, in their order.
fn each_home<T>(all: Vec<T>, of: impl Fn(&T) -> Uid, make: impl Fn(Vec<T>) -> Command) -> Vec<Routed> {
    if all.len() <= ORDERED_MAX {
        return in_order(all, of, make);
    }
    let mut homes: BTreeMap<Gene, (Vec<T>, Vec<usize>)> = BTreeMap::new();
    for (place, one) in all.into_iter().enumerate() {
        let (things, places) = homes.entry(of(&one).gene()).or_default();
        things.push(one);
        places.push(place);
    }
    homes.into_iter().map(|(home, (things, within))| imported(0, (home, things, within), &make)).collect()
}

/// Things that are imported by runs of one home, one after the other.
fn in_order<T>(all: Vec<T>, of: impl Fn(&T) -> Uid, make: impl Fn(Vec<T>) -> Command) -> Vec<Routed> {
    runs(all, of).into_iter().enumerate().map(|(stage, run)| imported(stage, run, &make)).collect()
}

/// Things of one home that are imported in a stage, with their places.
fn imported<T>(
    stage: usize,
    (home, things, within): (Gene, Vec<T>, Vec<usize>),
    make: impl Fn(Vec<T>) -> Command,
) -> Routed {
    let (home, command) = (Home::Shard(home), make(things));
    Routed { home, command, partings: Vec::new(), ends_in: None, within, stage }
}

/// Runs of things whose users are of one home, with their places.
fn runs<T>(all: Vec<T>, of: impl Fn(&T) -> Uid) -> Vec<(Gene, Vec<T>, Vec<usize>)> {
    let mut runs: Vec<(Gene, Vec<T>, Vec<usize>)> = Vec::new();
    for (place, one) in all.into_iter().enumerate() {
        let home = of(&one).gene();
        match runs.last_mut() {
            Some((last, run, places)) if *last == home => {
                run.push(one);
                places.push(place);
            }
            _ => runs.push((home, vec![one], vec![place])),
        }
    }
    runs
}

/// A post of an import, as others of it name it: by its author, and the key of its source.
type PostName = (Uid, String);

/// Posts that are imported by the homes of their authors. Those of one home are done in their order, and different homes side by side.
/// Where a post names one of another home, which of the two is done first is as if all were done in their order: it finds one that
/// comes before it, and no other. A few posts are done in their order, so that ids which are minted for them are in it, too.
fn posts_by_stages(posts: Vec<ImportPost>) -> Vec<Routed> {
    if posts.len() <= ORDERED_MAX {
        return in_order(posts, |post| post.author, Command::ImportPosts);
    }
    let named: BTreeSet<PostName> = posts.iter().filter_map(ImportPost::refers_to).cloned().collect();
    // The stages of the last posts of homes, of posts that are named, and from which on a post that was named before may come.
    let mut homes: BTreeMap<Gene, usize> = BTreeMap::new();
    let mut known: BTreeMap<PostName, usize> = BTreeMap::new();
    let mut awaited: BTreeMap<PostName, usize> = BTreeMap::new();
    let mut runs: BTreeMap<(usize, Gene), (Vec<ImportPost>, Vec<usize>)> = BTreeMap::new();
    for (place, post) in posts.into_iter().enumerate() {
        let (home, name) = (post.author.gene(), (post.author, post.key.clone()));
        let mut stage = homes.get(&home).copied().unwrap_or_default();
        stage = stage.max(awaited.get(&name).copied().unwrap_or_default());
        if let Some(other) = post.refers_to() {
            let is_elsewhere = usize::from(other.0.gene() != home);
            if let Some(of_other) = known.get(other) {
                stage = stage.max(of_other + is_elsewhere);
            }
            let from = awaited.entry(other.clone()).or_default();
            *from = (*from).max(stage + is_elsewhere);
        }
        if named.contains(&name) {
            // One that comes again counts if the first was refused.
            known.insert(name, stage);
        }
        homes.insert(home, stage);
        let (posts, places) = runs.entry((stage, home)).or_default();
        posts.push(post);
        places.push(place);
    }
    let routed =
        |((stage, home), (posts, within))| imported(stage, (home, posts, within), Command::ImportPosts);
    runs.into_iter().map(routed).collect()
}

#[cfg(test)]
mod tests;
