//! Reading bytes safely, and sealing opaque tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Version of the token format; a token of another version is refused, never misread.
const TOKEN_VERSION: u8 = 1;

/// Longest token accepted, in characters. Longer input is refused before it is decoded.
pub const TOKEN_LEN_MAX: usize = 96;

/// Length of the checksum at a token's end, in bytes. It catches mistakes (a cut token, one of another list); it
/// is no signature, and nothing in a token grants a right.
const CHECK_LEN: usize = 4;

/// What a token is for, so that one kind is never taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A consistency token.
    Position = 1,
    /// A consistency token of many logs.
    Positions = 4,
}

/// Seals a payload: version, kind, payload, checksum bound to `scope` (what the token may be used with).
pub fn seal_token(kind: TokenKind, scope: u64, payload: &[u8]) -> String {
    let mut raw = Vec::with_capacity(payload.len() + 2 + CHECK_LEN);
    raw.extend([TOKEN_VERSION, kind as u8]);
    raw.extend(payload);
    let check = xxh3_64_with_seed(&raw, scope).to_be_bytes();
    raw.extend(&check[..CHECK_LEN]);
    URL_SAFE_NO_PAD.encode(raw)
}

/// Opens a token sealed for the same kind and scope; `None` for anything else.
pub fn open_token(kind: TokenKind, scope: u64, token: &str) -> Option<Vec<u8>> {
    open_long_token(kind, scope, token, TOKEN_LEN_MAX)
}

/// Opens a token of a kind that may be longer than [`TOKEN_LEN_MAX`], up to `len_max` characters.
pub fn open_long_token(kind: TokenKind, scope: u64, token: &str, len_max: usize) -> Option<Vec<u8>> {
    if token.len() > len_max {
        return None;
    }
    let raw = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (body, check) = raw.split_at_checked(raw.len().checked_sub(CHECK_LEN)?)?;
    let expected = xxh3_64_with_seed(body, scope).to_be_bytes();
    let sealed_here = body.first() == Some(&TOKEN_VERSION) && body.get(1) == Some(&(kind as u8));
    (sealed_here && check == &expected[..CHECK_LEN]).then(|| body[2..].to_vec())
}

/// A cursor over bytes that answers `None` instead of running past the end.
#[derive(Debug, Clone)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    /// The next byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    /// The next big-endian u32.
    pub fn u32(&mut self) -> Option<u32> {
        self.take(4).and_then(|b| Some(u32::from_be_bytes(b.try_into().ok()?)))
    }

    /// The next big-endian u64.
    pub fn u64(&mut self) -> Option<u64> {
        self.take(8).and_then(|b| Some(u64::from_be_bytes(b.try_into().ok()?)))
    }

    /// Returns what is left.
    pub const fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// `Some` if nothing is left: for formats that must be read to their end.
    pub fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}
