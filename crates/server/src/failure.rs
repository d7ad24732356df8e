//! How a verb fails: one line for people, and an exit code for programs.

use guanxi_model::with_causes;
use std::error::Error;
use std::fmt::{self, Display};
use std::process::ExitCode;

/// Exit code of a failure.
const EXIT_FAILURE: u8 = 1;
/// Exit code of a wrong command line or configuration.
const EXIT_USAGE: u8 = 2;
/// Exit code of a verification that found differences.
pub const EXIT_DIFFERENCES: u8 = 3;
/// Exit code of an import that refused every line, or more than it may.
const EXIT_REFUSED: u8 = 3;

/// A verb that could not do what it was asked for.
#[derive(Debug)]
pub struct Failure {
    exit: u8,
    text: String,
}

/// The result of a verb.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// Something went wrong; the text says what, and what to do.
    pub fn new(text: impl Display) -> Self {
        Self { exit: EXIT_FAILURE, text: text.to_string() }
    }

    /// The command line or the configuration is wrong.
    pub fn usage(text: impl Display) -> Self {
        Self { exit: EXIT_USAGE, text: text.to_string() }
    }

    /// An import that refused more than it may.
    pub fn refused(text: impl Display) -> Self {
        Self { exit: EXIT_REFUSED, text: text.to_string() }
    }

    /// Puts what was being done in front.
    #[must_use]
    pub fn while_doing(self, what: impl Display) -> Self {
        Self { text: format!("{what}: {}", self.text), ..self }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(self, what: impl Display) -> Self {
        Self { text: format!("{}; {what}", self.text), ..self }
    }

    /// The exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Causes may bring line breaks of their own; one failure is one line.
        for (n, line) in self.text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
            write!(f, "{}{line}", if n == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// An error becomes a failure with its chain of causes.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(with_causes(&error))
    }
}

/// Names what was being done when an error came up.
pub trait Context<T> {
    /// The failure is `what: cause: cause`.
    fn context(self, what: impl Display) -> Outcome<T>;
}

impl<T, E: Into<Failure>> Context<T> for Result<T, E> {
    fn context(self, what: impl Display) -> Outcome<T> {
        self.map_err(|error| error.into().while_doing(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[derive(Debug, thiserror::Error)]
    #[error("the store cannot be opened")]
    struct Outer(#[source] io::Error);

    #[test]
    fn a_failure_is_one_line_with_its_causes() {
        let failed: Result<(), _> = Err(Outer(io::Error::other("disk on\nfire")));
        let failure = failed.context("serve").unwrap_err().hint("put it out");
        assert_eq!(failure.to_string(), "serve: the store cannot be opened: disk on fire; put it out");
    }
}
