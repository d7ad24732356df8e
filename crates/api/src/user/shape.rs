//! Users from proto to model and back.

use std::collections::BTreeMap;

use buffa::{EnumValue, MessageField};
use buffa_types::google::protobuf::FieldMask;
use guanxi_centers::user::ShownUser;
use guanxi_model::user::{
    Contact, ContactKind, Contacts, Privacy, PrivacyPatch, Profile, ProfilePatch, Sex, UserStatus,
};
use guanxi_model::{Error, LoginName, Reason, Result, Stamp, Uid, User};
use guanxi_proto::v1;
use guanxi_texts::{login_name, nickname};
use time::{Date, Month};

use crate::convert::{stamp, time};

/// A user as the wire has it.
pub(crate) fn shown(shown: &ShownUser) -> v1::User {
    let ShownUser { user, whole } = shown;
    let User {
        uid,
        login_name,
        registered_ms,
        profile,
        privacy,
        status,
        revision,
        login_day,
        contacts,
        takedown,
    } = user;
    let told = if takedown.is_some() { UserStatus::Deactivated } else { *status };
    if user.standing().is_gone() && !whole {
        let status = EnumValue::from(status_shown(told));
        return v1::User { uid: uid.get(), status, ..Default::default() };
    }
    let [registered, erased] =
        [*registered_ms, erase_ms(*status)].map(|ms| ms.map(|ms| time(Stamp::from_ms(ms))));
    let mut out = v1::User {
        uid: uid.get(),
        nickname: profile.nickname.clone(),
        sex: EnumValue::from(sex_shown(profile.sex)),
        birth_year: profile.birth_year.unwrap_or_default().into(),
        bio: profile.bio.clone(),
        avatar: profile.avatar.clone(),
        attributes: profile.attributes.clone().into_iter().collect(),
        status: EnumValue::from(status_shown(told)),
        erase_time: erased.map_or_else(MessageField::none, MessageField::some),
        create_time: registered.map_or_else(MessageField::none, MessageField::some),
        ..Default::default()
    };
    // It rises with changes that others do not see, such as those of privacy and contacts.
    if *whole {
        out.revision = *revision;
        out.login_name = login_name.as_ref().map(ToString::to_string).unwrap_or_default();
        let text = |kind| contacts.of(kind).map(Contact::expose).unwrap_or_default().to_owned();
        (out.phone, out.email) = (text(ContactKind::Phone), text(ContactKind::Email));
        out.last_login_date = login_day.map(date).unwrap_or_default();
        if let Some(reason) = takedown {
            out.takedown_reason.clone_from(reason);
            out.reinstated_status = EnumValue::from(status_shown(*status));
        }
        out.privacy = MessageField::some(v1::Privacy {
            discoverable: Some(privacy.discoverable),
            locked: Some(privacy.locked),
            hides_following: Some(privacy.hides_following),
            hides_followers: Some(privacy.hides_followers),
        });
    }
    out
}

const fn status_shown(status: UserStatus) -> v1::user::Status {
    match status {
        UserStatus::Active => v1::user::Status::ACTIVE,
        UserStatus::Deactivated => v1::user::Status::DEACTIVATED,
        UserStatus::Deleted { .. } => v1::user::Status::DELETED,
        UserStatus::Erased { .. } => v1::user::Status::ERASED,
    }
}

/// When the rest of a deleted user is erased, or was.
const fn erase_ms(status: UserStatus) -> Option<u64> {
    match status {
        UserStatus::Active | UserStatus::Deactivated => None,
        UserStatus::Deleted { erase_at_ms: ms } | UserStatus::Erased { at_ms: ms } => Some(ms),
    }
}

/// Returns whether a user is there, as the model has it. A status of a newer server is none that this program knows.
fn status(shown: &v1::User) -> Result<UserStatus> {
    let erase_ms = || shown.erase_time.as_option().and_then(stamp).map(Stamp::ms).unwrap_or_default();
    let is_taken_down = !shown.takedown_reason.is_empty();
    let known = if is_taken_down { shown.reinstated_status } else { shown.status };
    match known.as_known() {
        Some(v1::user::Status::ACTIVE) => Ok(UserStatus::Active),
        Some(v1::user::Status::DEACTIVATED) => Ok(UserStatus::Deactivated),
        Some(v1::user::Status::DELETED) => Ok(UserStatus::Deleted { erase_at_ms: erase_ms() }),
        Some(v1::user::Status::ERASED) => Ok(UserStatus::Erased { at_ms: erase_ms() }),
        None => Err(Error::new(Reason::InvalidField { field: "status" })),
    }
}

/// The Julian day of 1970-01-01.
const EPOCH_JULIAN_DAY: i32 = 2_440_588;

/// A day as in 2026-01-31; empty for one that no calendar has.
fn date(day: u32) -> String {
    let julian = i32::try_from(day).ok().and_then(|day| day.checked_add(EPOCH_JULIAN_DAY));
    let date = julian.and_then(|julian| Date::from_julian_day(julian).ok());
    date.map(|date| date.to_string()).unwrap_or_default()
}

/// A day as the model has it; `None` for an empty or wrong one.
fn day(date: &str) -> Option<u32> {
    let mut parts = date.split('-');
    let mut next = || parts.next()?.parse::<u16>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(year.into(), month, u8::try_from(day).ok()?).ok()?;
    u32::try_from(date.to_julian_day() - EPOCH_JULIAN_DAY).ok()
}

