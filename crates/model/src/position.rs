//! Positions in the log, and the consistency tokens that carry them.

use crate::bytes::{Reader, TokenKind, open_token, seal_token};
use crate::error::{Error, Reason, Result};

/// The identity of a data directory's past. A restore starts a new history, so that tokens from before it are
/// recognised and refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryId(pub u64);

/// A place in the log: after the event with this `seq`, before the next one.
///
/// Opaque outside the backends: the embedded backend has one log, a cluster one per shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Which past it belongs to.
    pub history: HistoryId,
    /// The logical log; always 0 on one machine.
    pub shard: u8,
    /// The last event included; 0 is the beginning.
    pub seq: u64,
}

impl Position {
    /// The token that users see: base64url, about 24 characters.
    pub fn to_token(self) -> String {
        let mut payload = [0_u8; 17];
        payload[..8].copy_from_slice(&self.history.0.to_be_bytes());
        payload[8] = self.shard;
        payload[9..].copy_from_slice(&self.seq.to_be_bytes());
        seal_token(TokenKind::Position, 0, &payload)
    }

    /// Reads a token back.
    ///
    /// # Errors
    /// [`Reason::InvalidToken`] when it is not a token of this product.
    pub fn from_token(token: &str) -> Result<Self> {
        let payload = open_token(TokenKind::Position, 0, token).ok_or(Error::new(Reason::InvalidToken))?;
        let mut reader = Reader::new(&payload);
        let parsed = (|| {
            let history = HistoryId(reader.u64()?);
            let shard = reader.u8()?;
            let seq = reader.u64()?;
            reader.end()?;
            Some(Self { history, shard, seq })
        })();
        parsed.ok_or(Error::new(Reason::InvalidToken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_round_trip_and_foreign_strings_are_refused() {
        let position = Position { history: HistoryId(7), shard: 0, seq: 123_456 };
        let token = position.to_token();
        assert_eq!(Position::from_token(&token), Ok(position));
        for bad in ["", "x", "????", &token[1..], &format!("{token}A"), "AAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(Position::from_token(bad).unwrap_err().reason, Reason::InvalidToken, "{bad}");
        }
    }
}
