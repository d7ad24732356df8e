//! The graph: writes, and the way to a view.

use guanxi_api::client_side::{item_reason_back, relation_back};
use guanxi_model::{
    Error, FriendRequest, MuteCommand, Op, Outcome, PairCommand, PairOutcome, Position, Reason, Relation,
    Result, Uid,
};
use guanxi_ports::{Applied, BoxFuture, Graph, StoreView};
use guanxi_proto::{Client, v1};

use super::{Remote, broken, call, untold};

impl Graph for Remote {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let token = at_least.map_or_else(String::new, Position::to_token);
            let position = self.position_at(token).await?;
            Ok(Box::new(self.view_at(position)) as Box<dyn StoreView>)
        })
    }
}

impl Remote {
    /// A position of the server that includes a token's.
    pub(crate) async fn position_at(&self, token: String) -> Result<Position> {
        Ok(self.saw_position(position_at(&self.main, token).await?))
    }

    /// Operations on pairs: one, or follows of one user.
    pub(crate) async fn pairs(&self, commands: &[PairCommand], request_id: String) -> Result<Applied> {
        let same = |first: &PairCommand| {
            commands.iter().all(|command| command.op == Op::Follow && command.subject == first.subject)
        };
        match commands {
            [one] => self.one(*one, request_id).await,
            [first, ..] if same(first) => self.follow_many(first.subject, commands, request_id).await,
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
    /// the same request under the same id; for other operations than Follow it is read as it stands.
    pub(crate) async fn refused(
        &self,
        command: PairCommand,
        reason: Reason,
        request_id: String,
    ) -> Result<Applied> {
        if command.op == Op::Follow {
            return self.follow_many(command.subject, &[command], request_id).await;
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

    async fn follow_many(
        &self,
        subject: Uid,
        commands: &[PairCommand],
        request_id: String,
    ) -> Result<Applied> {
        let objects = commands.iter().map(|command| command.object.get()).collect();
        let request = v1::BatchFollowRequest { subject: subject.get(), objects, request_id };
        let answer = call(self.main.relation().batch_follow(request).await)?;
        let outcomes = answer
            .outcomes
            .iter()
            .map(|told| outcome(told).map(Outcome::Pair))
            .collect::<Result<Vec<_>>>()?;
        Ok(Applied { position: self.saw(&answer.token)?, outcomes })
    }
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
