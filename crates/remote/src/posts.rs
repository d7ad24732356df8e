//! Posts: writes, and the way to a view.

use guanxi_api::client_side::{attachment_shown, group_shown, visibility_shown};
use guanxi_model::post::{Draft, Edit, PostCommand, PostOutcome};
use guanxi_model::{Error, EventAt, Outcome, Position, PostId, Reason, Result, Uid};
use guanxi_ports::{Applied, BoxFuture, Revised, Store, StoreView};
use guanxi_proto::v1;

use super::{Remote, call, untold};

impl Store for Remote {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let token = at_least.map_or_else(String::new, Position::to_token);
            let position = self.position_at(token).await?;
            Ok(Box::new(self.view_at(position)) as Box<dyn StoreView>)
        })
    }

    /// The server asks its own backend.
    fn is_applied(&self, _uid: Uid, _at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(std::future::ready(Ok(true)))
    }
}

impl Remote {
    /// One operation. A refusal is an error on the wire, which tells neither post nor position; here it is an outcome.
    pub(crate) async fn post_command(&self, command: PostCommand, request_id: String) -> Result<Applied> {
        let named = command.id();
        match self.send(command, request_id).await {
            Ok(answer) => Ok(Applied {
                position: self.saw(&answer.token)?,
                outcomes: vec![Outcome::Post(PostOutcome {
                    result: Ok(answer.changed.unwrap_or_default()),
                    id: Some(PostId::new(answer.post_id)?),
                    revision: answer.revision,
                })],
            }),
            Err(Error { reason, .. }) if is_refusal(&reason) => {
                let revision = match reason {
                    Reason::RevisionMismatch { revision } => revision,
                    _ => 0,
                };
                let id = named.filter(|_| reason != Reason::PostNotFound);
                let position = self.position_at(String::new()).await?;
                let outcome = PostOutcome { result: Err(reason), id, revision };
                Ok(Applied { position, outcomes: vec![Outcome::Post(outcome)] })
            }
            Err(error) => Err(error),
        }
    }

    async fn send(&self, command: PostCommand, request_id: String) -> Result<v1::WritePostResponse> {
        let client = self.main.post();
        macro_rules! send {
            ($method:ident, $request:ident { $user:ident: $uid:ident, $id:ident }) => {{
                let request = v1::$request { $user: $uid.get(), post_id: $id.get(), request_id };
                call(client.$method(request).await)
            }};
        }
        match command {
            PostCommand::Create(draft) => call(client.create_post(draft_shown(&draft, request_id)).await),
            PostCommand::Update { author, id, edit } => {
                call(client.update_post(edit_shown(author, id, edit, request_id)).await)
            }
            PostCommand::Delete { author, id } => {
                send!(delete_post, DeletePostRequest { author: author, id })
            }
            PostCommand::Restore { author, id } => {
                send!(restore_post, RestorePostRequest { author: author, id })
            }
            PostCommand::Like { uid, id } => send!(like_post, LikePostRequest { uid: uid, id }),
            PostCommand::Unlike { uid, id } => send!(unlike_post, UnlikePostRequest { uid: uid, id }),
            PostCommand::UndoRepost { uid, id } => send!(undo_repost, UndoRepostRequest { uid: uid, id }),
            PostCommand::Purge { author, id, deleted_until: None } => self.purge_post(author, id).await,
            PostCommand::TakeDown { author, id, reason } => {
                self.of_takedown(author, id, self.admin.take_down_post(id, reason)).await
            }
            PostCommand::Reinstate { author, id } => {
                self.of_takedown(author, id, self.admin.reinstate_post(id)).await
            }
            PostCommand::Purge { .. } | PostCommand::EndPurge { .. } => {
                untold("which posts are deleted").await
            }
        }
    }

    /// Operators name a post alone, without its author.
    async fn of_takedown(
        &self,
        author: Uid,
        id: PostId,
        write: impl Future<Output = Result<Revised<PostId>>>,
    ) -> Result<v1::WritePostResponse> {
        if author.gene() != id.gene() {
            return Err(Error::new(Reason::PostForbidden));
        }
        let Revised { changed, revision, position, .. } = write.await?;
        let token = position.to_token();
        Ok(v1::WritePostResponse { changed: Some(changed), post_id: id.get(), revision, token })
    }

    async fn purge_post(&self, author: Uid, id: PostId) -> Result<v1::WritePostResponse> {
        let request = v1::PurgePostRequest { post_id: id.get(), author: author.get() };
        let v1::PurgePostResponse { changed, token, .. } = call(self.main.user().purge_post(request).await)?;
        Ok(v1::WritePostResponse { changed, post_id: id.get(), token, ..Default::default() })
    }

    pub(crate) async fn mark_seen(&self, uid: Uid, seen: &Position) -> Result<Applied> {
        let request = v1::MarkSeenRequest { viewer: uid.get(), seen: seen.to_token() };
        self.done(call(self.main.feed().mark_seen(request).await).map(|answer| answer.token.clone())).await
    }
}

/// Reasons that concern one operation, and not the request that carries it.
fn is_refusal(reason: &Reason) -> bool {
    match reason {
        Reason::PostNotFound
        | Reason::PostDeleted
        | Reason::PostForbidden
        | Reason::PostTakenDown
        | Reason::GroupNotFound
        | Reason::RevisionMismatch { .. }
        | Reason::LimitReached { .. }
        | Reason::UserDeactivated
        | Reason::UserDeleted
        | Reason::TextTooLong { .. }
        | Reason::BatchTooLarge { .. } => true,
        Reason::TooLong { field, .. } | Reason::MissingField { field } | Reason::InvalidField { field } => {
            *field != "request_id"
        }
        _ => false,
    }
}

fn draft_shown(draft: &Draft, request_id: String) -> v1::CreatePostRequest {
    v1::CreatePostRequest {
        author: draft.author.get(),
        text: draft.body.text.clone(),
        attachments: draft.body.attachments.iter().map(attachment_shown).collect(),
        visibility: visibility_shown(draft.visibility).into(),
        group_id: group_shown(draft.visibility),
        reply_to: draft.reply_to.map_or(0, PostId::get),
        repost_of: draft.repost_of.map_or(0, PostId::get),
        request_id,
    }
}

fn edit_shown(author: Uid, id: PostId, edit: Edit, request_id: String) -> v1::UpdatePostRequest {
    let Edit { text, attachments, visibility, expected_revision } = edit;
    let mut mask = buffa_types::google::protobuf::FieldMask::default();
    let set = [
        (text.is_some(), "text"),
        (attachments.is_some(), "attachments"),
        (visibility.is_some(), "visibility"),
    ];
    mask.paths = set.into_iter().filter(|(set, _)| *set).map(|(_, path)| path.to_owned()).collect();
    v1::UpdatePostRequest {
        author: author.get(),
        post_id: id.get(),
        text: text.unwrap_or_default(),
        attachments: attachments.unwrap_or_default().iter().map(attachment_shown).collect(),
        visibility: visibility_shown(visibility.unwrap_or_default()).into(),
        group_id: group_shown(visibility.unwrap_or_default()),
        update_mask: buffa::MessageField::some(mask),
        expected_revision: expected_revision.unwrap_or_default(),
        request_id,
    }
}
