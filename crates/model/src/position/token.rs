//! Tokens: how users see positions.

use super::{HistoryId, LogMark, Marks, Position};
use crate::bytes::{Reader, TokenKind, open_long_token, open_token, seal_token};
use crate::error::{Error, Reason, Result};
use crate::limits::{POSITION_TOKEN_LEN_MAX, POSITION_TOKENS_MAX};
use crate::log::LogId;

/// Joins the tokens of one request.
const JOINT: char = '.';

impl Position {
    /// The token that users see, base64url: about 24 characters on one machine; with many logs about 7 for each log
    /// that it names, at most [`POSITION_TOKEN_LEN_MAX`].
    pub fn to_token(&self) -> String {
        match &self.marks {
            Marks::One(seq) => {
                let mut payload = [0_u8; 17];
                payload[..8].copy_from_slice(&self.history.0.to_be_bytes());
                payload[9..].copy_from_slice(&seq.to_be_bytes());
                seal_token(TokenKind::Position, 0, &payload)
            }
            Marks::Sparse(marks) => seal_token(TokenKind::Positions, 0, &sparse_payload(self.history, marks)),
        }
    }

    /// Reads the token of a request back: one, or several joined by dots.
    ///
    /// # Errors
    /// [`Reason::InvalidToken`] when one is no token of this product or there are more than
    /// [`POSITION_TOKENS_MAX`]; [`Reason::TokenFromOtherHistory`] when they are of two stores.
    pub fn from_token(token: &str) -> Result<Self> {
        let invalid = || Error::new(Reason::InvalidToken);
        if token.split(JOINT).count() > POSITION_TOKENS_MAX as usize {
            return Err(invalid());
        }
        let mut positions = token.split(JOINT).map(|token| one_token(token).ok_or_else(invalid));
        let mut joined = positions.next().unwrap_or_else(|| Err(invalid()))?;
        for position in positions {
            joined.try_join(&position?)?;
        }
        Ok(joined)
    }
}

fn one_token(token: &str) -> Option<Position> {
    if let Some(payload) = open_token(TokenKind::Position, 0, token) {
        let mut reader = Reader::new(&payload);
        let history = HistoryId(reader.u64()?);
        // The byte was once meant for a shard, and is 0.
        let position = (reader.u8()? == 0).then(|| reader.u64())??;
        reader.end()?;
        return Some(Position::one(history, position));
    }
    let payload = open_long_token(TokenKind::Positions, 0, token, POSITION_TOKEN_LEN_MAX as usize)?;
    let mut reader = Reader::new(&payload);
    let history = HistoryId(reader.u64()?);
    let mut marks = Vec::new();
    while reader.end().is_none() {
        marks.push(read_mark(&mut reader)?);
    }
    // One writing of each position: logs rise strictly.
    marks.windows(2).all(|pair: &[(LogId, LogMark)]| pair[0].0 < pair[1].0).then_some(())?;
    Some(Position { history, marks: Marks::Sparse(marks.into()) })
}

/// History, then for each log its id, the event that was seen and how far behind that the last own act is, as
/// varints. The last is left out where there is no own act, by a flag in the first bit of the seen event.
fn sparse_payload(history: HistoryId, marks: &[(LogId, LogMark)]) -> Vec<u8> {
    let mut payload = history.0.to_be_bytes().to_vec();
    for (log, mark) in marks {
        payload.push(log.0);
        put_varint(&mut payload, (u128::from(mark.seen) << 1) | u128::from(mark.acted > 0));
        if mark.acted > 0 {
            put_varint(&mut payload, u128::from(mark.seen - mark.acted));
        }
    }
    payload
}

fn read_mark(reader: &mut Reader<'_>) -> Option<(LogId, LogMark)> {
    let log = LogId(reader.u8()?);
    let first = varint(reader)?;
    let seen = u64::try_from(first >> 1).ok()?;
    let acted = if first & 1 == 1 { seen.checked_sub(u64::try_from(varint(reader)?).ok()?)? } else { 0 };
    (acted > 0 || first & 1 == 0).then_some((log, LogMark { seen, acted }))
}

/// LEB128.
fn put_varint(bytes: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A LEB128 number of at most ten bytes.
fn varint(reader: &mut Reader<'_>) -> Option<u128> {
    let mut value = 0_u128;
    for shift in (0..70).step_by(7) {
        let byte = reader.u8()?;
        value |= u128::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
