//! Rows of users and posts, as specified: every one is looked at.

use super::MemoryStore;
use super::search::all as all_posts;
use super::user_search::all as all_users;
use super::view::MemoryView;
use guanxi_model::post::Kind;
use guanxi_model::user::{LoginName, Sex, UserStatus};
use guanxi_model::{Error, Post, Reason, Result, User, Visibility};
use guanxi_ports::BaseView as _;
use guanxi_ports::search::{
    FoundRows, PERCENTILES, PostColumn, PostRowAsk, PostTable, ROW_NAME_CHARS_MAX, Row, RowAsk, RowColumn,
    RowPlace, RowSum, RowSummed, UserColumn, UserRowAsk, UserTable, UserTexts,
};
use guanxi_ports::{BoxFuture, PostView as _, RelationView as _};
use guanxi_text::{MatchKind, matches};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The views of walks, by their numbers; none is forgotten.
#[derive(Default)]
pub(super) struct Walks(Mutex<Vec<Arc<MemoryView>>>);

impl Walks {
    /// The view of a walk, or one that begins; with its number.
    async fn view(&self, store: &MemoryStore, walk: Option<u64>) -> Result<(u64, Arc<MemoryView>)> {
        if let Some(walk) = walk {
            let walks = self.0.lock().expect("nobody panics while holding walks");
            let known = usize::try_from(walk).ok().and_then(|walk| walks.get(walk).cloned());
            return Ok((walk, known.ok_or_else(|| Error::new(Reason::StaleCursor))?));
        }
        let view = Arc::new(store.view_now(None).await?);
        let mut walks = self.0.lock().expect("nobody panics while holding walks");
        walks.push(view.clone());
        Ok((walks.len() as u64 - 1, view))
    }
}

impl UserTable for MemoryStore {
    fn user_rows(&self, walk: Option<u64>, ask: UserRowAsk) -> BoxFuture<'_, Result<FoundRows<UserColumn>>> {
        Box::pin(async move {
            let (walk, view) = self.walks.view(self, walk).await?;
            let mut rows = Vec::new();
            for user in all_users(&*view).await? {
                if is_called(&user, &ask.texts) {
                    rows.push((user.uid.get(), user_row(&view, user).await?));
                }
            }
            Ok(answer(walk, &view, rows, &ask))
        })
    }
}

impl PostTable for MemoryStore {
    fn post_rows(&self, walk: Option<u64>, ask: PostRowAsk) -> BoxFuture<'_, Result<FoundRows<PostColumn>>> {
        Box::pin(async move {
            let (walk, view) = self.walks.view(self, walk).await?;
            let mut rows = Vec::new();
            for post in all_posts(&*view).await? {
                let is_asked = ask.texts.as_ref().is_none_or(|query| matches(query, &post.body.text));
                // Of a purged one nothing is kept but that it was.
                let is_row = post.revision > 0 && !matches!(post.header.kind, Kind::Repost { .. });
                if is_asked && is_row {
                    rows.push((post.header.id.get(), post_row(&view, &post).await?));
                }
            }
            Ok(answer(walk, &view, rows, &ask))
        })
    }
}

fn is_called(user: &User, texts: &UserTexts) -> bool {
    let has = |(name, value): &(String, String)| user.profile.attributes.get(name) == Some(value);
    if !texts.attributes.iter().all(has) {
        return false;
    }
    let Some((query, typed)) = &texts.name else { return true };
    if user.status.is_deleted() {
        return false;
    }
    let login = user.login_name.as_ref();
    if login.is_some_and(|name| name.is_typed(typed)) {
        return true;
    }
    let best = if query.whole().chars().count() <= ROW_NAME_CHARS_MAX {
        MatchKind::Pinyin
    } else {
        MatchKind::Exact
    };
    let names = [Some(user.profile.nickname.as_str()), login.map(LoginName::shown)];
    names.into_iter().flatten().any(|name| query.matches(name).is_some_and(|kind| kind <= best))
}

