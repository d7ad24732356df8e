//! Page tokens: places in lists, sealed with a key of the data.
//!
//! A place names a user or post that its reader may not know of: the last one that was looked at may be hidden. So a token is
//! a ciphertext. A client can neither read it nor make one that the server has not given out. It opens for one list and one
//! reader. Equal places have equal tokens, so that pages stay the same byte by byte. AES-256-GCM-SIV (RFC 8452) needs no
//! nonce that differs for that.

use std::fmt;
use std::sync::Arc;

use aes_gcm_siv::aead::AeadInOut as _;
use aes_gcm_siv::{Aes256GcmSiv, KeyInit as _, Nonce, Tag};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_centers::search::RankPlace;
use guanxi_model::{Cursor, Edge, Error, PostCursor, PostId, Reason, Result, Stamp, Uid};
use sha2::{Digest as _, Sha256};

/// The most characters that a token has.
pub(crate) const PAGE_TOKEN_LEN_MAX: usize = 64;

/// The version of what is sealed: a token of another one does not open.
const VERSION: u8 = 1;

/// Bytes of what tells that a token was sealed here.
const TAG_LEN: usize = 16;

/// Bytes of a place among edges: time and uid.
pub(crate) const EDGE_LEN: usize = 16;

/// Bytes of a place among posts.
const POST_LEN: usize = 8;

/// Bytes of a place in a result set.
const RANK_LEN: usize = 12;

/// A list: its kind, and what chooses it. Kinds are in one space; see the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListScope([u8; 17]);

impl ListScope {
    pub(crate) fn new(kind: u8, first: u64, second: u64) -> Self {
        let mut bytes = [0; 17];
        bytes[0] = kind;
        bytes[1..9].copy_from_slice(&first.to_be_bytes());
        bytes[9..].copy_from_slice(&second.to_be_bytes());
        Self(bytes)
    }
}

/// Seals and opens page tokens. Cheap to clone.
#[derive(Clone)]
pub struct PageTokens(Arc<Aes256GcmSiv>);

impl fmt::Debug for PageTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageTokens")
    }
}

impl PageTokens {
    /// Tokens of the data that has this key. Another key opens none of them.
    pub fn new(key: [u8; 32]) -> Self {
        // A key of its own, since the data's key has other uses.
        let key = Sha256::new().chain_update(b"guanxi page token").chain_update(key).finalize();
        Self(Arc::new(Aes256GcmSiv::new(&key)))
    }

    /// Returns the tokens of a list, for an end user, or for services if there is none.
    pub fn of(&self, scope: ListScope, viewer: Option<Uid>) -> ListTokens {
        let mut bound = [0; 26];
        bound[0] = VERSION;
        bound[1..18].copy_from_slice(&scope.0);
        bound[18..].copy_from_slice(&viewer.map_or(0, Uid::get).to_be_bytes());
        ListTokens { cipher: Arc::clone(&self.0), bound }
    }
}

/// Seals and opens the page tokens of one list for one reader.
pub struct ListTokens {
    cipher: Arc<Aes256GcmSiv>,
    bound: [u8; 26],
}

impl ListTokens {
    /// The token of a place of so many bytes.
    pub(crate) fn seal<const N: usize>(&self, mut place: [u8; N]) -> String {
        let sealed =
            self.cipher.encrypt_inout_detached(&Nonce::default(), &self.bound, place.as_mut_slice().into());
        let tag = sealed.expect("a place is shorter than what may be sealed");
        URL_SAFE_NO_PAD.encode([&place[..], &tag[..]].concat())
    }

    /// The place of a token.
    ///
    /// # Errors
    /// `STALE_CURSOR` for anything that was not sealed for this list and reader, by a server with this key.
    pub(crate) fn open<const N: usize>(&self, token: &str) -> Result<[u8; N]> {
        self.opened(token).ok_or_else(stale)
    }

    fn opened<const N: usize>(&self, token: &str) -> Option<[u8; N]> {
        if token.len() > PAGE_TOKEN_LEN_MAX {
            return None;
        }
        let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (place, tag) = sealed.split_at_checked(N)?;
        let mut place: [u8; N] = place.try_into().ok()?;
        let tag: [u8; TAG_LEN] = tag.try_into().ok()?;
        let buffer = place.as_mut_slice().into();
        let opened =
            self.cipher.decrypt_inout_detached(&Nonce::default(), &self.bound, buffer, &Tag::from(tag));
        opened.ok().map(|()| place)
    }

    /// The token of the next page of a list of users; empty at its end.
    pub fn after(&self, next: Option<Cursor>) -> String {
        next.map_or_else(String::new, |cursor| self.seal(edge_bytes(cursor)))
    }

    /// The place of such a token.
    ///
    /// # Errors
    /// `STALE_CURSOR`.
    pub fn cursor(&self, token: &str) -> Result<Cursor> {
        edge_place(self.open(token)?)
    }

