//! Planning writes of relations: follows, blocks, mutes, and users' own limits.

mod commands;
mod working;

pub(super) use working::WorkingRelations;

use super::plan::{Planned, Planner, Planning};
use crate::engine::Table;
use crate::layout::{Outcomes, TOMBSTONE, pair_key};
use guanxi_model::limits::{BATCH_MAX, FOLLOW_LIMIT_MAX, IMPORT_BATCH_MAX};
use guanxi_model::{
    Change, Command, Error, ImportCursor, ImportEdge, Op, Outcome, Reason, RequestKey, Result, Uid, Write,
};

impl Planner<'_> {
    /// Plans one write. The outer error is the store's, the inner one the caller's.
    pub fn write(&mut self, write: Write) -> Planning<Result<Planned<Outcome>>> {
        match write {
            Write::Commands { commands, request: None } => self.commands(&commands),
            Write::Commands { commands, request: Some(request) } => self.commands_once(&commands, &request),
            Write::Import { edges, revive, mark } => self.import(&edges, revive, mark),
            Write::SetFollowLimit { uid, limit } => self.set_follow_limit(uid, limit),
        }
    }

    fn commands(&mut self, commands: &[Command]) -> Planning<Result<Planned<Outcome>>> {
        if commands.len() > BATCH_MAX as usize {
            return Ok(Err(Error::new(Reason::BatchTooLarge { limit: BATCH_MAX })));
        }
        let outcomes: Planning<Vec<Outcome>> =
            commands.iter().map(|command| self.command(*command, None)).collect();
        Ok(Ok(outcomes?.into()))
    }

    /// Commands under a request id: the first time they are planned, and the answer is stored in this commit.
    fn commands_once(
        &mut self,
        commands: &[Command],
        request: &RequestKey,
    ) -> Planning<Result<Planned<Outcome>>> {
        let known = match self.remembered(request)? {
            Ok(known) => known,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(known) = known {
            // Fingerprints cover the method, so an answer about posts can only be a collision.
            let Outcomes::Relations(outcomes) = known.outcomes else {
                return Ok(Err(Error::new(Reason::IdempotencyMismatch)));
            };
            return Ok(Ok(Planned { outcomes, repeated: Some(self.shared.position(known.seq)) }));
        }
        let planned = match self.commands(commands)? {
            Ok(planned) => planned,
            Err(error) => return Ok(Err(error)),
        };
        self.remember(request, Outcomes::Relations(planned.outcomes.clone()));
        Ok(Ok(planned))
    }

    fn import(
        &mut self,
        edges: &[ImportEdge],
        revive: bool,
        mark: Option<ImportCursor>,
    ) -> Planning<Result<Planned<Outcome>>> {
        if edges.len() > IMPORT_BATCH_MAX as usize {
            return Ok(Err(Error::new(Reason::BatchTooLarge { limit: IMPORT_BATCH_MAX })));
        }
        if let Err(error) = self.advance_job(mark)? {
            return Ok(Err(error));
        }
        let outcomes: Planning<Vec<Outcome>> =
            edges.iter().map(|edge| self.import_edge(*edge, revive)).collect();
        Ok(Ok(outcomes?.into()))
    }

    fn import_edge(&mut self, edge: ImportEdge, revive: bool) -> Planning<Outcome> {
        let ImportEdge { subject, object, at } = edge;
        let removed = subject != object
            && !revive
            && self.user(subject)?.follow(object).is_none()
            && (self.removed.contains(&(subject, object))
                || self.snapshot.contains(Table::Records, &pair_key(TOMBSTONE, subject, object))?);
        if removed {
            return Ok(Outcome { result: Ok(false), relation: self.relation(subject, object)? });
        }
        self.command(Command { op: Op::Follow, subject, object }, at)
    }

    fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Planning<Result<Planned<Outcome>>> {
        if limit.is_some_and(|limit| limit > FOLLOW_LIMIT_MAX) {
            return Ok(Err(Error::new(Reason::InvalidField { field: "limit" })));
        }
        if self.user(uid)?.limit() != limit {
            self.user(uid)?.facts_mut().limit = limit;
            let version = self.hlc.tick(self.now_ms);
            self.event(version, uid, Change::FollowLimit(limit));
        }
        Ok(Ok(Vec::new().into()))
    }
}
