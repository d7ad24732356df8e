//! One-time codes that sign an operator in.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::Operator;
use crate::auth::hash_token;
use crate::limits::{CONSOLE_CODE_LIFE, CONSOLE_CODES_MAX};

/// Codes that wait to be used, in the memory of the process that made them. Cheap to clone.
#[derive(Clone, Default)]
pub struct Codes(Arc<Mutex<Vec<Code>>>);

struct Code {
    /// Only its hash is kept.
    hash: [u8; 32],
    operator: Operator,
    made: Instant,
}

impl Code {
    fn is_over(&self) -> bool {
        self.made.elapsed() >= CONSOLE_CODE_LIFE
    }
}

impl Codes {
    /// Keeps a code for an operator. `code` is random text of 256 bits, which the operator is shown once.
    pub fn put(&self, code: &str, operator: Operator) {
        let mut codes = self.codes();
        codes.retain(|code| !code.is_over());
        if codes.len() >= CONSOLE_CODES_MAX {
            codes.remove(0);
        }
        codes.push(Code { hash: hash_token(code), operator, made: Instant::now() });
    }

    /// Uses a code up, and returns the operator that it signs in.
    pub(super) fn redeem(&self, code: &str) -> Option<Operator> {
        let hash = hash_token(code);
        let mut codes = self.codes();
        let place = codes.iter().position(|code| code.hash == hash)?;
        let code = codes.remove(place);
        (!code.is_over()).then_some(code.operator)
    }

    fn codes(&self) -> std::sync::MutexGuard<'_, Vec<Code>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_signs_in_once() {
        let codes = Codes::default();
        codes.put("one", Operator::anybody());
        assert!(codes.redeem("another").is_none());
        assert!(codes.redeem("one").is_some());
        assert!(codes.redeem("one").is_none());
    }

    #[test]
    fn the_oldest_code_goes_when_there_are_too_many_and_each_goes_in_time() {
        let codes = Codes::default();
        (0..=CONSOLE_CODES_MAX).for_each(|n| codes.put(&n.to_string(), Operator::anybody()));
        assert!(codes.redeem("0").is_none());
        assert!(codes.redeem("1").is_some());
        let Some(long_ago) = Instant::now().checked_sub(CONSOLE_CODE_LIFE) else { return };
        codes.codes().iter_mut().for_each(|code| code.made = long_ago);
        assert!(codes.redeem("2").is_none());
    }
}