/// A user as the model has it, of what a service is told; `None` of whom nothing is kept.
pub fn user_back(shown: &v1::User) -> Result<Option<User>> {
    if shown.revision == 0 {
        return Ok(None);
    }
    let profile = Profile {
        nickname: shown.nickname.clone(),
        sex: sex(shown.sex)?,
        birth_year: u16::try_from(shown.birth_year).ok().filter(|year| *year != 0),
        bio: shown.bio.clone(),
        avatar: shown.avatar.clone(),
        attributes: shown.attributes.clone().into_iter().collect(),
    };
    let privacy = shown.privacy.as_option().map_or_else(PrivacyPatch::default, |privacy| PrivacyPatch {
        discoverable: privacy.discoverable,
        locked: privacy.locked,
        hides_following: privacy.hides_following,
        hides_followers: privacy.hides_followers,
    });
    let name = Some(&shown.login_name).filter(|name| !name.is_empty());
    let mut contacts = Contacts::default();
    for (kind, text) in [(ContactKind::Phone, &shown.phone), (ContactKind::Email, &shown.email)] {
        contacts.set(kind, (!text.is_empty()).then(|| Contact::stored(kind, text.clone())));
    }
    Ok(Some(User {
        uid: Uid::new(shown.uid)?,
        login_name: name.map(|name| login_name(name).unwrap_or_else(|_| LoginName::stored(name.clone()))),
        registered_ms: shown.create_time.as_option().and_then(stamp).map(Stamp::ms),
        profile,
        privacy: privacy.apply(Privacy::default()),
        status: status(shown)?,
        revision: shown.revision,
        login_day: day(&shown.last_login_date),
        contacts,
        takedown: Some(shown.takedown_reason.clone()).filter(|reason| !reason.is_empty()),
    }))
}

/// An update as the wire has it.
pub fn update_shown(
    uid: Uid,
    patch: ProfilePatch,
    expected_revision: Option<u32>,
    request_id: String,
) -> v1::UpdateUserRequest {
    let ProfilePatch { nickname, sex, birth_year, bio, avatar, attributes } = patch;
    let paths = [
        ("nickname", nickname.is_some()),
        ("sex", sex.is_some()),
        ("birth_year", birth_year.is_some()),
        ("bio", bio.is_some()),
        ("avatar", avatar.is_some()),
        ("attributes", attributes.is_some()),
    ];
    let paths = paths.into_iter().filter(|(_, given)| *given).map(|(path, _)| path.to_owned());
    v1::UpdateUserRequest {
        uid: uid.get(),
        nickname: nickname.unwrap_or_default(),
        sex: EnumValue::from(sex_shown(sex.unwrap_or_default())),
        birth_year: birth_year.flatten().unwrap_or_default().into(),
        bio: bio.unwrap_or_default(),
        avatar: avatar.unwrap_or_default(),
        attributes: attributes.unwrap_or_default().into_iter().collect(),
        update_mask: MessageField::some(FieldMask { paths: paths.collect(), ..Default::default() }),
        expected_revision,
        request_id,
    }
}

pub(crate) const fn sex_shown(sex: Sex) -> v1::user::Sex {
    match sex {
        Sex::Unspecified => v1::user::Sex::SEX_UNSPECIFIED,
        Sex::Female => v1::user::Sex::FEMALE,
        Sex::Male => v1::user::Sex::MALE,
        Sex::Other => v1::user::Sex::OTHER,
    }
}

/// A sex.
///
/// # Errors
/// `INVALID_FIELD` for a number that is none.
pub(crate) fn sex(given: EnumValue<v1::user::Sex>) -> Result<Sex> {
    match given.as_known() {
        Some(v1::user::Sex::SEX_UNSPECIFIED) => Ok(Sex::Unspecified),
        Some(v1::user::Sex::FEMALE) => Ok(Sex::Female),
        Some(v1::user::Sex::MALE) => Ok(Sex::Male),
        Some(v1::user::Sex::OTHER) => Ok(Sex::Other),
        None => Err(Error::new(Reason::InvalidField { field: "sex" })),
    }
}

/// Returns the fields that an update sets: those that its mask names, or without a mask all fields that are not empty.
pub(super) fn patch(request: &v1::UpdateUserRequestView<'_>) -> Result<ProfilePatch> {
    let sex = sex(request.sex)?;
    let birth_year = match request.birth_year {
        0 => None,
        year => {
            let invalid = |_| Error::new(Reason::InvalidField { field: "birth_year" });
            Some(u16::try_from(year).map_err(invalid)?)
        }
    };
    let attributes: BTreeMap<String, String> =
        request.attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let given = ProfilePatch {
        // Looked at below, if it is set.
        nickname: None,
        sex: Some(sex),
        birth_year: Some(birth_year),
        bio: Some(request.bio.to_owned()),
        avatar: Some(request.avatar.to_owned()),
        attributes: Some(attributes),
    };
    let Some(mask) = request.update_mask.as_option() else {
        let text = |text: Option<String>| text.filter(|text| !text.is_empty());
        return Ok(ProfilePatch {
            nickname: text(Some(nickname(request.nickname)?)),
            sex: given.sex.filter(|sex| *sex != Sex::Unspecified),
            birth_year: given.birth_year.filter(Option::is_some),
            bio: text(given.bio),
            avatar: text(given.avatar),
            attributes: given.attributes.filter(|attributes| !attributes.is_empty()),
        });
    };
    let mut patch = ProfilePatch::default();
    for path in &mask.paths {
        match *path {
            "nickname" => patch.nickname = Some(nickname(request.nickname)?),
            "sex" => patch.sex = given.sex,
            "birth_year" => patch.birth_year = given.birth_year,
            "bio" => patch.bio.clone_from(&given.bio),
            "avatar" => patch.avatar.clone_from(&given.avatar),
            "attributes" => patch.attributes.clone_from(&given.attributes),
            _ => return Err(Error::new(Reason::InvalidField { field: "update_mask" })),
        }
    }
    Ok(patch)
}
