//! Why a JWT is refused: a closed list, for callers, metrics and tests.

use guanxi_model::{Error, Reason};

guanxi_model::kinds! {
    /// The problem of a token. It has nothing of the token itself, so that it can be logged and shown. Each name
    /// is one of `guanxi_model::error::FIELDS`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Problem: name {
        /// It is longer than any token may be.
        Long = "too_long",
        /// It is no JWT that is signed.
        Malformed = "malformed",
        /// It is signed in a way that is not accepted, or not by the key that it names.
        Algorithm = "algorithm",
        /// The key that it names is not known.
        Key = "key",
        /// The key that it names has not signed it.
        Signature = "signature",
        /// It lacks `exp`, `iat` or `sub`, or one of its claims cannot be read.
        Claims = "claims",
        /// It is from another issuer.
        Issuer = "issuer",
        /// It is for another audience.
        Audience = "audience",
        /// Its time has passed.
        Expired = "expired",
        /// Its time has not come.
        Early = "not_yet_valid",
        /// It is valid for longer than tokens may be.
        Life = "lives_too_long",
        /// Its `sub` is no id of the kind that is set up.
        Subject = "subject",
        /// Its `sub` is an external id that the dictionary does not know.
        UnknownSubject = "unknown_subject",
        /// The session behind it has been ended: its user signed out everywhere, or is gone.
        Ended = "ended",
    }
}

impl Problem {
    /// Returns the text for people.
    const fn words(self) -> &'static str {
        match self {
            Self::Long => "it is longer than the limit; leave out claims that this server does not need",
            Self::Malformed => "it is no JWT with three parts, or its header has no `alg`, or has a `crit`",
            Self::Algorithm => {
                "its `alg` is not one of RS256, ES256, EdDSA and HS256, or not that of the key it names"
            }
            Self::Key => "its key is unknown to this server, which reads new keys within seconds; try again",
            Self::Signature => "its signature is not that of the key it names",
            Self::Claims => "it lacks `exp`, `iat` or `sub`, or one of its claims cannot be read",
            Self::Issuer => "its `iss` is not the configured issuer",
            Self::Audience => "its `aud` does not have the configured audience",
            Self::Expired => "it has expired; get a newer one",
            Self::Early => "its `nbf` or `iat` is in the future; compare the clocks",
            Self::Life => "its time from `iat` to `exp` is longer than this server allows",
            Self::Subject => "its `sub` is no user id of the configured kind",
            Self::UnknownSubject => {
                "its `sub` is an id that no user has yet: a service must make the user with ResolveIds and `create`, \
                 before it hands the token out"
            }
            Self::Ended => "its user has been signed out since it was issued; sign in again",
        }
    }

    /// Returns the text for people about the problem of a name.
    pub(crate) fn words_of(name: &str) -> &'static str {
        Self::of_name(name).map_or("", Self::words)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::new(Reason::TokenRefused { problem: problem.name() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_a_name_that_survives_the_wire_and_words() {
        for problem in Problem::ALL {
            let name = problem.name();
            assert!(guanxi_model::error::FIELDS.contains(&name), "{name} is not in FIELDS");
            assert_eq!(Problem::words_of(name), problem.words());
            assert_eq!(Problem::ALL.iter().filter(|other| other.name() == name).count(), 1);
        }
        assert_eq!(Problem::words_of("else"), "");
    }
}
