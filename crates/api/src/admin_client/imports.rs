//! Imports: follows, blocks, mutes, posts, likes and users with times from elsewhere.

use guanxi_model::post::{ImportLike, ImportPost, PostOutcome};
use guanxi_model::user::ImportUser;
use guanxi_model::{
    ImportCursor, ImportEdge, ImportRequest, Outcome, PairOutcome, Position, PostId, Reason, RestrictionKind,
    Result, Stamp,
};
use guanxi_ports::Applied;
use guanxi_proto::v1;

use super::OperatorClient;
use super::exports::kind_shown;
use crate::admin::{import_shown, requests, users};
use crate::client_side::{broken, call, of_write};
use crate::convert::relation_back;
use crate::item_errors::{item_reason, item_reason_back};

impl OperatorClient {
    /// Writes follows with given times, or restrictions of a kind, with the place of their job, in one commit.
    /// `revive` makes those again that were removed here.
    ///
    /// # Errors
    /// What the server refused as a whole; `OUTCOME_UNKNOWN`.
    pub async fn import_edges(
        &self,
        kind: Option<RestrictionKind>,
        edges: &[ImportEdge],
        revive: bool,
        cursor: Option<ImportCursor>,
    ) -> Result<Applied> {
        let (job, position, next_position) = place(cursor);
        let edges = edges.iter().map(|edge| v1::ImportEdge {
            source: edge.subject.get(),
            target: edge.object.get(),
            unix_ms: edge.at.map(Stamp::ms),
            reposts_only: edge.terms.reposts_only,
            until_unix_ms: edge.terms.until_ms,
        });
        let request = v1::ImportEdgesRequest {
            job,
            position,
            next_position,
            edges: edges.collect(),
            revive,
            detail: true,
            kind: kind_shown(kind),
        };
        let answer = call(self.0.admin().import_edges(request).await).map_err(of_write)?;
        let mut outcomes: Vec<PairOutcome> = answer.outcomes.iter().map(edge_outcome).collect();
        for refused in &answer.refused {
            let reason = item_reason(&refused.reason, "", refused.limit, None)
                .ok_or_else(|| broken("an unknown reason"))?;
            let place = outcomes.get_mut(refused.index as usize).ok_or_else(|| broken("a wrong index"))?;
            place.result = Err(reason);
        }
        let outcomes = outcomes.into_iter().map(Outcome::Pair).collect();
        Ok(Applied { position: Position::from_token(&answer.token)?, outcomes })
    }

    /// Writes posts with given times, with the place of their job, in one commit.
    ///
    /// # Errors
    /// What the server refused as a whole; `OUTCOME_UNKNOWN`.
    pub async fn import_posts(&self, posts: &[ImportPost], cursor: Option<ImportCursor>) -> Result<Applied> {
        let (job, position, next_position) = place(cursor);
        let posts = posts.iter().map(import_shown).collect();
        let request = v1::ImportPostsRequest { job, position, next_position, posts };
        let answer = call(self.0.admin().import_posts(request).await).map_err(of_write)?;
        of_posts(&answer.outcomes, &answer.token)
    }

    /// Writes likes with given times, with the place of their job, in one commit.
    ///
    /// # Errors
    /// What the server refused as a whole; `OUTCOME_UNKNOWN`.
    pub async fn import_likes(
        &self,
        likes: Vec<ImportLike>,
        cursor: Option<ImportCursor>,
    ) -> Result<Applied> {
        let (job, position, next_position) = place(cursor);
        let shown = |like: ImportLike| v1::ImportLike {
            user: like.uid.get(),
            author: like.author.get(),
            key: like.key,
            unix_ms: like.at.map(Stamp::ms),
        };
        let likes = likes.into_iter().map(shown).collect();
        let request = v1::ImportLikesRequest { job, position, next_position, likes };
        let answer = call(self.0.admin().import_likes(request).await).map_err(of_write)?;
        of_posts(&answer.outcomes, &answer.token)
    }

    /// Imports users from elsewhere, with the place of their job, and returns the result of each.
    ///
    /// # Errors
    /// What the server refused as a whole.
    pub async fn import_users(
        &self,
        users: &[ImportUser],
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let (job, position, next_position) = place(cursor);
        let users = users.iter().map(users::import_shown).collect();
        let request = v1::ImportUsersRequest { job, position, next_position, users };
        let answer = call(self.0.admin().import_users(request).await)?;
        Position::from_token(&answer.token)?;
        answer.outcomes.iter().map(|told| result(told.changed, told.error.as_option())).collect()
    }

    /// Sends again requests that wait elsewhere, with the place of their job, and returns the result of each.
    ///
    /// # Errors
    /// The server's refusal of the whole batch; `OUTCOME_UNKNOWN`.
    pub async fn import_requests(
        &self,
        rows: &[ImportRequest],
        cursor: Option<ImportCursor>,
    ) -> Result<Vec<Result<bool, Reason>>> {
        let (job, position, next_position) = place(cursor);
        let rows = rows.iter().map(requests::shown).collect();
        let request = v1::ImportRequestsRequest { job, position, next_position, requests: rows };
        let answer = call(self.0.admin().import_requests(request).await).map_err(of_write)?;
        Position::from_token(&answer.token)?;
        answer.outcomes.iter().map(|told| result(told.changed, told.error.as_option())).collect()
    }

    /// Returns where an import job stands; `None` for one that never began.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn import_position(&self, job: &str) -> Result<Option<u64>> {
        let request = v1::GetImportJobRequest { job: job.to_owned() };
        let answer = call(self.0.admin().get_import_job(request).await)?;
        Ok(if answer.found == Some(true) { answer.position } else { None })
    }
}

/// The place of a job as the wire has it.
fn place(cursor: Option<ImportCursor>) -> (String, u64, u64) {
    cursor.map(|cursor| (cursor.job, cursor.from, cursor.to)).unwrap_or_default()
}

/// The result of a row: whether it changed something, or why it was refused.
fn result(changed: bool, error: Option<&v1::ItemError>) -> Result<Result<bool, Reason>> {
    match error {
        None => Ok(Ok(changed)),
        Some(error) => item_reason_back(error).map(Err).ok_or_else(|| broken("an unknown reason")),
    }
}

fn edge_outcome(outcome: &v1::ImportOutcome) -> PairOutcome {
    let relation = outcome.relation.as_option().map(relation_back).unwrap_or_default();
    PairOutcome { result: Ok(outcome.changed), relation }
}

fn of_posts(outcomes: &[v1::ImportedPost], token: &str) -> Result<Applied> {
    let outcomes =
        outcomes.iter().map(|told| post_outcome(told).map(Outcome::Post)).collect::<Result<_>>()?;
    Ok(Applied { position: Position::from_token(token)?, outcomes })
}

fn post_outcome(outcome: &v1::ImportedPost) -> Result<PostOutcome> {
    let result = result(outcome.changed, outcome.error.as_option())?;
    let id = if outcome.post_id == 0 { None } else { Some(PostId::new(outcome.post_id)?) };
    Ok(PostOutcome { result, id, revision: outcome.revision })
}
