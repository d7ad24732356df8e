//! Bringing the rows of an older format up to this one, before anything else reads or writes them.

use crate::engine::{Engine, EngineError, Table, Wait};
use crate::layout::{
    AUTHOR, BLOCK, LIKE, MUTE, PostValue, STANDING, TOMBSTONE, UPGRADE_6_KEY, UPGRADE_7_KEY, UPGRADE_KEY,
    USER, decode_author, decode_header, decode_reposts, decode_stamp, decode_user, deleted_post_key,
    encode_author, encode_reposts, encode_standing, like_of_user_key, marked_by_key, parse_like_key,
    parse_mark_prefix, parse_pair_key, parse_post_key, parse_user_key, reposted_key, user_key,
};
use guanxi_model::post::{AuthorRow, Kind};
use guanxi_model::{PostId, Uid};
use std::collections::BTreeMap;
use std::ops::Bound;

/// Rows that one step of an upgrade looks at: few enough that what follows from them is held in memory.
const STEP: usize = 20_000;

/// Builds what formats before 3 did not have: the index of plain reposts, and where the posts begin that each author
/// created. Each step is one commit with the place that it has come to, so that an upgrade that was cut off goes on
/// there; doing a step twice changes nothing.
pub(crate) fn index_posts(engine: &Engine) -> Result<(), EngineError> {
    while step(engine, STEP)? {}
    engine.sync()
}

/// Looks at some more posts; answers whether there may be further ones.
pub(crate) fn step(engine: &Engine, posts: usize) -> Result<bool, EngineError> {
    let snapshot = engine.snapshot();
    let done = snapshot.get(Table::Records, UPGRADE_KEY)?;
    let from = done.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let (mut found, mut seen, mut last) = (BTreeMap::<(Uid, PostId), Vec<PostId>>::new(), 0, None);
    let mut authors = BTreeMap::<Uid, Option<PostId>>::new();
    for row in snapshot.range(Table::Posts, from, Bound::Unbounded).take(posts) {
        let (key, value) = row?;
        seen += 1;
        // What cannot be decoded is named by a verification, and is nobody's repost.
        if let Some(id) = parse_post_key(&key)
            && let Some((item, _)) = decode_header(id, &value)
        {
            let first = authors.entry(item.author).or_default();
            // Ids ascend.
            *first = first.or(item.event.map(|_| id));
            if let Kind::Repost { of, .. } = item.kind
                && !item.deleted
            {
                found.entry((item.author, of)).or_default().push(id);
            }
        }
        last = Some(key);
    }
    let mut batch = engine.batch();
    for ((user, original), new) in found {
        let key = reposted_key(user, original);
        let row = snapshot.get(Table::Records, &key)?;
        let mut ids = row.and_then(|bytes| decode_reposts(&bytes)).unwrap_or_default();
        ids.extend(new);
        ids.sort_unstable();
        ids.dedup();
        batch.put(Table::Records, &key, &encode_reposts(&ids));
    }
    for (author, first) in authors {
        let key = user_key(AUTHOR, author);
        // An author without a row is named by a verification.
        let row = snapshot.get(Table::Records, &key)?.and_then(|bytes| decode_author(&bytes));
        if let Some(AuthorRow { head, created_from }) = row {
            let created_from = created_from.filter(|known| *known != PostId::MIN).or(first);
            batch.put(Table::Records, &key, &encode_author(&AuthorRow { head, created_from }));
        }
    }
    let more = seen == posts;
    match last.filter(|_| more) {
        Some(last) => batch.put(Table::Records, UPGRADE_KEY, &last),
        None => batch.remove(Table::Records, UPGRADE_KEY),
    }
    batch.commit(Wait::Os)?;
    Ok(more)
}

/// Builds what formats before 5 did not have: the index of users who do not stand as the default says. They are few, and
/// doing it twice changes nothing.
pub(crate) fn index_standings(engine: &Engine) -> Result<(), EngineError> {
    let (snapshot, mut batch, mut rows) = (engine.snapshot(), engine.batch(), 0);
    for row in snapshot.prefix(Table::Records, &[USER]) {
        let (key, value) = row?;
        // What cannot be decoded is named by a verification.
        let user = parse_user_key(&key).and_then(|uid| decode_user(uid, &value));
        let Some((user, row)) = user.and_then(|user| Some((user.uid, encode_standing(user.standing())?)))
        else {
            continue;
        };
        batch.put(Table::Records, &user_key(STANDING, user), &row);
        rows += 1;
        if rows % STEP == 0 {
            std::mem::replace(&mut batch, engine.batch()).commit(Wait::Os)?;
        }
    }
    if !batch.is_empty() {
        batch.commit(Wait::Os)?;
    }
    engine.sync()
}

