//! Rows of claims: who has reserved a contact, or has it.

use guanxi_model::bytes::Reader;
use guanxi_model::user::{Contact, ContactClaim, ContactKind};
use guanxi_model::{Stamp, Uid};

/// Prefix of claims.
pub const CLAIM: u8 = b'c';

/// In the flags of a claim: its user was seen to have the contact.
const CONFIRMED: u8 = 1;

/// `kind text`, the key of a claim.
pub fn claim_key(contact: &Contact) -> Vec<u8> {
    let mut key = vec![CLAIM, contact.kind().code()];
    key.extend(contact.expose().as_bytes());
    key
}

/// Reads the key of a claim.
pub fn parse_claim_key(key: &[u8]) -> Option<Contact> {
    let kind = ContactKind::of_code(*key.get(1)?)?;
    let text = std::str::from_utf8(&key[2..]).ok()?;
    (!text.is_empty()).then(|| Contact::stored(kind, text.to_owned()))
}

/// The stored form of a claim.
pub fn encode_claim(claim: &ContactClaim) -> Vec<u8> {
    let ContactClaim { uid, version, confirmed } = claim;
    let mut out = vec![if *confirmed { CONFIRMED } else { 0 }];
    out.extend(uid.get().to_be_bytes());
    out.extend(version.raw().to_be_bytes());
    out
}

/// Reads a claim.
pub fn decode_claim(bytes: &[u8]) -> Option<ContactClaim> {
    let mut reader = Reader::new(bytes);
    let (flags, uid, version) = (reader.u8()?, reader.u64()?, reader.u64()?);
    reader.end()?;
    (flags & !CONFIRMED == 0).then_some(())?;
    let (uid, version) = (Uid::new(uid).ok()?, Stamp::from_raw(version));
    Some(ContactClaim { uid, version, confirmed: flags == CONFIRMED })
}
