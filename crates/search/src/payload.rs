//! What a commit says beside its documents: the format, the analyser, and the position that they stand at.

use crate::Unusable;
use guanxi_model::{HistoryId, Position};

/// The format of the documents, of the fields and of this payload. A change makes indexes be built anew.
const FORMAT: u32 = 3;

/// What every payload begins with.
const NAME: &str = "guanxi-search";

/// The payload of a commit. The position has the history in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    /// The version of the analyser.
    pub(crate) analyser: u32,
    /// Events up to here are in the documents.
    pub(crate) position: Position,
    /// Up to where counters are those of the facts, if that is before the position.
    pub(crate) counters: Option<Position>,
}

impl Payload {
    /// The text that is kept with a commit.
    pub(crate) fn to_text(&self) -> String {
        let Self { analyser, position, counters } = self;
        let counters = counters.as_ref().map(Position::to_token);
        let counters = counters.map(|token| format!(" counters={token}")).unwrap_or_default();
        format!("{NAME} format={FORMAT} analyser={analyser} position={}{counters}", position.to_token())
    }

    /// The format of a text, if it is later than this program's.
    pub(crate) fn later_format(text: &str) -> Option<u32> {
        let (format, _) = text.strip_prefix(NAME)?.strip_prefix(" format=")?.split_once(' ')?;
        format.parse().ok().filter(|format| *format > FORMAT)
    }

    /// Reads the text of a commit back, and refuses what is not of this format, this analyser and this history.
    pub(crate) fn read(text: &str, analyser: u32, history: HistoryId) -> Result<Self, Unusable> {
        let broken = || Unusable::Damaged("its last commit is none of this program".to_owned());
        let (format, rest) = text
            .strip_prefix(NAME)
            .and_then(|rest| rest.strip_prefix(" format="))
            .and_then(|rest| rest.split_once(' '))
            .ok_or_else(broken)?;
        if let Some(later) = Self::later_format(text) {
            return Err(Unusable::NewerFormat(later));
        }
        if format.parse() != Ok(FORMAT) {
            return Err(broken());
        }
        let (version, token) = rest
            .strip_prefix("analyser=")
            .and_then(|rest| rest.split_once(" position="))
            .ok_or_else(broken)?;
        let version = version.parse::<u32>().map_err(|_| broken())?;
        let (token, counters) = match token.split_once(" counters=") {
            Some((token, counters)) => (token, Some(counters)),
            None => (token, None),
        };
        let read = |token: &str| Position::from_token(token).map_err(|_| broken());
        let (position, counters) = (read(token)?, counters.map(read).transpose()?);
        if position.history() != history {
            return Err(Unusable::OtherHistory(position.history()));
        }
        if version != analyser {
            return Err(Unusable::OtherAnalyser(version));
        }
        Ok(Self { analyser, position, counters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{LogId, LogMark};

    const HISTORY: HistoryId = HistoryId(0x1122_3344_5566_7788);

    #[test]
    fn the_text_of_a_commit_stays_as_it_is() {
        let one = Payload { analyser: 7, position: Position::one(HISTORY, 41), counters: None };
        let marks = [(LogId(3), LogMark { seen: 500, acted: 0 }), (LogId(9), LogMark { seen: 7, acted: 6 })];
        let sparse = Payload { analyser: 7, position: Position::sparse(HISTORY, marks), counters: None };
        let owing = Payload { counters: Some(Position::one(HISTORY, 40)), ..one.clone() };
        let texts = [one, sparse, owing].map(|payload| {
            assert_eq!(Payload::read(&payload.to_text(), 7, HISTORY), Ok(payload.clone()));
            payload.to_text()
        });
        assert_eq!(
            texts,
            [
                "guanxi-search format=3 analyser=7 position=AQERIjNEVWZ3iAAAAAAAAAAAKaKBsdo",
                "guanxi-search format=3 analyser=7 position=AQQRIjNEVWZ3iAPoBwkPAWsDO5c",
                "guanxi-search format=3 analyser=7 position=AQERIjNEVWZ3iAAAAAAAAAAAKaKBsdo \
                 counters=AQERIjNEVWZ3iAAAAAAAAAAAKMK2RlM",
            ]
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_reason() {
        let text = Payload { analyser: 7, position: Position::one(HISTORY, 41), counters: None }.to_text();
        let read = |text: &str| Payload::read(text, 7, HISTORY).unwrap_err();
        assert_eq!(
            Payload::read(&text, 7, HistoryId(1)),
            Err(Unusable::OtherHistory(HISTORY)),
            "another history counts before another analyser"
        );
        assert_eq!(Payload::read(&text, 8, HISTORY), Err(Unusable::OtherAnalyser(7)));
        assert_eq!(read("guanxi-search format=4 what is to come"), Unusable::NewerFormat(4));
        let broken =
            ["", "guanxi-search", "another format=3 ", "guanxi-search format=1 analyser=7 position="];
        for text in broken.into_iter().chain([&text[..text.len() - 1], &text.replace('7', "x")]) {
            assert!(matches!(read(text), Unusable::Damaged(_)), "{text}");
        }
    }
}
