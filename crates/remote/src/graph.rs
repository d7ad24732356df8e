//! The graph: writes, and the way to a view.

use guanxi_api::client_side::{item_reason_back, relation_back};
use guanxi_model::{
    Error, FriendRequest, MuteCommand, Op, Outcome, PairCommand, PairOutcome, Position, Reason, Relation,
    Result, Uid,
};
use guanxi_ports::Applied;
use guanxi_proto::{Client, v1};

use super::{Remote, broken, call, untold};

impl Remote {
    /// A position of the server that includes a token's.
    pub(crate) async fn position_at(&self, token: String) -> Result<Position> {
        Ok(self.saw_position(position_at(&self.main, token).await?))
    }

    /// Operations on pairs: one, or the same of one user on many.
    pub(crate) async fn pairs(&self, commands: &[PairCommand], request_id: String) -> Result<Applied> {
        let same = |first: &PairCommand| {
            let is_same = |command: &PairCommand| (command.op, command.subject) == (first.op, first.subject);
            has_batch(first.op) && commands.iter().all(is_same)
        };
        match commands {
            [one] => self.one(*one, request_id).await,
            [first, ..] if same(first) => self.act_on_many(commands, request_id).await,
            _ => Err(Error::with_detail(Reason::Internal, "the API has no batches of mixed operations")),
        }
    }

    /// One operation. A refusal is an error on the wire; here it is an outcome.
    async fn one(&self, command: PairCommand, request_id: String) -> Result<Applied> {
        match self.act(command, request_id.clone()).await {
            Ok((changed, relation, token)) => Ok(Applied {
                position: self.saw(&token)?,
                outcomes: vec![Outcome::Pair(PairOutcome { result: Ok(changed), relation })],
            }),
            Err(Error { reason, .. }) if is_refusal(&reason) => {
                self.refused(command, reason, request_id).await
            }
            Err(error) => Err(error),
        }
    }

    /// What an error leaves out of a refusal: the relation, and the position. A batch of one tells both, and is
    /// the same request under the same id; for operations without a batch it is read as it stands.
    pub(crate) async fn refused(
        &self,
        command: PairCommand,
        reason: Reason,
        request_id: String,
    ) -> Result<Applied> {
        if has_batch(command.op) {
            return self.act_on_many(&[command], request_id).await;
        }
        let (relation, token) = self.relation_now(command.subject, command.object).await?;
        let outcomes = vec![Outcome::Pair(PairOutcome { result: Err(reason), relation })];
        Ok(Applied { position: self.saw(&token)?, outcomes })
    }

    async fn act(&self, command: PairCommand, request_id: String) -> Result<(bool, Relation, String)> {
        let client = self.main.relation();
        let (subject, object) = (command.subject.get(), command.object.get());
        macro_rules! send {
            (
                plain { $(
                    $(#[$doc:meta])*
                    $op:ident {
                        $code:literal, $name:literal, $title:literal, $guard:expr, $cause:ident,
                        $method:ident($request:ident) -> $response:ident
                    }
                )* }
                own { $($own:tt)* }
            ) => {
                match command.op {
                    Op::Mute => self.send_mute(MuteCommand::plain(command.subject, command.object), request_id).await?,
                    Op::SendFriendRequest => {
                        let asked = FriendRequest::plain(command.subject, command.object);
                        self.send_request(asked, request_id).await?
                    }
                    Op::ExpireRequest | Op::ExpireMute | Op::ApproveUnlocked => {
                        return untold("what the server does by itself").await;
                    }
                    $(Op::$op => {
                        let answer = call(client.$method(v1::$request { subject, object, request_id }).await)?;
                        let relation = answer.relation.as_option().map(relation_back);
                        (answer.changed, relation.ok_or_else(|| broken("no relation"))?, answer.token)
                    })*
                }
            };
        }
        let (changed, relation, token): (Option<bool>, Relation, String) =
            guanxi_model::for_each_pair_op!(send);
        Ok((changed.unwrap_or_default(), relation, token))
    }

    async fn relation_now(&self, subject: Uid, object: Uid) -> Result<(Relation, String)> {
        let request =
            v1::GetRelationRequest { subject: subject.get(), object: object.get(), token: String::new() };
        let answer = call(self.main.relation().get_relation(request).await)?;
        let relation = answer.relation.as_option().map(relation_back).ok_or_else(|| broken("no relation"))?;
        Ok((relation, answer.token))
    }

    /// One operation of one user on many.
    async fn act_on_many(&self, commands: &[PairCommand], request_id: String) -> Result<Applied> {
        let objects = commands.iter().map(|command| command.object.get()).collect();
        let Some(PairCommand { op, subject, .. }) = commands.first().copied() else {
            return Err(broken("no operation"));
        };
        let (client, subject) = (self.main.relation(), subject.get());
        macro_rules! send {
            ($($op:ident: $method:ident($request:ident);)*) => {
                match op {
                    $(Op::$op => {
                        let answer = call(client.$method(v1::$request { subject, objects, request_id }).await)?;
                        (answer.outcomes, answer.token)
                    })*
                    _ => return Err(broken("no batch of the operation")),
                }
            };
        }
        let (outcomes, token) = send! {
            Follow: batch_follow(BatchFollowRequest);
            Unfollow: batch_unfollow(BatchUnfollowRequest);
            ApproveFollow: batch_approve_follow(BatchApproveFollowRequest);
            RejectFollow: batch_reject_follow(BatchRejectFollowRequest);
        };
        let outcomes = outcomes.iter().map(|told| outcome(told).map(Outcome::Pair));
        Ok(Applied { outcomes: outcomes.collect::<Result<_>>()?, position: self.saw(&token)? })
    }
}

/// Operations that the API does on many at once.
const fn has_batch(op: Op) -> bool {
    matches!(op, Op::Follow | Op::Unfollow | Op::ApproveFollow | Op::RejectFollow)
}

/// A position of a server that includes a token's.
pub(crate) async fn position_at(main: &Client, token: String) -> Result<Position> {
    let request = v1::GetCountsRequest { uid: 1, token };
    Position::from_token(&call(main.relation().get_counts(request).await)?.token)
}

/// Reasons that concern one operation, and not the request that carries it.
pub(crate) const fn is_refusal(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::SelfRelation
            | Reason::LimitReached { .. }
            | Reason::Blocked
            | Reason::NotAllowed
            | Reason::UserDeactivated
            | Reason::UserDeleted
            | Reason::UserLocked
            | Reason::RequestRejected { .. }
    )
}

fn outcome(outcome: &v1::FollowOutcome) -> Result<PairOutcome> {
    let result = match outcome.error.as_option() {
        None => Ok(outcome.changed.unwrap_or_default()),
        Some(error) => Err(item_reason_back(error).ok_or_else(|| broken("an unknown reason"))?),
    };
    let relation = outcome.relation.as_option().map(relation_back).ok_or_else(|| broken("no relation"))?;
    Ok(PairOutcome { result, relation })
}
