//! Accounts beside foreign uids.

use super::passwords::{PasswordOptions, Passwords};
use super::sessions::{SessionCenter, SessionTerms};
use super::{AccountCenter, NewAccount, UserCenter};
use crate::Random;
use guanxi_model::random::mix;
use guanxi_model::user::{Profile, UidPolicy, UidRange};
use guanxi_model::{Clock, LoginName, ManualClock, Op, PairCommand, Reason, Uid, Write};
use guanxi_ports::{CheckedUids, Facts as _, Graph};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Accounts over a store whose uids are of a policy, and the store as others write to it.
fn world(uids: UidPolicy) -> (AccountCenter, Arc<dyn Graph>) {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(1_750_000_000_000));
    let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
    let graph: Arc<dyn Graph> = Arc::new(CheckedUids::new(store.clone(), uids));
    let drawn = AtomicU64::new(0);
    let random: Random = Arc::new(move || {
        let mut bits = [0; 32];
        bits[..8].copy_from_slice(&mix(drawn.fetch_add(1, Ordering::Relaxed)).to_be_bytes());
        bits
    });
    let passwords = Passwords::start(PasswordOptions::default(), clock.clone(), &random).unwrap();
    let sessions = SessionCenter::new(store, clock.clone(), random.clone(), SessionTerms::default());
    let users = UserCenter::new(graph.clone(), clock.clone());
    (AccountCenter::new(users, passwords, sessions, clock, random).minting(uids), graph)
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
        tokio::spawn(async move { accounts.register(account(n), None).await.unwrap().uid })
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
    let refused = accounts.register(account(1), None).await.unwrap_err();
    assert_eq!(refused.reason, Reason::UidsAreForeign);
}
