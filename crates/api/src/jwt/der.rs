//! The public keys of PEM files: as much of DER as SubjectPublicKeyInfo takes. It reads the operator's files, never what
//! callers send.

/// A public key of a kind that is used here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PublicKey<'a> {
    Rsa { modulus: &'a [u8], exponent: &'a [u8] },
    P256(&'a [u8]),
    Ed25519(&'a [u8]),
}

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OBJECT_ID: u8 = 0x06;
const SEQUENCE: u8 = 0x30;

/// 1.2.840.113549.1.1.1
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// 1.2.840.10045.2.1
const ELLIPTIC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// 1.2.840.10045.3.1.7
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
/// 1.3.101.112
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// Takes one value of a tag from the front.
fn take<'a>(input: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let (&[found, length], rest) = input.split_first_chunk()?;
    if found != tag {
        return None;
    }
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        0x81 => rest.split_first().map(|(length, rest)| (usize::from(*length), rest))?,
        0x82 => rest.split_first_chunk().map(|(length, rest)| (u16::from_be_bytes(*length).into(), rest))?,
        _ => return None,
    };
    let (value, rest) = rest.split_at_checked(length)?;
    *input = rest;
    Some(value)
}

/// Takes the only value of a tag.
fn only(mut input: &[u8], tag: u8) -> Option<&[u8]> {
    take(&mut input, tag).filter(|_| input.is_empty())
}

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
