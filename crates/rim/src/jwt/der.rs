//! The public keys of PEM files: as much of DER as SubjectPublicKeyInfo takes. It reads the operator's files, never what
//! callers send.

use crate::der::{BIT_STRING, INTEGER, OBJECT_ID, SEQUENCE, only, take};

/// A public key of a kind that is used here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PublicKey<'a> {
    Rsa { modulus: &'a [u8], exponent: &'a [u8] },
    P256(&'a [u8]),
    Ed25519(&'a [u8]),
}

/// 1.2.840.113549.1.1.1
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// 1.2.840.10045.2.1
const ELLIPTIC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// 1.2.840.10045.3.1.7
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
/// 1.3.101.112
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// The key of a SubjectPublicKeyInfo; `None` if it is none of these kinds.
pub(super) fn public_key(der: &[u8]) -> Option<PublicKey<'_>> {
    let mut info = only(der, SEQUENCE)?;
    let mut algorithm = take(&mut info, SEQUENCE)?;
    let (unused, key) = only(info, BIT_STRING)?.split_first()?;
    if *unused != 0 {
        return None;
    }
    match take(&mut algorithm, OBJECT_ID)? {
        RSA => {
            let mut numbers = only(key, SEQUENCE)?;
            let modulus = take(&mut numbers, INTEGER)?;
            Some(PublicKey::Rsa { modulus, exponent: only(numbers, INTEGER)? })
        }
        ELLIPTIC if only(algorithm, OBJECT_ID)? == P256 => Some(PublicKey::P256(key)),
        ED25519 => Some(PublicKey::Ed25519(key)),
        _ => None,
    }
}
