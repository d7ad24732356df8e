//! Sessions as part of writes: a login is one commit, and what ends a user's access ends its sessions in the same commit.

use super::model_check::{model, same_answer};
use super::sessions::{port, walk};
use super::users_world::{RandomUsers, account, hash};
use super::{Need, Rng, START_MS, World, u};
use guanxi_model::event::UserChange;
use guanxi_model::limits::SESSIONS_PER_USER_MAX;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{
    Change, Command, Login, NewSession, Reason, Refresh, Refreshed, Rotation, Session, SessionCommand,
    SessionSecrets, Uid, Write,
};
use guanxi_ports::{Facts as _, SessionWrites as _, Sessions};

/// How long calls may carry an access secret here, and how long a session stands without a refresh.
const ACCESS_MS: u64 = 3_600_000;
const IDLE_MS: u64 = 30 * ACCESS_MS;

/// Hashes that differ for each user, session and kind.
fn secret(uid: Uid, n: u8, kind: u8) -> [u8; 32] {
    let mut hash = [kind; 32];
    hash[..8].copy_from_slice(&uid.get().to_le_bytes());
    hash[8] = n;
    hash
}

/// A session of a user that can be refreshed.
fn rotating(uid: Uid, n: u8, now_ms: u64) -> Session {
    let secrets = SessionSecrets {
        access: secret(uid, n, b'a'),
        access_expires_ms: now_ms + ACCESS_MS,
        refresh: secret(uid, n, b'r'),
    };
    let rotation = Rotation { ends_ms: now_ms + 2 * IDLE_MS, secrets, since_ms: now_ms, replaced: None };
    Session {
        expires_ms: Some(now_ms + IDLE_MS),
        rotation: Some(Box::new(rotation)),
        ..Session::lone(uid, secret(uid, n, b'i'), now_ms)
    }
}

/// Changes the secrets of a session for others.
fn refresh(uid: Uid, n: u8, (from, to): (u8, u8)) -> Refresh {
    Refresh {
        key: rotating(uid, n, 0).key(secret(uid, from, b'r')),
        nonce: secret(uid, to, b'n'),
        access: secret(uid, to, b'a'),
        refresh: secret(uid, to, b'r'),
        access_ms: ACCESS_MS,
        idle_ms: IDLE_MS,
    }
}

/// A login whose password was verified against a hash.
fn login(session: Session, stored: &str, renewed: Option<&str>, day: u32) -> SessionCommand {
    let login = Login { stored: hash(stored), renewed: renewed.map(hash), day };
    SessionCommand::Begin(Box::new(NewSession { session, login: Some(login) }))
}

async fn ids(store: &dyn Sessions, uid: Uid) -> Vec<[u8; 32]> {
    walk(store, uid, 9).await.into_iter().map(|session| session.id).collect()
}

/// A login begins a session, keeps the hash that it made anew and notes the day, or does nothing of it.
pub async fn a_login_is_one_commit(world: &World) {
    let Some(store) = port(world).filter(|_| !world.lacks(Need::Accounts)) else { return };
    let uid = world.register(account("alice", 1)).await;
    let kept = async || {
        let view = world.view().await;
        let day = view.users(&[uid]).await.unwrap().remove(0).unwrap().login_day;
        (ids(&*store, uid).await.len(), view.password(uid).await.unwrap(), day)
    };
    let (session, before) = (|n| rotating(uid, n, START_MS), world.last());
    let refused = world.session(login(session(1), "other", Some("new"), 9)).await;
    assert_eq!((refused.result, refused.ended), (Err(Reason::LoginFailed), Vec::new()));
    assert_eq!(kept().await, (0, Some(hash("first")), None));
    assert_eq!(world.session(login(session(1), "first", Some("new"), 9)).await.result, Ok(true));
    assert_eq!(kept().await, (1, Some(hash("new")), Some(9)));
    assert_eq!(world.session(login(session(2), "first", None, 10)).await.result, Err(Reason::LoginFailed));
    assert_eq!(world.session(login(session(2), "new", None, 8)).await.result, Ok(true));
    assert_eq!(kept().await, (2, Some(hash("new")), Some(9)), "the day only rises");
    let events = world.events_since(&before).await;
    let told: Vec<_> = events.iter().map(|event| (event.subject, event.change)).collect();
    assert_eq!(told, [(uid, Change::User(UserChange::LoggedIn))], "the first login of a day leaves an event");
    world.user(UserCommand::SetStatus { uid, status: UserStatus::Deactivated }).await;
    let away = world.session(login(session(3), "new", None, 11)).await.result;
    assert_eq!(away, Err(Reason::UserDeactivated));
    assert_eq!(kept().await, (0, Some(hash("new")), Some(9)));
}

