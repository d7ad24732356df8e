//! What events, outcomes and rows hold of requests and mutes.

use crate::bytes::Reader;
use crate::{MuteTerms, RequestKind};

/// The stored form of a request's kind.
pub const fn kind_code(kind: RequestKind) -> u8 {
    match kind {
        RequestKind::Follow => 1,
        RequestKind::Friend => 2,
    }
}

/// Reads a request's kind; `None` for the byte of none.
pub fn request_kind(code: u8) -> Option<RequestKind> {
    RequestKind::ALL.into_iter().find(|kind| kind_code(*kind) == code)
}

// What a mute has, in the first byte of its terms.
const REPOSTS_ONLY: u8 = 1;
const UNTIL: u8 = 2;

/// Adds the terms of a mute: a byte that says which there are, and when it ends if it does.
pub fn put_terms(out: &mut Vec<u8>, terms: MuteTerms) {
    let reposts_only = if terms.reposts_only { REPOSTS_ONLY } else { 0 };
    out.push(reposts_only | if terms.until_ms.is_some() { UNTIL } else { 0 });
    out.extend(terms.until_ms.into_iter().flat_map(u64::to_be_bytes));
}

/// Reads the terms of a mute; `None` for terms that this program does not know.
pub fn get_terms(reader: &mut Reader<'_>) -> Option<MuteTerms> {
    let flags = reader.u8()?;
    let until_ms = if flags & UNTIL == 0 { None } else { Some(reader.u64()?) };
    (flags <= (REPOSTS_ONLY | UNTIL))
        .then_some(MuteTerms { reposts_only: flags & REPOSTS_ONLY != 0, until_ms })
}
