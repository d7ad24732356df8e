//! The planner over rows of a shard that were fetched beforehand, held against the in-memory backend.
//!
//! It is the way of a backend behind a network: fetch what `needed` names until it names nothing new, plan over these rows
//! alone, write what changed. A row that was not named cannot be read here, so a plan that reads it fails the run. All users
//! are of one gene, so that one shard has everything, and nothing waits for events of others.

mod cases;
mod compare;
mod database;
mod fetch;
mod random;

use compare::compare;
use database::Database;
use guanxi_model::{Clock as _, Gene, Logs, ManualClock, Uid, Write};
use guanxi_ports::Walk;
use guanxi_ports::{Facts as _, Log as _, Store as _};
use guanxi_spec::conformance::Rng;
use guanxi_spec::conformance::audit::RandomAudit;
use guanxi_spec::conformance::credentials::RandomCredentials;
use guanxi_spec::conformance::external_ids_world::RandomExternalIds;
use guanxi_spec::conformance::groups_world::RandomGroups;
use guanxi_spec::conformance::posts_model_check::RandomPosts;
use guanxi_spec::conformance::session_writes::RandomSessions;
use guanxi_spec::conformance::users_world::RandomUsers;
use guanxi_spec::memory::{MemoryStore, Options};
use random::RandomRelations;
use std::sync::Arc;

const USERS: u64 = 7;
const START_MS: u64 = 1_700_000_000_000;

/// Limits so low that they are reached.
fn options() -> Options {
    Options { logs: Logs::PerGene, follow_limit: 4, block_limit: 2, mute_limit: 2, ..Options::default() }
}

/// The gene of all users: that of the login name and the ids which [`RandomExternalIds`] gives uids to.
const GENE: Gene = Gene(241);

fn u(n: u64) -> Uid {
    Uid::new(n << 8 | u64::from(GENE.0)).unwrap()
}

/// Random writes of every domain.
struct RandomWrites {
    relations: RandomRelations,
    posts: RandomPosts,
    users: RandomUsers,
    sessions: RandomSessions,
    credentials: RandomCredentials,
    audit: RandomAudit,
    external_ids: RandomExternalIds,
    groups: RandomGroups,
}

impl RandomWrites {
    fn new(seed: u64) -> Self {
        Self {
            relations: RandomRelations::new(Rng::new(!seed)),
            posts: RandomPosts::new(seed, false, Some(GENE)),
            users: RandomUsers::new(Rng::new(seed ^ 0xa11ce), Some(GENE)),
            sessions: RandomSessions::new(Rng::new(seed ^ 0x5e55), RandomUsers::everybody(Some(GENE))),
            credentials: RandomCredentials::new(Rng::new(seed ^ 0xc4ed)),
            audit: RandomAudit::new(Rng::new(seed ^ 0xa0d1)),
            external_ids: RandomExternalIds::new(Rng::new(seed ^ 0xe47)),
            groups: RandomGroups::new(Rng::new(seed ^ 0x97), USERS, Some(GENE)),
        }
    }

    async fn next(&mut self, step: u64, now_ms: u64, model: &MemoryStore) -> Write {
        match self.relations.rng.below(8) {
            0 | 1 => self.relations.write(),
            6 | 7 => Write::all((0..=self.relations.rng.below(2)).map(|_| self.groups.command())),
            2 if step.is_multiple_of(3) => Write::of(self.external_ids.command()),
            2 if step % 12 == 4 => Write::all((0..3).map(|_| self.audit.command())),
            2 if step % 6 == 1 => Write::all((0..3).map(|_| self.credentials.command())),
            2 if step % 3 == 1 => Write::of(self.sessions.command(now_ms)),
            2 => Write::of(self.users.command(now_ms)),
            // Where imports stand is no row of a shard.
            _ => Write { cursor: None, ..self.posts.write(now_ms, &model.head().await.unwrap()) },
        }
    }
}

async fn lockstep(seed: u64) {
    let clock = Arc::new(ManualClock::new(START_MS));
    let model = MemoryStore::new(clock.clone(), options());
    let (mut database, mut random) = (Database::new(&options()), RandomWrites::new(seed));
    for step in 0..480 {
        let now_ms = clock.now_ms();
        let write = random.next(step, now_ms, &model).await;
        let ours = database.apply(&write, now_ms).map_err(|error| error.reason);
        let mut theirs = model.apply(write.clone()).await.map_err(|error| error.reason);
        if let (Ok(ours), Ok(theirs)) = (&ours, &mut theirs) {
            random.posts.note(&write, ours);
            // The backend names no log where a write is of nobody.
            if !theirs.position.names(u(1)) {
                theirs.position = ours.position.clone();
            }
        }
        assert_eq!(ours, theirs, "seed {seed}, step {step}: {write:?}");
        let unlocking = model.view(None).await.unwrap().unlocking(Walk::new(None, usize::MAX)).await.unwrap();
        random.relations.unlocking = unlocking.into_iter().collect();
        let days = if random.relations.rng.below(20) == 0 { 8 * 24 * 3_600_000 } else { 1_000 };
        clock.set(now_ms + random.relations.rng.below(days));
    }
    compare(&database, &model, (seed, clock.now_ms())).await;
}

#[tokio::test]
async fn a_plan_over_fetched_rows_does_what_the_model_does() {
    for seed in 0..12 {
        lockstep(seed).await;
    }
}
