//! Keys as tables: a key is its prefix and its parts, one behind the other.

use guanxi_model::bytes::Reader;
use guanxi_model::stored::{kind_code, request_kind};
use guanxi_model::{AuditId, Edge, GroupId, PostId, RequestKind, Stamp, Uid};

/// A part of a key. Its values have the same number of bytes, whose order is that of lists.
pub(super) trait KeyPart: Sized {
    /// How many bytes it has.
    const LEN: usize;

    /// Its bytes.
    fn bytes(self) -> impl AsRef<[u8]>;

    /// Reads it.
    fn read(key: &mut Reader<'_>) -> Option<Self>;
}

/// Says of each type its length as a part of a key, its bytes, and how it is read.
macro_rules! parts {
    ($($part:ty, $len:literal: |$value:ident| $bytes:expr, |$key:ident| $read:expr;)+) => {$(
        impl KeyPart for $part {
            const LEN: usize = $len;

            fn bytes(self) -> impl AsRef<[u8]> {
                let $value = self;
                $bytes
            }

            fn read($key: &mut Reader<'_>) -> Option<Self> {
                $read
            }
        }
    )+};
}

parts! {
    u64, 8: |number| number.to_be_bytes(), |key| key.u64();
    u128, 16: |number| number.to_be_bytes(), |key| Some(Self::from_be_bytes(key.take(16)?.try_into().ok()?));
    [u8; 32], 32: |id| id, |key| key.take(32)?.try_into().ok();
    Uid, 8: |uid| uid.get().to_be_bytes(), |key| Self::new(key.u64()?).ok();
    PostId, 8: |id| id.get().to_be_bytes(), |key| Self::new(key.u64()?).ok();
    GroupId, 4: |id| id.get().to_be_bytes(), |key| Self::new(key.u32()?).ok();
    RequestKind, 1: |kind| [kind_code(kind)], |key| request_kind(key.u8()?);
    // `!at !uid`: lists have the newest first.
    Edge, 16: |edge| two(!edge.at.raw(), !edge.uid.get()), |key| {
        Some(Self { at: Stamp::from_raw(!key.u64()?), uid: Uid::new(!key.u64()?).ok()? })
    };
    // `!at !nonce`, too.
    AuditId, 16: |id| two(!id.at.raw(), !id.nonce), |key| {
        Some(Self { at: Stamp::from_raw(!key.u64()?), nonce: !key.u64()? })
    };
}

fn two(first: u64, second: u64) -> [u8; 16] {
    (u128::from(first) << 64 | u128::from(second)).to_be_bytes()
}

/// Makes of each row `KEY, READ = [PREFIX] (PART: TYPE, ..)` a function for the key, and one that reads its parts.
macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident, $read:ident = $prefix:tt ($($part:ident: $type:ty),+);)+) => {$(
        $(#[$doc])*
        pub fn $key($($part: $type),+) -> [u8; <[u8]>::len(&$prefix) $(+ <$type as $crate::layout::parts::KeyPart>::LEN)+] {
            $crate::layout::parts::joined(&[
                &$prefix,
                $($crate::layout::parts::KeyPart::bytes($part).as_ref()),+
            ])
        }

        #[doc = concat!("Reads the parts of a key of [`", stringify!($key), "`], in their order.")]
        #[allow(unused_parens, reason = "a key may have a single part")]
        pub fn $read(key: &[u8]) -> Option<($($type),+)> {
            let mut parts = guanxi_model::bytes::Reader::new(key.get(<[u8]>::len(&$prefix)..)?);
            let read = ($(<$type as $crate::layout::parts::KeyPart>::read(&mut parts)?),+);
            parts.end()?;
            Some(read)
        }
    )+};
}

pub(super) use keys;

/// The parts of a key, one behind the other.
pub(super) fn joined<const LEN: usize>(parts: &[&[u8]]) -> [u8; LEN] {
    let (mut key, mut rest) = ([0; LEN], 0);
    for part in parts {
        key[rest..rest + part.len()].copy_from_slice(part);
        rest += part.len();
    }
    key
}
