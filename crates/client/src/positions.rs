//! The positions that a client has seen: what its reads ask for.

use std::any::TypeId;

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

    /// Returns whether no more tokens have room in a request.
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

/// Tokens of writes that a client's searches are to include. Each method that waits has an index of its own, so that a method
/// includes a write once, independent of the other methods.
#[derive(Clone, Debug, Default)]
pub(crate) struct AwaitedWrites(Vec<AwaitedWrite>);

#[derive(Clone, Debug)]
struct AwaitedWrite {
    token: String,
    /// The methods, as the types of their requests, of which an answer includes it.
    included_by: Vec<TypeId>,
}

impl AwaitedWrites {
    /// Takes in the token of a write. When no more have room in a request, the newest half stays.
    pub(crate) fn add(&mut self, token: &str) {
        for one in token.split('.').filter(|one| !one.is_empty()) {
            self.0.retain(|write| write.token != one);
            self.0.push(AwaitedWrite { token: one.to_owned(), included_by: Vec::new() });
        }
        if self.0.len() >= POSITIONS_MAX {
            self.0.drain(..self.0.len() - POSITIONS_MAX / 2);
        }
    }

    /// Returns what the next call of a method is to wait for.
    pub(crate) fn awaited_by(&self, method: TypeId) -> SeenPositions {
        let awaited = self.0.iter().filter(|write| !write.included_by.contains(&method));
        SeenPositions(awaited.map(|write| write.token.clone()).collect())
    }

    /// Notes what an answer of a method was asked to include.
    pub(crate) fn included(&mut self, method: TypeId, asked: &str) {
        let awaited = self.0.iter_mut().filter(|write| !write.included_by.contains(&method));
        for write in awaited.filter(|write| asked.split('.').any(|one| one == write.token)) {
            write.included_by.push(method);
        }
    }

    /// Forgets everything: the server has begun another history.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_waits_once_for_a_write() {
        let (posts, users) = (TypeId::of::<u8>(), TypeId::of::<u16>());
        let mut written = AwaitedWrites::default();
        written.add("first");
        assert_eq!(written.awaited_by(users).joined(), "first");
        written.included(users, "first");
        written.add("second");
        assert_eq!(written.awaited_by(users).joined(), "second");
        assert_eq!(written.awaited_by(posts).joined(), "first.second", "what users include, posts may lack");
        written.included(posts, "first.second.given");
        assert_eq!(written.awaited_by(posts).joined(), "");
        for write in 0..100 {
            written.add(&write.to_string());
            assert!(written.awaited_by(posts).0.len() < POSITIONS_MAX);
        }
        assert!(written.awaited_by(posts).joined().ends_with("98.99"), "the newest stay");
    }
}