async fn user_row(view: &MemoryView, user: User) -> Result<Row<UserColumn>> {
    let counts = view.counts(&[user.uid]).await?.remove(0);
    let posts = all_posts(view).await?;
    let posts = posts.iter().filter(|post| post.header.author == user.uid && !post.header.deleted).count();
    let state = match user.status {
        UserStatus::Deleted { .. } | UserStatus::Erased { .. } => 3,
        _ if user.takedown.is_some() => 2,
        UserStatus::Deactivated => 1,
        UserStatus::Active => 0,
    };
    let sex = match user.profile.sex {
        Sex::Unspecified => 0,
        Sex::Female => 1,
        Sex::Male => 2,
        Sex::Other => 3,
    };
    let number = |column| match column {
        UserColumn::State => Some(state),
        UserColumn::Sex => Some(sex),
        UserColumn::BirthYear => user.profile.birth_year.map(u64::from),
        UserColumn::Registered => user.registered_ms,
        UserColumn::LastLogin => user.login_day.map(|day| u64::from(day) * 86_400_000),
        UserColumn::Followers => Some(counts.followers),
        UserColumn::Following => Some(counts.following.into()),
        UserColumn::Friends => Some(counts.friends.into()),
        UserColumn::Posts => Some(posts as u64),
    };
    Ok(UserColumn::ALL.iter().map(|column| (*column, number(*column))).collect())
}

async fn post_row(view: &MemoryView, post: &Post) -> Result<Row<PostColumn>> {
    let header = &post.header;
    let stats = view.stats(&[header.id]).await?.remove(0);
    let number = |column| match column {
        PostColumn::State if header.taken_down => 2,
        PostColumn::State => u64::from(header.deleted),
        PostColumn::Author => header.author.get(),
        PostColumn::Form => match header.kind {
            Kind::Post | Kind::Repost { .. } => 0,
            Kind::Reply { .. } => 1,
            Kind::Quote { .. } => 2,
        },
        PostColumn::Audience => match header.visibility {
            Visibility::Public => 0,
            Visibility::Followers => 1,
            Visibility::Friends => 2,
            Visibility::Group(_) => 3,
        },
        PostColumn::Created => post.create_ms,
        PostColumn::Likes => stats.likes,
        PostColumn::Replies => stats.replies,
        PostColumn::Reposts => stats.reposts,
    };
    Ok(PostColumn::ALL.iter().map(|column| (*column, Some(number(*column)))).collect())
}

/// The rows that fit, of all whose texts fit.
fn answer<C: RowColumn, T>(
    walk: u64,
    view: &MemoryView,
    mut rows: Vec<(u64, Row<C>)>,
    ask: &RowAsk<C, T>,
) -> FoundRows<C> {
    rows.retain(|(_, row)| ask.filters.iter().all(|(column, within)| within.takes(row.get(*column))));
    let sums = ask.sums.iter().map(|sum| summed(&rows, *sum)).collect();
    let total = rows.len() as u64;
    let place =
        |(id, row): &(u64, Row<C>)| RowPlace { number: ask.order.by.and_then(|by| row.get(by)), id: *id };
    rows.sort_by_key(|row| ask.order.key(place(row)));
    if let Some(after) = ask.after {
        rows.retain(|row| ask.order.key(place(row)) > ask.order.key(after));
    }
    let more = rows.len() > ask.max;
    rows.truncate(ask.max);
    let next = rows.last().map(place).filter(|_| more);
    let as_of = view.position();
    FoundRows { walk, total, rows, next, sums, counters_as_of: as_of.clone(), as_of }
}

/// A sum, exactly: percentiles have equal bounds.
fn summed<C: RowColumn>(rows: &[(u64, Row<C>)], sum: RowSum<C>) -> RowSummed {
    let numbers = |column: C| rows.iter().filter_map(move |(_, row)| row.get(column));
    let counted = |numbers: &mut dyn Iterator<Item = u64>| {
        numbers.fold(BTreeMap::<u64, u64>::new(), |mut counts, number| {
            *counts.entry(number).or_default() += 1;
            counts
        })
    };
    match sum {
        RowSum::Steps { column, width } => {
            let steps = counted(&mut numbers(column).map(|number| number / width * width));
            RowSummed::Steps(steps.into_iter().collect())
        }
        RowSum::Top { column, max } => {
            let mut top: Vec<(u64, u64)> = counted(&mut numbers(column)).into_iter().collect();
            top.sort_by_key(|(number, rows)| (Reverse(*rows), *number));
            let others = top.iter().skip(max).map(|(_, rows)| rows).sum();
            top.truncate(max);
            RowSummed::Top(top, others)
        }
        RowSum::Percentiles { column } => {
            let mut sorted: Vec<u64> = numbers(column).collect();
            sorted.sort_unstable();
            let place = |thousandths: u16| {
                let rank = (usize::from(thousandths) * sorted.len()).div_ceil(1_000).max(1);
                (sorted[rank - 1], sorted[rank - 1])
            };
            RowSummed::Percentiles((!sorted.is_empty()).then(|| PERCENTILES.map(place)))
        }
    }
}
