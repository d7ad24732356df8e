//! Which users and posts a back office asks for.

use buffa::EnumValue;
use buffa_types::google::protobuf::TimestampView;
use guanxi_model::{Error, Reason, Result};
use guanxi_ports::search::{PostColumn, UserColumn, Within, sex_number};
use guanxi_proto::v1;

use crate::convert::required;
use crate::user::shape::sex;

type Filters<C> = Vec<(C, Within)>;

/// What the numbers and texts of users must be.
#[derive(Default)]
pub(super) struct UserFilters {
    /// The numbers.
    pub(super) filters: Filters<UserColumn>,
    /// What they are called.
    pub(super) text: Option<String>,
    /// Attributes with their values, in the order of their names.
    pub(super) attributes: Vec<(String, String)>,
}

/// Returns the filters of users that a request asks for.
pub(super) fn user_filters(filter: Option<&v1::UserFilterView<'_>>) -> Result<UserFilters> {
    let Some(filter) = filter else { return Ok(UserFilters::default()) };
    let state = |state: EnumValue<v1::UserState>| match state.as_known() {
        Some(v1::UserState::USER_ACTIVE) => Ok(0),
        Some(v1::UserState::USER_DEACTIVATED) => Ok(1),
        Some(v1::UserState::USER_TAKEN_DOWN) => Ok(2),
        Some(v1::UserState::USER_DELETED) => Ok(3),
        _ => Err(invalid("states")),
    };
    let mut filters = Vec::new();
    one_of(&mut filters, UserColumn::State, filter.states.iter().map(|it| state(*it)))?;
    one_of(&mut filters, UserColumn::Sex, filter.sexes.iter().map(|it| sex(*it).map(sex_number)))?;
    for (column, range) in [
        (UserColumn::BirthYear, &filter.birth_year),
        (UserColumn::Followers, &filter.followers),
        (UserColumn::Following, &filter.following),
        (UserColumn::Friends, &filter.friends),
        (UserColumn::Posts, &filter.posts),
    ] {
        filters.extend(range.as_option().map(|range| (column, numbers(range))));
    }
    for (column, range) in
        [(UserColumn::Registered, &filter.registered), (UserColumn::LastLogin, &filter.last_login)]
    {
        if let Some(range) = range.as_option() {
            filters.push((column, times(range)?));
        }
    }
    let mut attributes: Vec<(String, String)> =
        filter.attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    attributes.sort();
    Ok(UserFilters { filters, text: given(filter.name), attributes })
}

/// Returns the filters of posts that a request asks for: of their numbers, and of their text.
pub(super) fn post_filters(
    filter: Option<&v1::PostFilterView<'_>>,
) -> Result<(Filters<PostColumn>, Option<String>)> {
    let Some(filter) = filter else { return Ok((Vec::new(), None)) };
    let state = |state: EnumValue<v1::PostState>| match state.as_known() {
        Some(v1::PostState::POST_LIVE) => Ok(0),
        Some(v1::PostState::POST_DELETED) => Ok(1),
        Some(v1::PostState::POST_TAKEN_DOWN) => Ok(2),
        _ => Err(invalid("states")),
    };
    let form = |form: EnumValue<v1::PostForm>| match form.as_known() {
        Some(v1::PostForm::POST_PLAIN) => Ok(0),
        Some(v1::PostForm::POST_REPLY) => Ok(1),
        Some(v1::PostForm::POST_QUOTE) => Ok(2),
        _ => Err(invalid("forms")),
    };
    let visibility = |visibility: EnumValue<v1::post::Visibility>| match visibility.as_known() {
        Some(v1::post::Visibility::PUBLIC) => Ok(0),
        Some(v1::post::Visibility::FOLLOWERS) => Ok(1),
        Some(v1::post::Visibility::FRIENDS) => Ok(2),
        Some(v1::post::Visibility::GROUP) => Ok(3),
        _ => Err(invalid("visibilities")),
    };
    let mut filters = Vec::new();
    one_of(&mut filters, PostColumn::State, filter.states.iter().map(|it| state(*it)))?;
    one_of(&mut filters, PostColumn::Form, filter.forms.iter().map(|it| form(*it)))?;
    one_of(&mut filters, PostColumn::Audience, filter.visibilities.iter().map(|it| visibility(*it)))?;
    let authors = filter.authors.iter().map(|uid| Ok(required(*uid, "authors")?.get()));
    one_of(&mut filters, PostColumn::Author, authors)?;
    for (column, range) in [
        (PostColumn::Likes, &filter.likes),
        (PostColumn::Replies, &filter.replies),
        (PostColumn::Reposts, &filter.reposts),
    ] {
        filters.extend(range.as_option().map(|range| (column, numbers(range))));
    }
    if let Some(range) = filter.created.as_option() {
        filters.push((PostColumn::Created, times(range)?));
    }
    Ok((filters, given(filter.text)))
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn invalid(field: &'static str) -> Error {
    Error::new(Reason::InvalidField { field })
}

/// Any of some numbers; anything if there are none.
fn one_of<C>(filters: &mut Filters<C>, column: C, numbers: impl Iterator<Item = Result<u64>>) -> Result<()> {
    let mut numbers = numbers.collect::<Result<Vec<u64>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    if !numbers.is_empty() {
        filters.push((column, Within::OneOf(numbers)));
    }
    Ok(())
}

fn numbers(range: &v1::NumberRangeView<'_>) -> Within {
    Within::Between(range.at_least, range.at_most.unwrap_or(u64::MAX))
}

fn times(range: &v1::TimeRangeView<'_>) -> Result<Within> {
    let from = range.from_time.as_option().map(|time| first_ms(time, "from_time")).transpose()?;
    let until = range.until_time.as_option().map(|time| first_ms(time, "until_time")).transpose()?;
    Ok(match until {
        // Nothing is before the first millisecond.
        Some(0) => Within::OneOf(Vec::new()),
        Some(until) => Within::Between(from.unwrap_or(0), until - 1),
        None => Within::Between(from.unwrap_or(0), u64::MAX),
    })
}

/// The first millisecond at a time or after it.
fn first_ms(time: &TimestampView<'_>, field: &'static str) -> Result<u64> {
    if !(0..1_000_000_000).contains(&time.nanos) {
        return Err(invalid(field));
    }
    let ms = i128::from(time.seconds) * 1_000 + i128::from((time.nanos + 999_999) / 1_000_000);
    Ok(u64::try_from(ms.max(0)).unwrap_or(u64::MAX))
}