/// What has an index since format 6, in the order of the table.
const TRACED: [u8; 4] = [BLOCK, LIKE, MUTE, TOMBSTONE];

/// Builds what formats before 6 did not have: likes by user, and who has blocked, muted or left a user. Each step is one
/// commit with the place that it has come to, so that an upgrade that was cut off goes on there; doing a step twice
/// changes nothing.
pub(crate) fn index_traces(engine: &Engine) -> Result<(), EngineError> {
    while step_of_traces(engine, STEP)? {}
    engine.sync()
}

/// Looks at some more rows; answers whether there may be further ones.
pub(crate) fn step_of_traces(engine: &Engine, rows: usize) -> Result<bool, EngineError> {
    let snapshot = engine.snapshot();
    let done = snapshot.get(Table::Records, UPGRADE_6_KEY)?;
    let (mut batch, mut seen, mut last) = (engine.batch(), 0, None);
    for prefix in TRACED {
        let end = [prefix + 1];
        let start = [prefix];
        let from = match done.as_deref() {
            Some(done) if done >= &end[..] => continue,
            Some(done) if done >= &start[..] => Bound::Excluded(done),
            _ => Bound::Included(&start[..]),
        };
        for row in snapshot.range(Table::Records, from, Bound::Excluded(&end)).take(rows - seen) {
            let (key, value) = row?;
            seen += 1;
            // What cannot be decoded is named by a verification.
            if prefix == LIKE {
                if let Some(((id, user), _)) = parse_like_key(&key).zip(decode_stamp(&value)) {
                    batch.put(Table::Records, &like_of_user_key(user, id), &value);
                }
            } else if let Some(((subject, object), kind)) =
                parse_pair_key(&key).zip(parse_mark_prefix(prefix))
            {
                batch.put(Table::Records, &marked_by_key(object, kind, subject), &[]);
            }
            last = Some(key);
        }
    }
    let more = seen == rows;
    match last.filter(|_| more) {
        Some(last) => batch.put(Table::Records, UPGRADE_6_KEY, &last),
        None => batch.remove(Table::Records, UPGRADE_6_KEY),
    }
    batch.commit(Wait::Os)?;
    Ok(more)
}

/// Gives posts that an older program deleted the time of that, as far as it is known: formats before 7 did not say it, so that
/// it is the time of the last commit. Each step is one commit with the place that it has come to, so that an upgrade that was
/// cut off goes on there; doing a step twice changes nothing.
pub(crate) fn date_deleted_posts(engine: &Engine, last_ms: u64) -> Result<(), EngineError> {
    while step_of_deleted_posts(engine, last_ms, STEP)? {}
    engine.sync()
}

/// Looks at some more posts; answers whether there may be further ones.
pub(crate) fn step_of_deleted_posts(
    engine: &Engine,
    last_ms: u64,
    posts: usize,
) -> Result<bool, EngineError> {
    let snapshot = engine.snapshot();
    let done = snapshot.get(Table::Records, UPGRADE_7_KEY)?;
    let from = done.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let (mut batch, mut seen, mut last) = (engine.batch(), 0, None);
    for row in snapshot.range(Table::Posts, from, Bound::Unbounded).take(posts) {
        let (key, value) = row?;
        seen += 1;
        // What cannot be decoded is named by a verification.
        let is_deleted = |id: &PostId| decode_header(*id, &value).is_some_and(|(header, _)| header.deleted);
        if let Some(id) = parse_post_key(&key).filter(is_deleted)
            && let Some(mut value) = PostValue::decode(id, &value)
            && value.post.revision > 0
        {
            let deleted_ms = *value.post.deleted_ms.get_or_insert(last_ms);
            batch.put(Table::Posts, &key, &value.encode());
            batch.put(Table::Records, &deleted_post_key(deleted_ms, id), &[]);
        }
        last = Some(key);
    }
    let more = seen == posts;
    match last.filter(|_| more) {
        Some(last) => batch.put(Table::Records, UPGRADE_7_KEY, &last),
        None => batch.remove(Table::Records, UPGRADE_7_KEY),
    }
    batch.commit(Wait::Os)?;
    Ok(more)
}
