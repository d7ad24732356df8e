//! What viewers have said about others: memory tells it as long as the number of its last change is the same.

use crate::direct::{USERS, any_write};
use crate::pair::{Pair, carry_modes, eventually, open, options, u};
use guanxi_cluster::{ClusterOptions, ClusterStore, MemoryBytes};
use guanxi_model::{MuteScope, Position, Stamp, Uid};
use guanxi_ports::{Facts as _, Log as _, Store as _};
use guanxi_spec::conformance::Rng;

/// Since when a user follows another and whether it follows back, what it mutes of it, and whether it blocks it.
type SaidOfOne = (Option<(Stamp, bool)>, Option<MuteScope>, bool);

/// Everything that a view tells of what a user has said about the others.
#[derive(Debug, PartialEq)]
struct Said {
    version: u64,
    following: Vec<Uid>,
    others: Vec<SaidOfOne>,
}

async fn said(store: &ClusterStore, of: u64, at_least: Option<&Position>) -> Said {
    let view = store.view(at_least).await.unwrap();
    let relations = view.viewer_relations(u(of)).await.unwrap();
    let mut following = relations.following().to_vec();
    following.sort_unstable();
    let about = |uid: u64| (relations.follow(u(uid)), relations.mutes(u(uid)), relations.blocks(u(uid)));
    Said { version: relations.version().0, following, others: USERS.into_iter().map(about).collect() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_memory_tells_of_a_viewer_is_what_the_rows_say() {
    for carrying in carry_modes() {
        let pair = Pair::new().await;
        let stores = [
            open(&pair.direct(), options(carrying, true)).await,
            open(&pair.direct(), options(carrying, true)).await,
        ];
        let without = ClusterOptions { memory: MemoryBytes::NONE, ..options(carrying, false) };
        let plain = open(&pair.direct(), without).await;
        let (mut rng, mut at, mut changes) = (Rng::new(11), stores[0].head().await.unwrap(), 0);
        for step in 0..200 {
            let applied = stores[rng.below(2) as usize].apply(any_write(&mut rng)).await.unwrap();
            at.join(&applied.position);
            let (store, user) = (&stores[rng.below(2) as usize], *rng.pick(&USERS));
            let (told, rows) = (said(store, user, Some(&at)).await, said(&plain, user, Some(&at)).await);
            assert_eq!(told, rows, "{carrying:?}, step {step}: {user:#x}");
            // Once more, from memory: nothing has changed since.
            assert_eq!(said(store, user, Some(&at)).await, rows, "{carrying:?}, step {step}: {user:#x}");
            changes = changes.max(rows.version);
        }
        assert!(changes > 0);
        eventually(async || stores[0].settle().await.is_ok()).await;
        for (nth, store) in stores.iter().enumerate() {
            for user in USERS {
                assert_eq!(
                    said(store, user, None).await,
                    said(&plain, user, None).await,
                    "{user:#x} by process {nth}"
                );
            }
        }
    }
}
