//! Accounts beside foreign uids.

use super::passwords::{PasswordOptions, PasswordTurn, Passwords};
use super::sessions::{SessionCenter, SessionTerms};
use super::{AccountCenter, NewAccount, UserCenter};
use crate::Random;
use guanxi_model::random::mix;
use guanxi_model::user::{
    Contact, ContactCommand, ContactKind, Profile, UidPolicy, UidRange, UserCommand, UserStatus,
};
use guanxi_model::{
    Clock, Command, LoginName, ManualClock, Op, PairCommand, Position, Reason, Result, Uid, Write,
};
use guanxi_ports::{Applied, BoxFuture, CheckedUids, Facts, Store, StoreView};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Accounts over a store whose uids are of a policy, and the store as others write to it.
fn world(uids: UidPolicy) -> (AccountCenter, Arc<dyn Store>) {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
    let checked: Arc<dyn Store> = Arc::new(CheckedUids::new(store.clone(), uids));
    let drawn = AtomicU64::new(0);
    let random: Random = Arc::new(move || {
        let mut bits = [0; 32];
        bits[..8].copy_from_slice(&mix(drawn.fetch_add(1, Ordering::Relaxed)).to_be_bytes());
        bits
    });
    let passwords = Passwords::start(PasswordOptions::default(), clock.clone(), &random).unwrap();
    let sessions = SessionCenter::new(store, clock.clone(), random.clone(), SessionTerms::default());
    let users = UserCenter::new(checked.clone(), clock.clone());
    (AccountCenter::new(users, passwords, sessions, clock, random).minting(uids), checked)
}

fn account(n: u64) -> NewAccount {
    let login_name = LoginName::stored(format!("name{n}"));
    NewAccount { login_name, password: None, profile: Profile::default() }
}

fn follow(subject: Uid, object: Uid) -> Write {
    Write::of(PairCommand { op: Op::Follow, subject, object })
}

/// While accounts are made, others write about foreign uids: within the range of minted ones that is refused, so that no
/// account ever has a uid that somebody else had named.
#[tokio::test]
async fn accounts_and_foreign_uids_do_not_meet() {
    let range = UidRange::new(1 << 62, i64::MAX as u64).unwrap();
    let (accounts, graph) = world(UidPolicy::Minted(range));
    let registering = (0..60).map(|n| {
        let accounts = accounts.clone();
        tokio::spawn(
            async move { accounts.register(account(n), None, PasswordTurn::default()).await.unwrap().id },
        )
    });
    let registering: Vec<_> = registering.collect();
    let writing = (0..60).map(|n| {
        let graph = graph.clone();
        let outside = Uid::new(1 + n).unwrap();
        let inside = Uid::new(1 << 62 | mix(n) >> 2).unwrap();
        tokio::spawn(async move {
            let refused = graph.apply(follow(outside, inside)).await.unwrap_err();
            assert_eq!(refused.reason, Reason::UidNotMinted);
            let other = Uid::new(1_000 + n).unwrap();
            assert_eq!(graph.apply(follow(outside, other)).await.unwrap().outcomes[0].result(), Ok(true));
        })
    });
    for task in writing.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    for task in registering {
        let uid = task.await.unwrap();
        assert!(uid.get() >= 1 << 62);
        let written = graph.apply(follow(uid, Uid::new(7).unwrap())).await.unwrap();
        assert_eq!(written.outcomes[0].result(), Ok(true), "what is minted may be named");
    }
    let (accounts, _) = world(UidPolicy::Foreign);
    let refused = accounts.register(account(1), None, PasswordTurn::default()).await.unwrap_err();
    assert_eq!(refused.reason, Reason::UidsAreForeign);
}

/// A graph in which users are deleted while they bind something.
struct DeletedMeanwhile(Arc<MemoryStore>);

fn delete(uid: Uid) -> Write {
    let status = UserStatus::Deleted { erase_at_ms: u64::MAX };
    Write::of(UserCommand::SetStatus { uid, status })
}

impl Facts for DeletedMeanwhile {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            if let [Command::User(UserCommand::Contact(ContactCommand::Bind { uid, .. }))] =
                write.commands[..]
            {
                self.0.apply(delete(uid)).await?;
            }
            self.0.apply(write).await
        })
    }
}

impl Store for DeletedMeanwhile {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.0.view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: guanxi_model::EventAt) -> BoxFuture<'_, Result<bool>> {
        self.0.is_applied(uid, at)
    }
}

/// What a deleted user is refused stays free for others, also when it is deleted between the steps of a bind.
#[tokio::test]
async fn a_refused_bind_keeps_a_contact_from_nobody() {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
    let contact = Contact::stored(ContactKind::Phone, "+4930123456".to_owned());
    let [before, meanwhile, other] = [1, 2, 3].map(|n| Uid::new(n).unwrap());
    store.apply(delete(before)).await.unwrap();
    let deleting = UserCenter::new(Arc::new(DeletedMeanwhile(store.clone())), clock.clone());
    for uid in [before, meanwhile] {
        let refused = deleting.bind(uid, &contact).await.unwrap_err();
        assert_eq!(refused.reason, Reason::UserDeleted);
        assert_eq!(store.view(None).await.unwrap().claim_of(&contact).await.unwrap(), None);
    }
    let users = UserCenter::new(store, clock);
    assert!(users.bind(other, &contact).await.unwrap().changed);
}