/// The end of one session leaves an event in its commit, however it ends, so that other processes hear of it. What ends no session,
/// such as its own time, leaves none.
pub async fn the_end_of_one_session_is_told(world: &World) {
    let Some(store) = port(world) else { return };
    let (uid, before) = (u(1), world.last());
    let begin = async |n| drop(store.put(rotating(uid, n, START_MS)).await.unwrap());
    let refreshed = async |from, to| store.refresh(refresh(uid, 2, (from, to))).await.unwrap();
    begin(1).await;
    let ended = rotating(uid, 1, START_MS);
    for is_there in [true, false] {
        assert_eq!(store.revoke(uid, ended.id).await, Ok(is_there));
    }
    begin(2).await;
    assert!(matches!(refreshed(2, 3).await, Some(Refreshed::New(_))));
    assert!(matches!(refreshed(3, 4).await, Some(Refreshed::New(_))));
    assert!(matches!(refreshed(2, 5).await, Some(Refreshed::Reused(_))));
    for n in (100..).take(SESSIONS_PER_USER_MAX as usize + 1) {
        begin(n).await;
    }
    let told = world.events_since(&before).await;
    let told: Vec<_> = told.iter().map(|event| (event.subject, event.change)).collect();
    assert_eq!(told, [(uid, Change::User(UserChange::SessionEnded)); 3]);
}

/// A new password, a status and a sign-out end all sessions of the user in their own commit, and no sessions of
/// others.
pub async fn what_ends_access_ends_sessions(world: &World) {
    let Some(store) = port(world).filter(|_| !world.lacks(Need::Accounts)) else { return };
    let (uid, other) = (world.register(account("alice", 1)).await, u(300));
    store.put(rotating(other, 1, START_MS)).await.unwrap();
    let set_status = |status| Command::from(UserCommand::SetStatus { uid, status });
    let deleted = UserStatus::Deleted { erase_at_ms: START_MS + 1 };
    for (n, command) in [
        Command::from(UserCommand::SetPassword { uid, password: hash("second"), replaces: None }),
        SessionCommand::SignOut { uid }.into(),
        set_status(UserStatus::Deactivated),
        set_status(deleted),
    ]
    .into_iter()
    .enumerate()
    {
        let n = u8::try_from(n).unwrap();
        store.put(rotating(uid, n, START_MS)).await.unwrap();
        store.put(Session::lone(uid, secret(uid, n, b'l'), START_MS)).await.unwrap();
        let key = rotating(uid, n, START_MS).key(secret(uid, n, b'a'));
        assert!(store.find(key).await.unwrap().is_some());
        world.saw(&store.apply(Write::of(command.clone())).await.unwrap().position);
        assert_eq!(store.find(key).await, Ok(None), "{command:?}");
        assert_eq!(ids(&*store, uid).await, Vec::<[u8; 32]>::new(), "{command:?}");
        assert_eq!(store.refresh(refresh(uid, n, (n, 100 + n))).await, Ok(None), "{command:?}");
        assert_eq!(ids(&*store, other).await.len(), 1);
    }
    let late = store.put(rotating(uid, 50, START_MS)).await;
    assert_eq!(late.unwrap_err().reason, Reason::UserDeleted, "no session begins for a deleted user");
}

/// A refused change of a password or status ends nothing.
pub async fn what_is_refused_ends_no_session(world: &World) {
    let Some(store) = port(world).filter(|_| !world.lacks(Need::Accounts)) else { return };
    let uid = world.register(account("alice", 1)).await;
    store.put(rotating(uid, 1, START_MS)).await.unwrap();
    for command in [
        UserCommand::SetPassword { uid, password: hash("second"), replaces: Some(hash("other")) },
        UserCommand::SetStatus { uid, status: UserStatus::Erased { at_ms: 7 } },
        UserCommand::SetStatus { uid, status: UserStatus::Active },
    ] {
        let outcome = world.user(command.clone()).await;
        assert_ne!(outcome.result, Ok(true), "{command:?}");
        assert_eq!(ids(&*store, uid).await.len(), 1, "{command:?}");
    }
}

/// A password and the session that begins with it are one write: of two who change it at once, one has a session.
pub async fn a_new_password_begins_its_session(world: &World) {
    let Some(store) = port(world).filter(|_| !world.lacks(Need::Accounts)) else { return };
    let uid = world.register(account("alice", 1)).await;
    store.put(rotating(uid, 1, START_MS)).await.unwrap();
    let change = |n: u8, new: &'static str| {
        let set = UserCommand::SetPassword { uid, password: hash(new), replaces: Some(hash("first")) };
        Write::all([Command::from(set), login(rotating(uid, n, START_MS), new, None, 1).into()])
    };
    for (n, new, is_right) in [(2, "second", true), (3, "third", false)] {
        let answer = store.apply(change(n, new)).await.unwrap();
        world.saw(&answer.position);
        let results: Vec<_> = answer.outcomes.iter().map(guanxi_model::Outcome::result).collect();
        let wanted = if is_right { [Ok(true), Ok(true)] } else { [Ok(false), Err(Reason::LoginFailed)] };
        assert_eq!(results, wanted);
        assert_eq!(ids(&*store, uid).await, [secret(uid, 2, b'i')]);
    }
}

