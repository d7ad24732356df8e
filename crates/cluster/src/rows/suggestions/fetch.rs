//! Fetching whom users have dismissed, and their scores: all of a user, which is bounded.

use crate::rows::columns::{column, column_of, keyed, stamp, uid};
use crate::rows::{Answered, Rows, WholeRow};
use guanxi_model::affinity::{Affinities, Affinity, Score};
use guanxi_model::{Gene, Stamp, Uid};
use guanxi_postgres::{Fault, Statements, Term};
use std::collections::{BTreeMap, BTreeSet};

const DISMISSED: &str = "select t.viewer, t.uid, t.at from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.dismissed t where t.gene = k.gene and t.viewer = k.uid offset 0) t";
const HALF_LIVES: &str = "select t.actor, t.half_life_ms \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.affinity_half_life t \
    where t.gene = k.gene and t.actor = k.uid limit 1) t";
const SCORES: &str = "select t.actor, t.uid, t.score from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.affinity t where t.gene = k.gene and t.actor = k.uid offset 0) t";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct SuggestionFetch {
    dismissed: BTreeSet<Uid>,
    affinities: BTreeSet<Uid>,
}

impl SuggestionFetch {
    /// Asks for the users whom a user of a locked shard has dismissed.
    pub(in crate::rows) fn dismissed(&mut self, viewer: Uid) {
        self.dismissed.insert(viewer);
    }

    /// The scores of a user of a locked shard.
    pub(in crate::rows) fn affinities(&mut self, actor: Uid) {
        self.affinities.insert(actor);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.dismissed.retain(|uid| !rows.suggestions.dismissed.has(*uid));
        self.affinities.retain(|uid| !rows.suggestions.affinities.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.dismissed.iter().map(|uid| (uid.gene(), *uid))) {
            statements.add(DISMISSED, terms(&keys));
        }
        if let Some(keys) = keyed(self.affinities.iter().map(|uid| (uid.gene(), *uid))) {
            statements.add(HALF_LIVES, terms(&keys));
            statements.add(SCORES, terms(&keys));
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let mut dismissed: BTreeMap<Uid, BTreeMap<Uid, Stamp>> =
            self.dismissed.iter().map(|uid| (*uid, BTreeMap::new())).collect();
        if !self.dismissed.is_empty() {
            for row in answers.next().iter().flatten() {
                dismissed.entry(uid(row, 0)?).or_default().insert(uid(row, 1)?, stamp(row, 2));
            }
        }
        for (viewer, now) in dismissed {
            rows.suggestions.dismissed.found(viewer, WholeRow { stored: now.clone(), now });
        }
        let mut affinities: BTreeMap<Uid, Affinities> =
            self.affinities.iter().map(|uid| (*uid, Affinities::default())).collect();
        if !self.affinities.is_empty() {
            for row in answers.next().iter().flatten() {
                let half_life_ms = row.get::<_, i64>(1).cast_unsigned();
                affinities.entry(uid(row, 0)?).or_default().half_life_ms = half_life_ms;
            }
            for row in answers.next().iter().flatten() {
                let score = Score::from_raw(row.get::<_, i64>(2).cast_unsigned());
                affinities.entry(uid(row, 0)?).or_default().all.push(Affinity { uid: uid(row, 1)?, score });
            }
        }
        for (actor, now) in affinities {
            rows.suggestions.affinities.found(actor, WholeRow { stored: now.clone(), now });
        }
        Ok(())
    }
}

fn terms(keys: &[(Gene, Uid)]) -> Vec<Term> {
    vec![column_of!(keys, (home, _) => i16::from(home.0)), column_of!(keys, (_, uid) => column(*uid))]
}
