//! Step one of planning: which rows a write needs.

use crate::audit::AuditId;
use crate::command::{Command, FriendRequest, MuteCommand, PairCommand, Write};
use crate::credential::{Credential, CredentialCommand};
use crate::group::{GroupCommand, GroupId};
use crate::id::{Gene, Uid};
use crate::pair::Op;
use crate::post::{ImportLike, ImportPost, Kind, PostCommand, PostHeader, PostId, Visibility, id_of_key};
use crate::request_key::{RequestId, RequestKey};
use crate::session::{NewSession, SessionCommand};
use crate::suggestion::DismissCommand;
use crate::user::{Contact, ContactCommand, ExternalId, LoginName, Registration, UserCommand, UserStatus};
use std::collections::{BTreeMap, BTreeSet};

/// A row that a plan reads. One that does not exist is asked for all the same: that it is absent is what the plan must know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKey {
    /// What a user has said about another, with the mark of friends.
    Said(Uid, Uid),
    /// A user's counters and own follow limit.
    User(Uid),
    /// That a follow was removed.
    Removed(Uid, Uid),
    /// A mute with its terms.
    Mute(Uid, Uid),
    /// What a user has asked of another.
    Request(Uid, Uid),
    /// Until when a user that rejected another may not be asked by it.
    Cooldown(Uid, Uid),
    /// The place of the newest request to a user that it has seen.
    RequestsSeen(Uid),
    /// The time since when the users that wait to follow a user are to be approved.
    Unlocking(Uid),
    /// A post.
    Post(PostId),
    /// The counters of a post.
    Stats(PostId),
    /// A like: of which post, by whom.
    Like(PostId, Uid),
    /// A user's plain reposts of an original.
    Reposts(Uid, PostId),
    /// What is kept of an author.
    Author(Uid),
    /// The post that was imported under a source's name for it.
    Source(Uid, String),
    /// The name that an imported post came with.
    Name(PostId),
    /// Which ids of an author's gene are taken at a millisecond.
    Taken(Uid, u64),
    /// Which ids of an author's gene are taken in the milliseconds behind one, where posts of that one take theirs once it
    /// is full: [`IMPORT_SPILL_MS`](crate::limits::IMPORT_SPILL_MS) with it.
    TakenLater(Uid, u64),
    /// What is kept of a user beside relations and posts.
    Account(Uid),
    /// The user of a login name.
    LoginName(LoginName),
    /// A user's password.
    Password(Uid),
    /// When a user signed out everywhere.
    SignedOut(Uid),
    /// A session by its id.
    Session(Gene, [u8; 32]),
    /// The sessions of a user.
    Sessions(Uid),
    /// The claim of a contact.
    Claim(Contact),
    /// The user of an external id.
    ExternalUid(ExternalId),
    /// The external id of a uid.
    ExternalId(Uid),
    /// That an external id led to a user who is erased.
    ErasedId(ExternalId),
    /// Whether there is a credential of a name.
    Credential(String),
    /// How many credentials there are.
    Credentials,
    /// What an operator did.
    Audit(AuditId),
    /// A user's read marker.
    Seen(Uid),
    /// The users whom a user has dismissed from its suggestions.
    Dismissed(Uid),
    /// The scores of a user.
    Affinities(Uid),
    /// Where an import job stands.
    Job(String),
    /// The answer under a request id of an acting user.
    Answer(Uid, RequestId),
    /// How many groups an owner has, and the last number that it has given.
    OwnedGroups(Uid),
    /// A group of an owner.
    Group(Uid, GroupId),
    /// All members of a group.
    GroupMembers(Uid, GroupId),
    /// Since when a user is a member of a group.
    GroupMember(Uid, GroupId, Uid),
    /// An owner's groups that contain a user.
    GroupsWith(Uid, Uid),
}

