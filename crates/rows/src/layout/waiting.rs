//! Requests, the terms of mutes, and what ends by itself.

use super::parts::keys;
use super::relations::{pair_key, parse_pair_key};
use guanxi_model::bytes::Reader;
use guanxi_model::stored::{get_terms, kind_code, put_terms, request_kind};
use guanxi_model::{
    Edge, MuteTerms, PairEnd, PairEndKind, PastRequest, RelationRequest, RequestKind, Stamp, Uid,
};
use guanxi_ports::DueEnd;

/// Prefix of requests by sender.
pub const SENT_REQUEST: u8 = b'Q';
/// Prefix of requests by receiver, newest first.
pub const REQUEST: u8 = b'q';
/// Prefix of what is remembered of requests that are over, by who was asked.
pub const COOLDOWN: u8 = b'j';
/// Prefix of what ends by itself, by when.
pub const PAIR_END: u8 = b't';
/// Prefix of up to where users have seen the requests to them.
pub const REQUESTS_SEEN: u8 = b'p';
/// Prefix of who has unlocked itself, with others who may wait to follow it.
pub const UNLOCKING: u8 = b'E';

/// A request as its sender's place holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentValue {
    /// What is asked.
    pub kind: RequestKind,
    /// The time when it began.
    pub at: Stamp,
    /// When it ends by itself, in Unix milliseconds.
    pub expires_ms: u64,
}

impl SentValue {
    /// The stored form: 17 bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![kind_code(self.kind)];
        out.extend(self.at.raw().to_be_bytes());
        out.extend(self.expires_ms.to_be_bytes());
        out
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let kind = request_kind(reader.u8()?)?;
        let (at, expires_ms) = (Stamp::from_raw(reader.u64()?), reader.u64()?);
        reader.end()?;
        Some(Self { kind, at, expires_ms })
    }
}

/// `receiver kind`, the start of the requests of a kind to a user.
pub fn requests_of_key(receiver: Uid, kind: RequestKind) -> [u8; 10] {
    let mut key = [REQUEST; 10];
    key[1..9].copy_from_slice(&receiver.get().to_be_bytes());
    key[9] = kind_code(kind);
    key
}

keys! {
    /// `receiver kind !at !sender`, the key of a request by receiver. The sender comes with the time since when it waits.
    request_key, parse_request_key = [REQUEST] (receiver: Uid, kind: RequestKind, sender: Edge);
}

/// The stored form of what a request's key does not say: when it ends, and the message.
pub fn encode_request(request: &RelationRequest) -> Vec<u8> {
    let mut out = request.expires_ms.to_be_bytes().to_vec();
    out.extend(request.message.as_bytes());
    out
}

/// Reads a request.
pub fn decode_request(key: &[u8], value: &[u8]) -> Option<RelationRequest> {
    let (receiver, kind, Edge { at, uid: sender }) = parse_request_key(key)?;
    let (expires, message) = value.split_at_checked(8)?;
    let expires_ms = u64::from_be_bytes(expires.try_into().ok()?);
    let message = std::str::from_utf8(message).ok()?.to_owned();
    Some(RelationRequest { sender, receiver, kind, at, expires_ms, message })
}

/// The stored form of what is remembered of a request that is over: until when; behind that its place, if it was taken back.
pub fn encode_past_request(past: PastRequest) -> Vec<u8> {
    let mut out = past.until_ms().to_be_bytes().to_vec();
    if let PastRequest::TakenBack { first, .. } = past {
        out.extend(first.raw().to_be_bytes());
    }
    out
}

/// Reads what is remembered of a request that is over.
pub fn decode_past_request(bytes: &[u8]) -> Option<PastRequest> {
    let mut reader = Reader::new(bytes);
    let until_ms = reader.u64()?;
    if reader.rest().is_empty() {
        return Some(PastRequest::Rejected { until_ms });
    }
    let first = Stamp::from_raw(reader.u64()?);
    reader.end()?;
    Some(PastRequest::TakenBack { until_ms, first })
}

/// `ms kind owner other`, the key of what ends by itself.
pub fn pair_end_key(at_ms: u64, end: PairEnd) -> [u8; 26] {
    let mut key = [PAIR_END; 26];
    key[1..9].copy_from_slice(&at_ms.to_be_bytes());
    key[9..].copy_from_slice(&pair_key(end.kind.code(), end.owner, end.other));
    key
}

/// Reads the key of what ends by itself.
pub fn parse_pair_end_key(key: &[u8]) -> Option<DueEnd> {
    let (ms, pair) = key.get(1..)?.split_at_checked(8)?;
    let kind = PairEndKind::of_code(*pair.first()?)?;
    let (owner, other) = parse_pair_key(pair)?;
    let at_ms = u64::from_be_bytes(ms.try_into().ok()?);
    Some(DueEnd { at_ms, end: PairEnd { kind, owner, other } })
}

/// The stored form of a mute: its time alone for one of everything, for ever.
pub fn encode_mute(at: Stamp, terms: MuteTerms) -> Vec<u8> {
    let mut out = at.raw().to_be_bytes().to_vec();
    if terms != MuteTerms::default() {
        put_terms(&mut out, terms);
    }
    out
}

/// Reads a mute.
pub fn decode_mute(bytes: &[u8]) -> Option<(Stamp, MuteTerms)> {
    let mut reader = Reader::new(bytes);
    let at = Stamp::from_raw(reader.u64()?);
    let terms = if reader.rest().is_empty() { MuteTerms::default() } else { get_terms(&mut reader)? };
    reader.end()?;
    Some((at, terms))
}
