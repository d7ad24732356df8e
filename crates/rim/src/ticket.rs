//! Tickets: what a web page opens one stream of one user with, where it cannot send a token.
//!
//! A ticket is not stored. It names the credential that made it, and is signed with a key of the server. So it is worth no
//! more than that credential, for an hour.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_model::{Clock, Gene, SessionKey, Uid};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::caller::Proof;
use crate::jwt::JwtProof;
use crate::limits::STREAM_TICKET_LIFE;
use crate::rules::TicketStream;

/// The beginning of every ticket.
const TICKET_PREFIX: &str = "gxt_";

/// The layout of a ticket.
const VERSION: u8 = 1;

/// Bytes of a ticket before its signature: version, kind of proof, gene, hash, uid, stream, end. The id of a session that
/// is refreshed follows.
const BODY_LEN: usize = 3 + 32 + 8 + 1 + 8;

/// Bytes of the signature, which comes last.
const SIGNATURE_LEN: usize = 32;

/// The content of a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// By what its maker was known.
    pub(crate) maker: Proof,
    /// The user of the ticket.
    pub(crate) uid: Uid,
    /// The access that it opens.
    pub(crate) stream: TicketStream,
    /// From when on it is no longer valid, in Unix milliseconds.
    pub(crate) expires_ms: u64,
}

/// Makes and reads tickets. Cheap to clone.
#[derive(Clone)]
pub struct Tickets {
    key: [u8; 32],
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tickets")
    }
}

impl Tickets {
    /// Tickets of a server with this key. Another key knows none of them.
    pub fn new(key: [u8; 32], clock: Arc<dyn Clock>) -> Self {
        Self { key, clock }
    }

    /// A ticket that is valid from now on, no longer than `until_ms`, and until when.
    pub fn make(&self, maker: Proof, uid: Uid, stream: TicketStream, until_ms: Option<u64>) -> (String, u64) {
        let life = u64::try_from(STREAM_TICKET_LIFE.as_millis()).unwrap_or(u64::MAX);
        let end = self.clock.now_ms().saturating_add(life);
        let expires_ms = until_ms.map_or(end, |until_ms| end.min(until_ms));
        let body = body(&Ticket { maker, uid, stream, expires_ms });
        let signature = self.signer(&body).finalize().into_bytes();
        let signed = [&body[..], &signature[..]].concat();
        (format!("{TICKET_PREFIX}{}", URL_SAFE_NO_PAD.encode(signed)), expires_ms)
    }

    /// Returns the content of a ticket; `None` if this server did not make it, or it is no longer valid.
    pub(crate) fn read(&self, text: &str) -> Option<Ticket> {
        let signed = URL_SAFE_NO_PAD.decode(text.strip_prefix(TICKET_PREFIX)?).ok()?;
        let (body, signature) = signed.split_at_checked(signed.len().checked_sub(SIGNATURE_LEN)?)?;
        self.signer(body).verify_slice(signature).ok()?;
        parse(body).filter(|ticket| self.clock.now_ms() < ticket.expires_ms)
    }

    fn signer(&self, body: &[u8]) -> Hmac<Sha256> {
        let mut signer = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length is a key");
        signer.update(b"guanxi stream ticket");
        signer.update(body);
        signer
    }
}

fn body(ticket: &Ticket) -> Vec<u8> {
    let (kind, gene, hash) = match ticket.maker {
        Proof::None => (0, 0, [0; 32]),
        Proof::Session(key) => (if key.id == key.hash { 1 } else { 4 }, key.gene.0, key.hash),
        Proof::Credential(hash) => (2, 0, hash),
        Proof::Jwt(proof) => (3, 0, jwt_bytes(proof)),
    };
    let mut body = vec![0; BODY_LEN];
    body[..3].copy_from_slice(&[VERSION, kind, gene]);
    body[3..35].copy_from_slice(&hash);
    body[35..43].copy_from_slice(&ticket.uid.get().to_be_bytes());
    body[43] = ticket.stream as u8;
    body[44..].copy_from_slice(&ticket.expires_ms.to_be_bytes());
    if let Proof::Session(key) = ticket.maker
        && kind == 4
    {
        body.extend(key.id);
    }
    body
}