/// What of the rows that were fetched leads to others. What is absent and what was not fetched yet is `None` alike.
pub trait Fetched {
    /// Returns a post without its content.
    fn header(&self, id: PostId) -> Option<PostHeader>;

    /// Returns the post that was imported under a source's name for it.
    fn source(&self, author: Uid, key: &str) -> Option<PostId>;

    /// Returns how many ids of an author's gene are known to be taken at a millisecond.
    fn taken_at(&self, author: Uid, ms: u64) -> usize;

    /// Returns whether the id of a post is known to be taken.
    fn is_taken(&self, id: PostId) -> bool;

    /// Returns a user's plain reposts of an original.
    fn reposts(&self, user: Uid, original: PostId) -> &[PostId];

    /// Returns whether something that a user has asked of another waits.
    fn asks(&self, sender: Uid, receiver: Uid) -> bool;

    /// Returns whose the session of an id is in a shard.
    fn session_user(&self, gene: Gene, id: [u8; 32]) -> Option<Uid>;

    /// Returns an owner's groups that contain a user.
    fn groups_with(&self, owner: Uid, member: Uid) -> Vec<GroupId>;
}

/// Returns every row that a write needs, as far as can be told from those that are fetched: at first none. Asked again with
/// the rows that it named, it names more, up to five times in all: a source's name, its post, the original of that, and
/// reposts with what they are.
///
/// It may name a row that the plan does not read, never the reverse.
pub fn needed(write: &Write, fetched: &dyn Fetched) -> BTreeSet<RowKey> {
    let mut needed = Needed { fetched, keys: BTreeSet::new(), imports: BTreeMap::new() };
    if let Some(RequestKey { actor, id, .. }) = &write.request {
        needed.add(RowKey::Answer(*actor, id.clone()));
    }
    needed.all(write.cursor.iter().map(|cursor| RowKey::Job(cursor.job.clone())));
    for command in &write.commands {
        needed.command(command);
    }
    needed.keys
}

/// Where a post of an import refers to: author and key.
type Source = (Uid, String);

/// What a write says of a post that it imports.
#[derive(Clone)]
struct Imported {
    /// The original of a plain repost.
    stands_for: Option<Source>,
    /// The group of its author that it is for.
    group: Option<GroupId>,
}

struct Needed<'a> {
    fetched: &'a dyn Fetched,
    keys: BTreeSet<RowKey>,
    /// What the posts of this write refer to, by their own names: they have no ids yet.
    imports: BTreeMap<Source, Imported>,
}

