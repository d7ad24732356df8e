//! Import of users, the erased users, and the export of one.

use std::sync::Arc;

use buffa::{Message as _, MessageField, MessageView as _};
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_centers::operator::{Export, ListedAccounts};
use guanxi_model::user::{
    Contact, ContactKind, Contacts, ImportUser, PasswordHash, Privacy, PrivacyPatch, Profile, UserOutcome,
};
use guanxi_model::{Error, ExternalId, Reason, Result, Stamp, Uid};
use guanxi_proto::v1;
use guanxi_texts::{NamedBy, contact, new_login_name, nickname};

use super::{AdminApi, chunks, cursor, imported};
use crate::client_side::broken;
use crate::convert::{at_least, optional, time};
use crate::item_errors::item_error;
use crate::limits::EXPORT_USERS_CHUNK;
use crate::user::export::export_any_user;
use crate::user::shape::{sex, sex_shown};

/// Erased users in one answer, unless the request says otherwise: as many as an answer of 32 kB holds.
const ERASED_LISTED_DEFAULT: u32 = 1_000;

/// Erased users in one answer at most.
const ERASED_LISTED_MAX: u32 = 10_000;

pub(super) async fn import_users(
    api: &AdminApi,
    request: &v1::ImportUsersRequestView<'_>,
) -> Result<v1::ImportUsersResponse> {
    let cursor = cursor(request.job, request.position, request.next_position);
    let position = cursor.as_ref().map_or(0, |cursor| cursor.to);
    let found = api.operator.import_users(request.users.iter().map(parse), cursor).await?;
    Ok(imported!(ImportUsersResponse, position, found, outcome_shown))
}

pub(super) async fn list_erased_users(
    api: &AdminApi,
    request: &v1::ListErasedUsersRequestView<'_>,
) -> Result<v1::ListErasedUsersResponse> {
    let max = match request.max_users {
        0 => ERASED_LISTED_DEFAULT,
        max @ ..=ERASED_LISTED_MAX => max,
        _ => return Err(Error::new(Reason::PageTooLarge { limit: ERASED_LISTED_MAX })),
    };
    let users = api.operator.erased_users(optional(request.after_user)?, max as usize).await?;
    let shown = |(uid, at_ms): (Uid, u64)| v1::ErasedUser {
        uid: uid.get(),
        erase_time: MessageField::some(time(Stamp::from_ms(at_ms))),
    };
    Ok(v1::ListErasedUsersResponse { users: users.into_iter().map(shown).collect() })
}

fn outcome_shown(outcome: &UserOutcome) -> v1::ImportedUser {
    match &outcome.result {
        Ok(changed) => v1::ImportedUser { uid: outcome.uid.get(), changed: *changed, ..Default::default() },
        Err(reason) => {
            v1::ImportedUser { error: MessageField::some(item_error(reason)), ..Default::default() }
        }
    }
}

fn parse(user: &v1::ImportUserView<'_>) -> Result<ImportUser> {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let login_name =
        given(user.login_name).map(|name| new_login_name(&name, NamedBy::Service)).transpose()?;
    let (uid, is_minted) = match (optional(user.uid)?, &login_name) {
        (Some(uid), _) => (uid, false),
        (None, Some(name)) => (name.imported_uid(), true),
        (None, None) => return Err(Error::new(Reason::MissingField { field: "uid" })),
    };
    let year = u16::try_from(user.birth_year);
    let birth_year = year.map_err(|_| Error::new(Reason::InvalidField { field: "birth_year" }))?;
    let profile = Profile {
        nickname: nickname(user.nickname)?,
        sex: sex(user.sex)?,
        birth_year: Some(birth_year).filter(|year| *year != 0),
        bio: user.bio.to_owned(),
        avatar: user.avatar.to_owned(),
        attributes: user
            .attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    };
    let password = given(user.password_hash).map(PasswordHash::new).transpose()?;
    let known = |kind, text: &str| given(text).map(|text| contact(kind, &text)).transpose();
    let contacts = Contacts {
        phone: known(ContactKind::Phone, user.phone)?,
        email: known(ContactKind::Email, user.email)?,
    };
    let external_id = given(user.external_id).map(|id| ExternalId::new(id, "external_id")).transpose()?;
    let privacy = user.privacy.as_option().map_or_else(PrivacyPatch::default, |privacy| PrivacyPatch {
        discoverable: privacy.discoverable,
        locked: privacy.locked,
        hides_following: privacy.hides_following,
        hides_followers: privacy.hides_followers,
    });
    Ok(ImportUser {
        uid,
        is_minted,
        login_name,
        password,
        profile,
        registered_ms: user.register_unix_ms,
        privacy: privacy.apply(Privacy::default()),
        is_deactivated: user.deactivated,
        contacts,
        external_id,
    })
}

/// A user as an import takes it.
pub(crate) fn import_shown(user: &ImportUser) -> v1::ImportUser {
    let ImportUser { uid, is_minted, login_name, password, profile, privacy, contacts, .. } = user;
    let shown = |contact: &Option<Contact>| {
        contact.as_ref().map(|contact| contact.expose().to_owned()).unwrap_or_default()
    };
    let is_usual = *privacy == Privacy::default();
    v1::ImportUser {
        // One that was made for the row is made again.
        uid: if *is_minted { 0 } else { uid.get() },
        login_name: login_name.as_ref().map(ToString::to_string).unwrap_or_default(),
        password_hash: password.as_ref().map(|hash| hash.expose().to_owned()).unwrap_or_default(),
        nickname: profile.nickname.clone(),
        sex: sex_shown(profile.sex).into(),
        birth_year: profile.birth_year.unwrap_or_default().into(),
        bio: profile.bio.clone(),
        avatar: profile.avatar.clone(),
        attributes: profile.attributes.clone().into_iter().collect(),
        register_unix_ms: user.registered_ms,
        privacy: if is_usual { MessageField::none() } else { MessageField::some(privacy_shown(*privacy)) },
        deactivated: user.is_deactivated,
        phone: shown(&contacts.phone),
        email: shown(&contacts.email),
        external_id: user.external_id.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default(),
    }
}

const fn privacy_shown(privacy: Privacy) -> v1::Privacy {
    v1::Privacy {
        discoverable: Some(privacy.discoverable),
        locked: Some(privacy.locked),
        hides_following: Some(privacy.hides_following),
        hides_followers: Some(privacy.hides_followers),
    }
}

/// A user of an export, as an import takes it.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn import_back(user: &v1::ImportUser) -> Result<ImportUser> {
    let bytes = user.encode_to_vec();
    let view = v1::ImportUserView::decode_view(&bytes).map_err(|_| broken("a user that cannot be read"))?;
    parse(&view)
}

pub(super) async fn export_users(
    api: &AdminApi,
    request: &v1::ExportUsersRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportUsersResponse, ConnectError>> + Send + use<>> {
    let export = api.operator.export_users(optional(request.after_user)?, at_least(request.token)?).await?;
    Ok(chunks(export, EXPORT_USERS_CHUNK, users_chunk))
}

fn users_chunk(users: &[ImportUser], export: &Export<ListedAccounts>) -> v1::ExportUsersResponse {
    v1::ExportUsersResponse {
        users: users.iter().map(import_shown).collect(),
        token: export.position().to_token(),
        left_out: export.left_out(),
    }
}

pub(super) async fn export_user(
    api: &AdminApi,
    request: &v1::ExportUserRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::ExportUserResponse, ConnectError>> + Send + use<>> {
    export_any_user(&api.operator.user_exports(), Arc::clone(&api.load), request)
}