/// Where other tickets have a hash: user, time and key, eight bytes each, and zeros.
fn jwt_bytes(proof: JwtProof) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (place, number) in bytes.chunks_exact_mut(8).zip([proof.uid.get(), proof.issued_ms, proof.key]) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    bytes
}

fn jwt_proof(bytes: &[u8; 32]) -> Option<JwtProof> {
    let number = |at: usize| Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    Some(JwtProof { uid: Uid::new(number(0)?).ok()?, issued_ms: number(8)?, key: number(16)? })
}

fn parse(body: &[u8]) -> Option<Ticket> {
    let number = |at: usize| Some(u64::from_be_bytes(body.get(at..at + 8)?.try_into().ok()?));
    let hash = body.get(3..35)?.try_into().ok()?;
    let id: Option<[u8; 32]> = body.get(BODY_LEN..)?.try_into().ok();
    if body.len() != BODY_LEN && (body[1] != 4 || id.is_none()) {
        return None;
    }
    let maker = match (body[0], body[1]) {
        (VERSION, 0) => Proof::None,
        (VERSION, 1) => Proof::Session(SessionKey::lone(Gene(body[2]), hash)),
        (VERSION, 4) => Proof::Session(SessionKey { gene: Gene(body[2]), id: id?, hash }),
        (VERSION, 2) => Proof::Credential(hash),
        (VERSION, 3) => Proof::Jwt(jwt_proof(&hash)?),
        _ => return None,
    };
    let stream = (body[43] == TicketStream::HomeTimeline as u8).then_some(TicketStream::HomeTimeline)?;
    Some(Ticket { maker, uid: Uid::new(number(35)?).ok()?, stream, expires_ms: number(44)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::ManualClock;

    #[test]
    fn a_ticket_says_what_it_was_made_for_to_its_server_alone_and_for_an_hour() {
        let clock = Arc::new(ManualClock::new(1_000));
        let tickets = Tickets::new([1; 32], clock.clone());
        let key = SessionKey::lone(Gene(7), [9; 32]);
        let refreshed = Proof::Session(SessionKey { id: [6; 32], ..key });
        let life = STREAM_TICKET_LIFE.as_millis() as u64;
        let jwt = JwtProof { uid: Uid::new(5).unwrap(), issued_ms: 1_750_000_000_000, key: u64::MAX };
        let of_sessions = [Proof::Session(key), refreshed];
        let makers =
            of_sessions.into_iter().chain([Proof::None, Proof::Credential([8; 32]), Proof::Jwt(jwt)]);
        for maker in makers {
            let (uid, stream) = (Uid::new(5).unwrap(), TicketStream::HomeTimeline);
            let (text, expires_ms) = tickets.make(maker, uid, stream, None);
            assert_eq!(expires_ms, 1_000 + life);
            let ticket = Ticket { maker, uid, stream, expires_ms };
            assert_eq!(tickets.read(&text), Some(ticket));
            assert_eq!(Tickets::new([2; 32], clock.clone()).read(&text), None);
            assert_eq!(tickets.make(maker, uid, stream, Some(1_001)).1, 1_001);
            let signed = URL_SAFE_NO_PAD.decode(&text[4..]).unwrap();
            for at in 0..signed.len() {
                let mut changed = signed.clone();
                changed[at] ^= 1;
                let changed = format!("gxt_{}", URL_SAFE_NO_PAD.encode(changed));
                assert_eq!(tickets.read(&changed), None, "byte {at}");
            }
            for length in 0..text.len() {
                assert_eq!(tickets.read(&text[..length]), None);
            }
        }
        let (text, _) = tickets.make(Proof::None, Uid::MIN, TicketStream::HomeTimeline, None);
        clock.advance(life);
        assert_eq!(tickets.read(&text), None);
    }
}