impl Needed<'_> {
    fn add(&mut self, key: RowKey) {
        self.keys.insert(key);
    }

    fn all(&mut self, keys: impl IntoIterator<Item = RowKey>) {
        self.keys.extend(keys);
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Pair(PairCommand { op, subject, object }) => self.operation(*op, *subject, *object),
            Command::SendFriendRequest(FriendRequest { sender, receiver, .. }) => {
                self.operation(Op::SendFriendRequest, *sender, *receiver);
            }
            Command::Mute(MuteCommand { subject, object, .. }) => {
                self.operation(Op::Mute, *subject, *object);
            }
            Command::ForgetRejection { owner, other } => self.add(RowKey::Cooldown(*owner, *other)),
            Command::MarkRequestsSeen { uid, .. } => {
                self.all([RowKey::RequestsSeen(*uid), RowKey::Account(*uid)]);
            }
            Command::ImportEdges { edges, .. } => {
                for edge in edges {
                    self.operation(Op::Follow, edge.subject, edge.object);
                    self.add(RowKey::Removed(edge.subject, edge.object));
                }
            }
            Command::ImportRestrictions { kind, restrictions } => {
                for edge in restrictions {
                    self.operation(kind.op(), edge.subject, edge.object);
                }
            }
            Command::FollowLimit { uid, .. } => self.all([RowKey::User(*uid), RowKey::Account(*uid)]),
            Command::User(command) => self.user_command(command),
            Command::Post(command) => self.post_command(command),
            Command::ImportPosts(posts) => posts.iter().for_each(|post| self.import(post)),
            Command::ImportLikes(likes) => likes.iter().for_each(|like| self.import_like(like)),
            Command::MarkSeen { uid, .. } => self.all([RowKey::Seen(*uid), RowKey::Account(*uid)]),
            Command::Affinity(command) => {
                self.all([RowKey::Affinities(command.actor), RowKey::Account(command.actor)]);
                command.additions.iter().for_each(|(uid, _)| self.add(RowKey::Account(*uid)));
            }
            Command::Dismiss(DismissCommand { viewer, uid, .. }) => {
                self.all([RowKey::Dismissed(*viewer), RowKey::Account(*viewer), RowKey::Account(*uid)]);
            }
            Command::DropTombstones { pairs, until: Some(_) } => {
                pairs.iter().for_each(|(subject, object)| self.add(RowKey::Removed(*subject, *object)));
            }
            Command::Group(command) => self.group_command(command),
            Command::Session(command) => self.session_command(command),
            Command::Credential(command) => self.credential_command(command),
            Command::Audit(command) => self.keys.extend(command.ids().iter().copied().map(RowKey::Audit)),
            // What is forgotten whenever it was need not be known.
            Command::DropTombstones { until: None, .. } | Command::FanoutPolicy(_) => {}
            Command::EndUnlock { uid, .. } => self.add(RowKey::Unlocking(*uid)),
        }
    }

    /// An operation on a pair. A request is read where one waits, and a rejection where somebody may ask or comes to follow.
    fn operation(&mut self, op: Op, subject: Uid, object: Uid) {
        self.pair(subject, object);
        for (sender, receiver) in [(subject, object), (object, subject)] {
            if self.fetched.asks(sender, receiver) {
                self.add(RowKey::Request(sender, receiver));
            }
        }
        if op == Op::Block {
            self.groups_of_parted(subject, object);
        }
        // Whether the other is locked or follows may change before, in the same batch.
        if op.rejects() || op.grants() {
            self.add(RowKey::Cooldown(subject, object));
        }
        if op.takes_back() || op.grants() {
            self.add(RowKey::Cooldown(object, subject));
        }
        if matches!(op, Op::Mute | Op::Unmute | Op::ExpireMute) {
            self.add(RowKey::Mute(subject, object));
        }
    }

    fn pair(&mut self, subject: Uid, object: Uid) {
        self.relation(subject, object);
        for uid in [subject, object] {
            self.all([RowKey::User(uid), RowKey::Account(uid)]);
        }
    }

    fn relation(&mut self, subject: Uid, object: Uid) {
        if subject != object {
            self.all([RowKey::Said(subject, object), RowKey::Said(object, subject)]);
        }
    }

    /// What a block changes in groups.
    fn groups_of_parted(&mut self, a: Uid, b: Uid) {
        for (owner, member) in [(a, b), (b, a)] {
            self.add(RowKey::GroupsWith(owner, member));
            for id in self.fetched.groups_with(owner, member) {
                self.all([RowKey::Group(owner, id), RowKey::Author(owner)]);
            }
        }
    }

    fn group_command(&mut self, command: &GroupCommand) {
        let owner = command.owner();
        self.add(RowKey::Account(owner));
        match command {
            GroupCommand::Create { .. } => self.add(RowKey::OwnedGroups(owner)),
            GroupCommand::Update { id, .. } => self.add(RowKey::Group(owner, *id)),
            GroupCommand::Delete { id, .. } | GroupCommand::SetMembers { id, .. } => {
                self.all([RowKey::Group(owner, *id), RowKey::GroupMembers(owner, *id)]);
            }
            GroupCommand::AddMembers { id, .. } | GroupCommand::RemoveMembers { id, .. } => {
                self.add(RowKey::Group(owner, *id));
                for member in command.members() {
                    self.add(RowKey::GroupMember(owner, *id, *member));
                }
            }
        }
        // Posts may be for a group whose members change.
        if !matches!(command, GroupCommand::Create { .. } | GroupCommand::Update { .. }) {
            self.add(RowKey::Author(owner));
        }
        if matches!(command, GroupCommand::AddMembers { .. } | GroupCommand::SetMembers { .. }) {
            for member in command.members() {
                self.relation(owner, *member);
                self.add(RowKey::Account(*member));
            }
        }
    }

    fn user_command(&mut self, command: &UserCommand) {
        let uid = command.uid();
        if let UserCommand::Contact(command) = command {
            return self.contact_command(command);
        }
        self.add(RowKey::Account(uid));
        match command {
            UserCommand::Register(Registration { login_name, .. }) => {
                self.add(RowKey::LoginName(login_name.clone()));
                self.use_of(uid);
            }
            UserCommand::Import { user, .. } => {
                self.all([RowKey::Author(uid), RowKey::SignedOut(uid), RowKey::Sessions(uid)]);
                self.all(user.login_name.clone().map(RowKey::LoginName));
                if let Some(id) = user.external_id.as_ref().filter(|id| id.gene() == uid.gene()) {
                    self.all([RowKey::ExternalUid(id.clone()), RowKey::ErasedId(id.clone())]);
                }
                self.use_of(uid);
            }
            UserCommand::AssignExternalId { external_id, .. } => {
                self.all([
                    RowKey::ExternalUid(external_id.clone()),
                    RowKey::ErasedId(external_id.clone()),
                    RowKey::SignedOut(uid),
                ]);
                self.use_of(uid);
            }
            UserCommand::SetPassword { .. } => {
                self.all([RowKey::Password(uid), RowKey::SignedOut(uid), RowKey::Sessions(uid)]);
            }
            UserCommand::TakeDown { .. } => {
                self.all([RowKey::Author(uid), RowKey::SignedOut(uid), RowKey::Sessions(uid)]);
            }
            UserCommand::Reinstate { .. } => self.add(RowKey::Author(uid)),
            UserCommand::SetStatus { status, .. } => {
                self.all([RowKey::Author(uid), RowKey::SignedOut(uid), RowKey::Sessions(uid)]);
                if matches!(status, UserStatus::Erased { .. }) {
                    self.all([
                        RowKey::User(uid),
                        RowKey::ExternalId(uid),
                        RowKey::Dismissed(uid),
                        RowKey::Affinities(uid),
                        RowKey::OwnedGroups(uid),
                    ]);
                }
            }
            UserCommand::Update { .. } | UserCommand::SetPrivacy { .. } | UserCommand::Contact(_) => {}
        }
    }

    fn session_command(&mut self, command: &SessionCommand) {
        match command {
            SessionCommand::Begin(new) => {
                let NewSession { session, login } = &**new;
                self.all([
                    RowKey::Session(session.uid.gene(), session.id),
                    RowKey::Sessions(session.uid),
                    RowKey::Account(session.uid),
                ]);
                if login.is_some() {
                    self.add(RowKey::Password(session.uid));
                }
            }
            SessionCommand::Refresh(refresh) => {
                let key = refresh.key;
                self.add(RowKey::Session(key.gene, key.id));
                self.all(self.fetched.session_user(key.gene, key.id).map(RowKey::Account));
            }
            SessionCommand::End { uid, id } => self.add(RowKey::Session(uid.gene(), *id)),
            SessionCommand::SignOut { uid } => {
                self.all([RowKey::Sessions(*uid), RowKey::Account(*uid), RowKey::SignedOut(*uid)]);
            }
        }
    }

    fn credential_command(&mut self, command: &CredentialCommand) {
        // What no credential is called is not looked for.
        if Credential::check_name(command.name()).is_ok() {
            self.add(RowKey::Credential(command.name().clone()));
        }
        self.add(RowKey::Credentials);
    }

    /// A step of the contact's shard reads nothing of the user's, and the reverse.
    fn contact_command(&mut self, command: &ContactCommand) {
        self.add(match command {
            ContactCommand::Reserve { contact, .. }
            | ContactCommand::Confirm { contact, .. }
            | ContactCommand::Release { contact, .. } => RowKey::Claim(contact.clone()),
            ContactCommand::Bind { uid, .. } | ContactCommand::Unbind { uid, .. } => RowKey::Account(*uid),
        });
    }

    /// Whether anybody follows a user or is followed, and whether there are posts, groups or an external id.
    fn use_of(&mut self, uid: Uid) {
        self.all([RowKey::User(uid), RowKey::Author(uid), RowKey::ExternalId(uid), RowKey::OwnedGroups(uid)]);
    }

    fn post_command(&mut self, command: &PostCommand) {
        match command {
            PostCommand::Create(draft) => {
                self.all([RowKey::Author(draft.author), RowKey::Account(draft.author)]);
                self.audience(draft.author, draft.visibility);
                if let Some(asked) = draft.reply_to.or(draft.repost_of) {
                    self.refer(draft.author, asked);
                }
            }
            PostCommand::Update { author, id, edit } => {
                self.audience(*author, edit.visibility.unwrap_or_default());
                self.all([RowKey::Post(*id), RowKey::Author(*author), RowKey::Account(*author)]);
            }
            PostCommand::Delete { author, id }
            | PostCommand::Restore { author, id }
            | PostCommand::TakeDown { author, id, .. }
            | PostCommand::Reinstate { author, id } => {
                self.change(*author, *id);
            }
            PostCommand::Like { uid, id } | PostCommand::Unlike { uid, id } => {
                self.visible(*uid, *id);
                self.all([RowKey::Account(*uid), RowKey::Like(*id, *uid), RowKey::Stats(*id)]);
            }
            PostCommand::UndoRepost { uid, id } => self.undo(*uid, *id),
            PostCommand::EndPurge { id, .. } => self.add(RowKey::Post(*id)),
            PostCommand::Purge { author, id, .. } => {
                self.change(*author, *id);
                self.add(RowKey::Name(*id));
            }
        }
    }

    /// A post that a user is to see, with what it stands for. Returns the latter.
    fn visible(&mut self, viewer: Uid, id: PostId) -> Option<PostHeader> {
        self.add(RowKey::Post(id));
        let named = self.fetched.header(id)?;
        self.add(RowKey::Account(named.author));
        self.relation(viewer, named.author);
        self.membership(viewer, &named);
        let Kind::Repost { of, author } = named.kind else { return Some(named) };
        self.all([RowKey::Post(of), RowKey::Account(author)]);
        self.relation(viewer, author);
        let original = self.fetched.header(of)?;
        self.membership(viewer, &original);
        Some(original)
    }

    /// Whether a user is in the group that a post is for, if it is for one.
    fn membership(&mut self, viewer: Uid, post: &PostHeader) {
        self.all(post.visibility.group().map(|id| RowKey::GroupMember(post.author, id, viewer)));
    }

    /// The group that a post of an author is to be for, if it is to be for one.
    fn audience(&mut self, author: Uid, visibility: Visibility) {
        self.all(visibility.group().map(|id| RowKey::Group(author, id)));
    }

    /// A post that another one is to refer to.
    fn refer(&mut self, author: Uid, asked: PostId) {
        if let Some(original) = self.visible(author, asked) {
            self.all([RowKey::Stats(original.id), RowKey::Reposts(author, original.id)]);
            // One that stands is answered instead of another.
            self.all(self.fetched.reposts(author, original.id).first().copied().map(RowKey::Post));
        }
    }

    /// A post that comes or goes.
    fn change(&mut self, author: Uid, id: PostId) {
        self.all([RowKey::Post(id), RowKey::Account(author), RowKey::Author(author)]);
        match self.fetched.header(id).map(|header| header.kind) {
            Some(Kind::Repost { of, .. }) => {
                self.all([RowKey::Stats(of), RowKey::Reposts(author, of)]);
                // One that stands is answered instead of one that is to be restored.
                self.all(self.fetched.reposts(author, of).first().copied().map(RowKey::Post));
            }
            Some(Kind::Reply { to: parent, .. } | Kind::Quote { of: parent, .. }) => {
                self.add(RowKey::Stats(parent));
            }
            Some(Kind::Post) | None => {}
        }
    }

    fn undo(&mut self, uid: Uid, id: PostId) {
        self.add(RowKey::Post(id));
        let Some(named) = self.fetched.header(id) else { return };
        let original = if let Kind::Repost { of, .. } = named.kind { of } else { id };
        self.add(RowKey::Reposts(uid, original));
        self.fetched.reposts(uid, original).iter().for_each(|repost| self.change(uid, *repost));
    }

    /// Which ids are taken at a time, and behind it if that may be full before the write is done.
    fn take_id(&mut self, author: Uid, at_ms: u64) {
        /// Half of the ids of a millisecond: what one transaction takes of it is far less.
        const NEARLY_FULL: usize = PostId::PER_MS as usize / 2;
        self.add(RowKey::Taken(author, at_ms));
        if self.fetched.taken_at(author, at_ms) >= NEARLY_FULL
            || PostId::last_at_ms(author, at_ms).is_some_and(|last| self.fetched.is_taken(last))
        {
            self.add(RowKey::TakenLater(author, at_ms));
        }
    }

    fn import(&mut self, post: &ImportPost) {
        let ImportPost { id, key, author, at_ms, repost_of, .. } = post;
        self.add(RowKey::Source(*author, key.clone()));
        self.all(id.iter().copied().chain(id_of_key(key)).map(RowKey::Post));
        self.add(RowKey::Account(*author));
        self.take_id(*author, *at_ms);
        self.add(RowKey::Author(*author));
        self.audience(*author, post.visibility);
        self.all(self.fetched.source(*author, key).map(RowKey::Post));
        if let Some(asked) = post.refers_to() {
            self.source(*author, asked, &mut BTreeSet::new());
        }
        if post.visibility.group().is_some() {
            self.add(RowKey::OwnedGroups(*author));
        }
        let stands_for = repost_of.clone().filter(|_| post.body.is_empty());
        let imported = Imported { stands_for, group: post.visibility.group() };
        self.imports.insert((*author, key.clone()), imported);
    }

    fn import_like(&mut self, like: &ImportLike) {
        let ImportLike { uid, author, key, .. } = like;
        self.all([RowKey::Source(*author, key.clone()), RowKey::Account(*uid), RowKey::Account(*author)]);
        for id in self.fetched.source(*author, key).into_iter().chain(id_of_key(key)) {
            self.all([RowKey::Post(id), RowKey::Like(id, *uid), RowKey::Stats(id)]);
        }
    }

    /// What a source's name leads to: a post that is there, or one of this write, which may stand for another.
    fn source(&mut self, author: Uid, asked: &Source, met: &mut BTreeSet<Source>) {
        self.all([RowKey::Source(asked.0, asked.1.clone()), RowKey::Account(asked.0)]);
        self.relation(author, asked.0);
        if let Some(id) = self.fetched.source(asked.0, &asked.1).or_else(|| id_of_key(&asked.1)) {
            self.refer(author, id);
        }
        let Some(Imported { stands_for, group }) = self.imports.get(asked).cloned() else { return };
        self.all(group.map(|id| RowKey::GroupMember(asked.0, id, author)));
        if met.insert(asked.clone())
            && let Some(original) = stands_for
        {
            self.source(author, &original, met);
        }
    }
}
