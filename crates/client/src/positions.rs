//! The positions that a client has seen: what its reads ask for.

/// Tokens that are carried along at most: what the server takes in one request.
pub const POSITIONS_MAX: usize = 16;

/// Tokens of answers, of which none is known to be in another. Tokens are opaque: that a read's answer includes what the
/// read asked for is what makes them few.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenPositions(Vec<String>);

impl SeenPositions {
    /// Returns all of them as one token.
    pub(crate) fn joined(&self) -> String {
        self.0.join(".")
    }

    /// Takes in the token of a write, or what another client has seen.
    pub(crate) fn add(&mut self, token: &str) {
        for one in token.split('.').filter(|one| !one.is_empty()) {
            self.0.retain(|known| known != one);
            self.0.push(one.to_owned());
        }
    }

    /// Takes in the token of a read that asked for `asked`, which it includes.
    pub(crate) fn replace(&mut self, asked: &str, token: &str) {
        if token.is_empty() {
            return;
        }
        self.0.retain(|known| !asked.split('.').any(|one| one == known));
        self.add(token);
    }

    /// Leaves out those that an answer was asked to include.
    pub(crate) fn remove(&mut self, asked: &str) {
        self.0.retain(|known| !asked.split('.').any(|one| one == known));
    }

    /// Whether no more tokens have room in a request.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= POSITIONS_MAX
    }

    /// Leaves out the oldest, until the rest has room in a request beside others.
    pub(crate) fn cut(&mut self) {
        let beyond = self.0.len().saturating_sub(POSITIONS_MAX / 2);
        self.0.drain(..beyond);
    }

    /// Forgets everything: the server has begun another history.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}
