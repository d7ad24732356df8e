//! Random writes of relations.

use super::{START_MS, USERS, u};
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Command, ImportEdge, Op, PairCommand, RequestKey, Stamp, Uid, Write};
use guanxi_spec::conformance::Rng;
use guanxi_spec::conformance::model_check::random_waiting;
use std::collections::BTreeMap;

/// Writes of relations: single ones and batches, imports, limits, some of them repeated under their request id.
pub(super) struct RandomRelations {
    pub(super) rng: Rng,
    asked: Vec<Write>,
    /// Since when users unlock themselves.
    pub(super) unlocking: BTreeMap<Uid, Stamp>,
}

impl RandomRelations {
    pub(super) const fn new(rng: Rng) -> Self {
        Self { rng, asked: Vec::new(), unlocking: BTreeMap::new() }
    }

    fn user(&mut self) -> Uid {
        u(1 + self.rng.below(USERS))
    }

    fn command(&mut self) -> Command {
        match self.rng.below(20) {
            5 => {
                let addition = |play: &mut Self| {
                    let (at, weight) = (START_MS - play.rng.below(1 << 40), play.rng.below(50));
                    (play.user(), Score::of(weight, at, 86_400_000))
                };
                let additions = (0..=self.rng.below(4)).map(|_| addition(self)).collect();
                let (actor, half_life_ms) =
                    (self.user(), [0, 86_400_000, 86_400_000, 1 << 30][self.rng.below(4) as usize]);
                let is_fact = self.rng.below(2) == 0;
                Command::Affinity(AffinityCommand { actor, half_life_ms, additions, is_fact })
            }
            4 => {
                let (viewer, uid, dismissed) = (self.user(), self.user(), self.rng.below(3) > 0);
                Command::Dismiss(DismissCommand { viewer, uid, dismissed })
            }
            16..20 => {
                let (subject, object) = (self.user(), self.user());
                match self.rng.below(8) {
                    0 => Command::ForgetRejection { owner: subject, other: object },
                    1 => {
                        let since = self.unlocking.get(&subject).copied().unwrap_or(Stamp::ZERO);
                        Command::EndUnlock { uid: subject, since }
                    }
                    _ => random_waiting(&mut self.rng, subject, object, None),
                }
            }
            0 => {
                let (uid, limit) = (self.user(), self.rng.below(6) as u32);
                Command::FollowLimit { uid, limit: (limit < 5).then_some(limit) }
            }
            3 => {
                let pairs = (0..self.rng.below(4)).map(|_| (self.user(), self.user())).collect();
                let until = Some(Stamp::from_ms(self.rng.below(4_000))).filter(|_| self.rng.below(2) == 0);
                Command::DropTombstones { pairs, until }
            }
            1 | 2 => {
                let edge = |play: &mut Self| ImportEdge::new(play.user(), play.user(), None);
                let edges = (0..self.rng.below(5)).map(|_| edge(self)).collect();
                Command::ImportEdges { edges, revive: self.rng.below(2) == 0 }
            }
            _ => {
                let op = if self.rng.below(2) == 0 { Op::Follow } else { *self.rng.pick(&Op::ALL) };
                Command::Pair(PairCommand { op, subject: self.user(), object: self.user() })
            }
        }
    }

    pub(super) fn write(&mut self) -> Write {
        if !self.asked.is_empty() && self.rng.below(8) == 0 {
            let mut again = self.rng.pick(&self.asked).clone();
            if self.rng.below(3) == 0 {
                again.request.as_mut().unwrap().fingerprint += 1;
            }
            return again;
        }
        let commands: Vec<Command> = (0..=self.rng.below(4)).map(|_| self.command()).collect();
        let write = Write::all(commands);
        if self.rng.below(4) > 0 {
            return write;
        }
        let (actor, id, fingerprint) = (self.user(), format!("r{}", self.rng.below(40)), self.rng.bits());
        let write = write.under(Some(RequestKey { actor, id: id.into(), fingerprint }));
        self.asked.push(write.clone());
        write
    }
}
