//! Answers that are remembered under a request id: what was asked and when, and the outcomes as
//! [`guanxi_model::stored`] writes them.

use guanxi_model::bytes::Reader;
use guanxi_model::stored::{decode_outcomes, encode_outcomes};
use guanxi_model::{Outcome, Uid};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Returns where the answer to a request stands: under its id, for its acting user. A uid is never 0, which is the seed
/// of none.
pub fn answer_hash(actor: Uid, id: &str) -> u128 {
    xxh3_128_with_seed(id.as_bytes(), actor.get())
}

/// An answer remembered under a request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerValue {
    /// What was asked.
    pub fingerprint: u64,
    /// Its time, in Unix milliseconds.
    pub ms: u64,
    /// The position that was answered.
    pub seq: u64,
    /// The outcomes that were answered.
    pub outcomes: Vec<Outcome>,
}

impl AnswerValue {
    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(40);
        for number in [self.fingerprint, self.ms, self.seq] {
            out.extend(number.to_be_bytes());
        }
        out.extend(encode_outcomes(&self.outcomes));
        out
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (fingerprint, ms, seq) = (reader.u64()?, reader.u64()?, reader.u64()?);
        Some(Self { fingerprint, ms, seq, outcomes: decode_outcomes(reader.rest())? })
    }
}
