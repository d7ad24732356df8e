//! Writes: one function per method.

use guanxi_centers::post::PostCenter;
use guanxi_centers::user::{AccountCenter, UserCenter};
use guanxi_model::user::{PrivacyPatch, ProfilePatch, Sex};
use guanxi_model::{Error, Reason, Result, Uid};
use guanxi_ports::Revised;
use guanxi_proto::v1;
use guanxi_rim::Caller;

use super::shape::patch;
use crate::convert::required;
use crate::post::shape::post_id;
use crate::request::{Fingerprint, request_key};

pub(super) fn written(written: &Revised<Uid>) -> v1::WriteUserResponse {
    v1::WriteUserResponse {
        changed: Some(written.changed),
        revision: written.revision,
        token: written.position.to_token(),
    }
}

pub(super) async fn update_user(
    center: &UserCenter,
    caller: &Caller,
    request: &v1::UpdateUserRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let patch = patch(request)?;
    let expected = request.expected_revision;
    let key = request_key(caller, uid, request.request_id, |hash| of_update(uid, &patch, expected, hash))?;
    center.update(uid, patch, expected, key).await.map(|found| written(&found))
}

pub(super) async fn set_privacy(
    center: &UserCenter,
    caller: &Caller,
    request: &v1::SetPrivacyRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let patch = PrivacyPatch {
        discoverable: request.discoverable,
        locked: request.locked,
        hides_following: request.hides_following,
        hides_followers: request.hides_followers,
    };
    if patch == PrivacyPatch::default() {
        return Err(Error::new(Reason::MissingField { field: "privacy" }));
    }
    let key = request_key(caller, uid, request.request_id, |hash| of_privacy(uid, patch, hash))?;
    center.set_privacy(uid, patch, key).await.map(|found| written(&found))
}

pub(super) async fn deactivate(
    center: &AccountCenter,
    caller: &Caller,
    request: &v1::DeactivateRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    let uid = caller.uid(request.uid, "uid")?;
    let key = request_key(caller, uid, request.request_id, |hash| {
        hash.name("deactivate").number(uid.get());
    })?;
    center.deactivate(uid, key).await.map(|found| written(&found))
}

pub(super) async fn reactivate(
    center: &AccountCenter,
    caller: &Caller,
    request: &v1::ReactivateRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    let uid = required(request.uid, "uid")?;
    let key = request_key(caller, uid, request.request_id, |hash| {
        hash.name("reactivate").number(uid.get());
    })?;
    center.reactivate(uid, key).await.map(|found| written(&found))
}

pub(super) async fn erase_user(
    center: &AccountCenter,
    caller: &Caller,
    request: &v1::EraseUserRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    let uid = required(request.uid, "uid")?;
    let key = request_key(caller, uid, request.request_id, |hash| {
        hash.name("erase_user").number(uid.get());
    })?;
    center.erase(uid, key).await.map(|found| written(&found))
}

pub(super) async fn purge_post(
    center: &PostCenter,
    _caller: &Caller,
    request: &v1::PurgePostRequestView<'_>,
) -> Result<v1::PurgePostResponse> {
    let id = post_id(request.post_id)?;
    let author = Some(request.author).filter(|raw| *raw != 0).map(Uid::new).transpose()?;
    let written = center.purge(id, author).await?;
    Ok(v1::PurgePostResponse { changed: Some(written.changed), token: written.position.to_token() })
}

/// Hashes the parts of a choice of privacy that its idempotency key covers. They are frozen: a choice of discoverability
/// alone is hashed as it was when there was no other choice.
fn of_privacy(uid: Uid, patch: PrivacyPatch, hash: &mut Fingerprint) {
    let PrivacyPatch { discoverable, locked, hides_following, hides_followers } = patch;
    let code = |given: Option<bool>| given.map_or(2, u64::from);
    hash.name("set_privacy").number(uid.get()).number(code(discoverable));
    let further = [locked, hides_following, hides_followers];
    if further.iter().any(Option::is_some) {
        for given in further {
            hash.number(code(given));
        }
    }
}

/// Hashes the parts of an update that its idempotency key covers. They are frozen, as [`Fingerprint`] says.
fn of_update(uid: Uid, patch: &ProfilePatch, expected_revision: Option<u32>, hash: &mut Fingerprint) {
    let ProfilePatch { nickname, sex, birth_year, bio, avatar, attributes } = patch;
    hash.name("update_user")
        .number(uid.get())
        .number(expected_revision.map_or(0, |revision| 1 + u64::from(revision)));
    for text in [nickname, bio, avatar] {
        match text {
            Some(text) => hash.number(1).text(text),
            None => hash.number(0),
        };
    }
    hash.number(sex.map_or(0, |sex| match sex {
        Sex::Unspecified => 1,
        Sex::Female => 2,
        Sex::Male => 3,
        Sex::Other => 4,
    }));
    hash.number(birth_year.map_or(0, |year| 1 + u64::from(year.unwrap_or_default())));
    let attributes = attributes.as_ref();
    hash.number(attributes.map_or(0, |attributes| 1 + attributes.len() as u64));
    for (name, value) in attributes.into_iter().flatten() {
        hash.text(name).text(value);
    }
}