/// No session of a user that is not active is refreshed.
pub async fn nobody_who_is_away_refreshes(world: &World) {
    let Some(store) = port(world) else { return };
    let status = async |status| world.user(UserCommand::SetStatus { uid: u(7), status }).await;
    status(UserStatus::Deactivated).await;
    // As an operator may give it one.
    store.put(rotating(u(7), 1, START_MS)).await.unwrap();
    assert_eq!(store.refresh(refresh(u(7), 1, (1, 2))).await, Ok(None));
    status(UserStatus::Active).await;
    let refreshed = store.refresh(refresh(u(7), 1, (1, 2))).await.unwrap();
    assert!(matches!(refreshed, Some(Refreshed::New(_))), "{refreshed:?}");
}

/// A write with a session has no request id, under which its answer would be stored.
pub async fn sessions_are_not_remembered(world: &World) {
    let Some(store) = port(world) else { return };
    let request = guanxi_model::RequestKey { actor: u(1), id: "once".into(), fingerprint: 7 };
    let write = Write::of(SessionCommand::begin(rotating(u(1), 1, START_MS))).under(Some(request));
    let refused = store.apply(write).await.unwrap_err();
    assert_eq!(refused.reason, Reason::InvalidField { field: "request_id" });
    assert_eq!(ids(&*store, u(1)).await, Vec::<[u8; 32]>::new());
}

/// Random writes of sessions among those of users.
pub struct RandomSessions {
    rng: Rng,
    users: Vec<Uid>,
}

impl RandomSessions {
    /// Draws from these numbers, of these users.
    pub const fn new(rng: Rng, users: Vec<Uid>) -> Self {
        Self { rng, users }
    }

    /// One operation.
    pub fn command(&mut self, now_ms: u64) -> SessionCommand {
        let uid = *self.rng.pick(&self.users);
        let n = self.rng.below(5) as u8;
        match self.rng.below(10) {
            0 | 1 => SessionCommand::begin(rotating(uid, n, now_ms)),
            2 => SessionCommand::begin(Session {
                expires_ms: (self.rng.below(2) == 0).then_some(now_ms + 3_000),
                ..Session::lone(uid, secret(uid, n, b'l'), now_ms)
            }),
            3..6 => {
                let (stored, day) = (self.rng.below(3).to_string(), self.rng.below(5) as u32);
                let renewed = (self.rng.below(3) == 0).then(|| self.rng.below(3).to_string());
                login(rotating(uid, n, now_ms), &stored, renewed.as_deref(), day)
            }
            6 | 7 => {
                let steps = (n + 5 * self.rng.below(3) as u8, n + 5 * self.rng.below(3) as u8);
                SessionCommand::Refresh(Box::new(refresh(uid, n, steps)))
            }
            8 => {
                let kind = if self.rng.below(2) == 0 { b'i' } else { b'l' };
                SessionCommand::End { uid, id: secret(uid, n, kind) }
            }
            _ => SessionCommand::SignOut { uid },
        }
    }
}

/// Random writes of sessions and users to the backend and to the model: every answer is equal, and so is every list.
pub async fn random_sessions(world: &World) {
    let Some(store) = port(world).filter(|_| !world.lacks(Need::Accounts)) else { return };
    let model = model(world);
    let theirs_sessions: &dyn Sessions = &model;
    for seed in 1..=3 {
        let everybody = RandomUsers::everybody(None);
        let mut users = RandomUsers::new(Rng::new(seed), None);
        let mut sessions = RandomSessions::new(Rng::new(!seed), everybody.clone());
        for step in 0..150 {
            let now_ms = world.now_ms();
            let write = if step % 3 == 0 {
                Write::of(users.command_without_contacts(now_ms))
            } else {
                Write::of(sessions.command(now_ms))
            };
            let context = format!("seed {seed}, step {step}: {write:?}");
            let ours = store.apply(write.clone()).await.map_err(|error| error.reason);
            if let Ok(ours) = &ours {
                world.saw(&ours.position);
            }
            let theirs = model.apply(write).await.map_err(|error| error.reason);
            same_answer(world, &ours, &theirs, &context);
            for uid in everybody.iter().copied() {
                let ours = walk(&*store, uid, 3).await;
                assert_eq!(ours, walk(theirs_sessions, uid, 9).await, "{context}");
            }
            world.clock().set(now_ms + 1_000);
        }
    }
}
