//! The proof of indexes: it finds every error, and nothing else, also while everything changes.

use super::indexed::{Indexed, Kept, refresh};
use super::rows::{like, log_in};
use super::world::World;
use crate::search::proof::{IndexProof, ProofStep};
use crate::search::{IndexSource, SourceId};
use guanxi_ports::search::{DocDiffers, ProvedIndex};
use guanxi_ports::{IndexChange, IndexDoc as _, Store as _};
use guanxi_search::{PostIndexStore, UserIndexStore};
use std::cell::Cell;

type DocOf<X> = <<X as Kept>::Source as IndexSource>::Doc;

type Findings<S> = Vec<(SourceId<S>, DocDiffers)>;

async fn prove<X>(world: &World, indexed: &Indexed<X>, at_once: usize) -> (u64, Findings<X::Source>)
where
    X: Kept + ProvedIndex<DocOf<X>>,
    DocOf<X>: Clone + PartialEq,
{
    let mut proof: IndexProof<X::Source> =
        IndexProof::new(world.store.clone(), indexed.index()).at_once(at_once);
    let (mut compared, mut found) = (0, Vec::new());
    while let Some(ProofStep { compared: some, findings, left_out, .. }) = proof.next().await.unwrap() {
        assert_eq!(left_out, 0);
        compared += some;
        found.extend(findings);
    }
    (compared, found)
}

/// Puts another document, removes one, and puts one of no user. The proof finds each of them, and nothing else.
async fn break_and_find<X>(
    world: &World,
    indexed: &mut Indexed<X>,
    spoil: impl Fn(&mut DocOf<X>),
    nobody: SourceId<X::Source>,
    rename: impl Fn(&mut DocOf<X>, SourceId<X::Source>),
) where
    X: Kept + ProvedIndex<DocOf<X>>,
    DocOf<X>: Clone + PartialEq,
{
    let view = world.store.view(None).await.unwrap();
    let ids = X::Source::all(&*view, None, 1_000).await.unwrap();
    let changes = X::Source::changes(&*view, &ids).await.unwrap();
    let docs: Vec<DocOf<X>> = changes
        .into_iter()
        .filter_map(|change| match change {
            IndexChange::Put(doc) => Some(doc),
            IndexChange::Remove(_) | IndexChange::Erase(_) => None,
        })
        .collect();
    let (mut first, mut other, last) = (docs[0].clone(), docs[0].clone(), docs[docs.len() - 1].id());
    spoil(&mut first);
    rename(&mut other, nobody);
    let wrong = vec![IndexChange::Put(first.clone()), IndexChange::Remove(last), IndexChange::Put(other)];
    indexed.write(world, wrong).await;
    for at_once in [1, 3, 1_000] {
        let (_, mut found) = prove(world, indexed, at_once).await;
        found.sort_by_key(|(id, _)| *id);
        let mut wanted = vec![
            (first.id(), DocDiffers::Field("digest".to_owned())),
            (last, DocDiffers::Missing),
            (nobody, DocDiffers::Surplus),
        ];
        wanted.sort_by_key(|(id, _)| *id);
        assert_eq!(found, wanted);
    }
}

#[tokio::test]
async fn whatever_is_wrong_is_found_and_nothing_else() {
    let mut world = World::new(5);
    for _ in 0..40 {
        world.act_people().await;
        world.act().await;
        like(&mut world).await;
        log_in(&mut world).await;
    }
    let mut users: Indexed<UserIndexStore> = Indexed::new(&world).await;
    let mut posts: Indexed<PostIndexStore> = Indexed::new(&world).await;
    // What is marked would be written again beside what is wrong.
    refresh(&world, &mut users).await;
    refresh(&world, &mut posts).await;
    for at_once in [1, 2, 1_000] {
        let (compared, found) = prove(&world, &users, at_once).await;
        assert!(compared >= 3 && found.is_empty(), "{compared}, {found:?}");
        let (compared, found) = prove(&world, &posts, at_once).await;
        assert!(compared >= 3 && found.is_empty(), "{compared}, {found:?}");
    }
    let nobody = guanxi_spec::conformance::u(77_777);
    break_and_find(&world, &mut users, |doc| doc.digest ^= 1, nobody, |doc, uid| doc.uid = uid).await;
    let nowhere = guanxi_model::PostId::new(3).unwrap();
    break_and_find(&world, &mut posts, |doc| doc.digest ^= 1, nowhere, |doc, id| doc.id = id).await;
}

/// What changes while it is compared is no finding.
#[tokio::test]
async fn nothing_is_found_while_everything_changes() {
    for seed in 0..4 {
        let mut world = World::new(seed);
        for _ in 0..30 {
            world.act_people().await;
            world.act().await;
        }
        let mut users: Indexed<UserIndexStore> = Indexed::new(&world).await;
        let mut posts: Indexed<PostIndexStore> = Indexed::new(&world).await;
        users.keep(&world).await;
        posts.keep(&world).await;
        let (store, done) = (world.store.clone(), Cell::new(false));
        let mut of_users: IndexProof<crate::search::UserSource> =
            IndexProof::new(store.clone(), users.index()).at_once(2);
        let mut of_posts: IndexProof<crate::search::PostSource> =
            IndexProof::new(store, posts.index()).at_once(2);
        let proving = async {
            let mut compared = 0;
            while let Some(step) = of_users.next().await.unwrap() {
                assert_eq!(step.findings, []);
                compared += step.compared;
            }
            while let Some(step) = of_posts.next().await.unwrap() {
                assert_eq!(step.findings, []);
                compared += step.compared;
            }
            done.set(true);
            compared
        };
        let changing = async {
            while !done.get() {
                world.act_people().await;
                world.act().await;
                like(&mut world).await;
                users.keep(&world).await;
                posts.keep(&world).await;
                tokio::task::yield_now().await;
            }
        };
        let (compared, ()) = tokio::join!(proving, changing);
        assert!(compared > 3, "{compared}");
    }
}
