//! What was looked at while traces were played.

use guanxi_centers::feed::Source;
use std::ops::AddAssign;

/// Authors that a steady first page may pull beside its inbox.
const PULLED_FEW: u32 = 3;

/// Counts of one or many played traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Traces, each against one subject.
    pub played: u64,
    /// Steps.
    pub steps: u64,
    /// Writes that changed something.
    pub writes: u64,
    /// Deleted users of whom everything was removed.
    pub erased: u64,
    /// Requests, mutes and waits that a job of the server ended.
    pub ended: u64,
    /// Those that it would have ended, and that something came before.
    pub overtaken: u64,
    /// Pages of home compared with the definition.
    pub pages: u64,
    /// Items on them.
    pub items: u64,
    /// Items of groups' timelines compared with the definition.
    pub grouped: u64,
    /// Other answers compared: polls, streams, counts, lists, explanations.
    pub others: u64,
    /// Items that a page should have had and had not.
    pub missing: u64,
    /// Items that a walk had twice.
    pub repeated: u64,
    /// Items shown across a block.
    pub leaked: u64,
    /// First pages that began in an inbox.
    pub from_inbox: u64,
    /// Authors pulled beside those inboxes.
    pub pulled: u64,
    /// First pages that were pulled whole.
    pub from_pull: u64,
    /// First pages under push of readers whose relations were as at their last visit, with the fan-out caught up.
    pub steady: u64,
    /// Those of them that began in an inbox, with at most three authors pulled.
    pub steady_from_inbox: u64,
}

impl Counts {
    /// Counts a first page.
    pub fn first_page(&mut self, source: Source, steady: bool) {
        self.steady += u64::from(steady);
        match source {
            Source::Pull => self.from_pull += 1,
            Source::Inbox { pulled } => {
                self.from_inbox += 1;
                self.pulled += u64::from(pulled);
                self.steady_from_inbox += u64::from(steady && pulled <= PULLED_FEW);
            }
        }
    }

    /// Names and values, for reports.
    pub const fn rows(&self) -> [(&'static str, u64); 18] {
        [
            ("played", self.played),
            ("steps", self.steps),
            ("writes", self.writes),
            ("erased", self.erased),
            ("ended", self.ended),
            ("overtaken", self.overtaken),
            ("pages", self.pages),
            ("items", self.items),
            ("grouped", self.grouped),
            ("others", self.others),
            ("missing", self.missing),
            ("repeated", self.repeated),
            ("leaked", self.leaked),
            ("from_inbox", self.from_inbox),
            ("pulled", self.pulled),
            ("from_pull", self.from_pull),
            ("steady", self.steady),
            ("steady_from_inbox", self.steady_from_inbox),
        ]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let Self {
            played,
            steps,
            writes,
            erased,
            ended,
            overtaken,
            pages,
            items,
            grouped,
            others,
            missing,
            repeated,
            leaked,
            from_inbox,
            pulled,
            from_pull,
            steady,
            steady_from_inbox,
        } = other;
        self.played += played;
        self.steps += steps;
        self.writes += writes;
        self.erased += erased;
        self.ended += ended;
        self.overtaken += overtaken;
        self.pages += pages;
        self.items += items;
        self.grouped += grouped;
        self.others += others;
        self.missing += missing;
        self.repeated += repeated;
        self.leaked += leaked;
        self.from_inbox += from_inbox;
        self.pulled += pulled;
        self.from_pull += from_pull;
        self.steady += steady;
        self.steady_from_inbox += steady_from_inbox;
    }
}
