//! Names of imported posts: a source key leads to a post of its author, and each imported post has the name that leads to
//! it.

use super::findings::{Readable, Unmatched};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    NAME, SOURCE, decode_header, decode_number, of_post_key, parse_name, parse_of_post_key,
    parse_other_name_key, parse_source_key, post_key, source_key,
};
use guanxi_model::{PostHeader, PostId};

/// Returns what a record of names is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    Some(match key.first() {
        Some(&SOURCE) => ("source key", parse_source_key(key).zip(decode_number(value)).is_some()),
        Some(&NAME) => {
            let is_other = parse_other_name_key(key).is_some() && value.is_empty();
            let is_name = parse_of_post_key(key).is_some() && parse_name(value).is_some();
            ("name of a post", is_name || is_other)
        }
        _ => return None,
    })
}

/// Returns what is wrong with a readable source key or name, if the other rows do not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    if key.first() == Some(&NAME) {
        let found = parse_of_post_key(key).zip(parse_name(value)).or_else(|| parse_other_name_key(key));
        let Some((id, name)) = found else { return Ok(None) };
        let Some(post) = header(snapshot, id)? else { return Ok(Some("name of a post that there is not")) };
        let led = snapshot.get(Table::Records, &source_key(post.author, name))?;
        // One that cannot be decoded is named by itself.
        let leads = led.is_some_and(|bytes| decode_number(&bytes).is_none_or(|raw| raw == id.get()));
        return Ok((!leads).then_some("name that does not lead to its post"));
    }
    let id = decode_number(value).and_then(|raw| PostId::new(raw).ok());
    let Some(((author, _), id)) = parse_source_key(key).zip(id) else {
        return Ok(Some("source key of no post"));
    };
    let post = header(snapshot, id)?.filter(|post| post.author == author);
    let Some(post) = post else { return Ok(Some("source key of a post that its author has not")) };
    let named = post.event.is_some() || snapshot.contains(Table::Records, &of_post_key(NAME, id))?;
    Ok((!named).then_some("source key of an imported post without a name"))
}

/// A post, if it can be decoded: one that cannot is named by itself.
fn header(snapshot: &Snapshot, id: PostId) -> EngineResult<Option<PostHeader>> {
    let post = snapshot.get(Table::Posts, &post_key(id))?;
    Ok(post.and_then(|bytes| Some(decode_header(id, &bytes)?.0)))
}