    /// The token of the next page of a list of posts; empty at its end.
    pub fn below(&self, next: Option<PostCursor>) -> String {
        next.map_or_else(String::new, |PostCursor(id)| self.seal(id.get().to_be_bytes()))
    }

    /// The place of such a token.
    ///
    /// # Errors
    /// `STALE_CURSOR`.
    pub(crate) fn post_cursor(&self, token: &str) -> Result<PostCursor> {
        let place: [u8; POST_LEN] = self.open(token)?;
        PostId::new(u64::from_be_bytes(place)).map(PostCursor).map_err(|_| stale())
    }

    /// The token of the next page of a ranked list; empty at its end.
    pub(crate) fn ranked(&self, next: Option<RankPlace>) -> String {
        next.map_or_else(String::new, |RankPlace { set, from }| {
            let mut bytes = [0; RANK_LEN];
            bytes[..8].copy_from_slice(&set.to_be_bytes());
            bytes[8..].copy_from_slice(&from.to_be_bytes());
            self.seal(bytes)
        })
    }

    /// The place of such a token; none of an empty one, which begins the list.
    ///
    /// # Errors
    /// `STALE_CURSOR`.
    pub(crate) fn rank_place(&self, token: &str) -> Result<Option<RankPlace>> {
        if token.is_empty() {
            return Ok(None);
        }
        let place: [u8; RANK_LEN] = self.open(token)?;
        let mut bytes = [0; 16];
        bytes[16 - RANK_LEN..].copy_from_slice(&place);
        let raw = u128::from_be_bytes(bytes);
        Ok(Some(RankPlace { set: (raw >> 32) as u64, from: raw as u32 }))
    }
}

fn stale() -> Error {
    Error::new(Reason::StaleCursor)
}

/// A place among edges, in bytes.
pub(crate) fn edge_bytes(Cursor(edge): Cursor) -> [u8; EDGE_LEN] {
    let mut bytes = [0; EDGE_LEN];
    bytes[..8].copy_from_slice(&edge.at.raw().to_be_bytes());
    bytes[8..].copy_from_slice(&edge.uid.get().to_be_bytes());
    bytes
}

/// The place among edges that bytes have.
///
/// # Errors
/// `STALE_CURSOR` for bytes that no place has.
pub(crate) fn edge_place(bytes: [u8; EDGE_LEN]) -> Result<Cursor> {
    let raw = u128::from_be_bytes(bytes);
    let uid = Uid::new(raw as u64).map_err(|_| stale())?;
    Ok(Cursor(Edge { at: Stamp::from_raw((raw >> 64) as u64), uid }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn u(uid: u64) -> Uid {
        Uid::new(uid).unwrap()
    }

    fn cursor(at: u64, uid: u64) -> Cursor {
        Cursor(Edge { at: Stamp::from_raw(at), uid: u(uid) })
    }

    #[test]
    fn a_token_opens_for_its_list_and_reader_alone() {
        let tokens = PageTokens::new([7; 32]);
        let list = ListScope::new(1, 5, 0);
        let token = tokens.of(list, None).after(Some(cursor(9, 4)));
        assert_eq!(tokens.of(list, None).cursor(&token), Ok(cursor(9, 4)));
        assert_eq!(tokens.of(list, None).after(Some(cursor(9, 4))), token, "equal places have equal tokens");
        let others = [
            tokens.of(list, Some(u(5))),
            tokens.of(ListScope::new(2, 5, 0), None),
            tokens.of(ListScope::new(1, 6, 0), None),
            tokens.of(ListScope::new(1, 5, 1), None),
            PageTokens::new([8; 32]).of(list, None),
        ];
        for other in others {
            assert_eq!(other.cursor(&token).unwrap_err().reason, Reason::StaleCursor);
        }
        assert_eq!(tokens.of(list, None).after(None), "");
    }

    #[test]
    fn nothing_of_a_place_is_in_its_token_and_no_other_text_opens() {
        let list = PageTokens::new([7; 32]).of(ListScope::new(1, 5, 0), None);
        let (one, next) = (list.after(Some(cursor(9, 4))), list.after(Some(cursor(9, 5))));
        assert!(one.len() <= PAGE_TOKEN_LEN_MAX);
        let shared = one.bytes().zip(next.bytes()).filter(|(a, b)| a == b).count();
        assert!(shared < one.len() / 4, "{one} {next}");
        for at in 0..one.len() {
            let other = if &one[at..=at] == "A" { "B" } else { "A" };
            let changed = format!("{}{other}{}", &one[..at], &one[at + 1..]);
            assert!(list.cursor(&changed).is_err(), "{changed}");
            assert!(list.cursor(&one[..at]).is_err());
        }
        assert!(list.cursor(&format!("{one}AAAA")).is_err());
        assert!(list.post_cursor(&one).is_err(), "a place of another kind");
        let post = list.below(Some(PostCursor(PostId::new(77).unwrap())));
        assert_eq!(list.post_cursor(&post), Ok(PostCursor(PostId::new(77).unwrap())));
    }
}
