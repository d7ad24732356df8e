//! What a check has compared and found so far.

use buffa::Enumeration as _;
use guanxi_proto::v1;
use guanxi_proto::v1::verify_response::Step;
use maud::{Markup, html};

use crate::limits::{FINDINGS_MAX, HEAT_GROUPS};
use crate::parts::{deed, number};
use crate::picture::{HeatWords, Square, heat};
use crate::texts::Text;
use crate::visit::Visit;

/// What a check has compared and found so far.
#[derive(Default)]
pub(super) struct Tally {
    /// How far it is, of how much.
    progress: Option<(u64, u64)>,
    compared: u64,
    /// All differences.
    found: u64,
    /// The first ones of them.
    findings: Vec<Markup>,
    /// Follows by groups of genes.
    heat: Vec<v1::HeatCell>,
    /// Whether a repair may mend what was found.
    mends: bool,
}

impl Tally {
    /// Takes a message about stored rows.
    pub(super) fn facts(&mut self, _: &Visit, message: &v1::VerifyResponse) {
        match &message.step {
            Some(Step::Progress(now)) => self.progress = Some((now.done, now.total)),
            Some(Step::Report(report)) => {
                let compared = [report.forward, report.reverse, report.counters, report.posts, report.likes];
                self.compared = compared.into_iter().flatten().sum();
                self.found = report.differences_total.unwrap_or(0);
                self.findings = report.differences.iter().take(FINDINGS_MAX).map(difference).collect();
                self.heat.clone_from(&report.heat);
                self.mends = self.found > 0;
            }
            None => {}
        }
    }

    /// Takes the comparison of a home.
    pub(super) fn homes(&mut self, visit: &Visit, home: &v1::VerifyFeedResponse) {
        self.progress = home.progress.as_option().map(|now| (now.done, now.total)).or(self.progress);
        self.compared += home.items.unwrap_or(0);
        let of = [
            (&home.missing, Text::PostMissing),
            (&home.unexpected, Text::PostUnexpected),
            (&home.misplaced, Text::PostMisplaced),
        ];
        for (post, text) in
            of.into_iter().flat_map(|(posts, text)| posts.iter().map(move |post| (*post, text)))
        {
            self.finds(|| {
                html! {
                    a href={ "/user/" (home.viewer) "/home" } { (visit.look.fill(Text::HomeOf, &[&home.viewer])) }
                    @if home.group_id != 0 { " " (visit.look.fill(Text::VisibleGroup, &[&home.group_id])) }
                    ": " a href={ "/post/" (post) } { (post) } " " (visit.say(text))
                }
            });
        }
    }

    /// Takes the comparison of some documents.
    pub(super) fn search(&mut self, _: &Visit, some: &v1::VerifySearchResponse) {
        self.compared += some.compared;
        for finding in &some.findings {
            self.finds(|| {
                html! {
                    code { (finding.kind.as_known().map_or("", |kind| kind.proto_name())) } " "
                    @if finding.uid != 0 { a href={ "/user/" (finding.uid) } { (finding.uid) } }
                    @if finding.post_id != 0 { a href={ "/post/" (finding.post_id) } { (finding.post_id) } }
                    " " (finding.field)
                }
            });
        }
    }

    fn finds(&mut self, draw: impl FnOnce() -> Markup) {
        self.found += 1;
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(draw());
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, visit: &Visit, is_over: bool) -> Markup {
        html! {
            @if !is_over {
                p { @match self.progress {
                    Some((done, total)) => {
                        progress max=(total.max(1)) value=(done) aria-label=(visit.say(Text::Progress)) {}
                        " " (visit.look.fill(Text::ShownOf, &[&number(done), &number(total)]))
                    }
                    None => { (visit.look.fill(Text::ComparedSoFar, &[&number(self.compared)])) }
                } }
            } @else if self.found == 0 {
                p.fine { (visit.look.fill(Text::CheckClean, &[&number(self.compared)])) }
            }
            @if self.found > 0 {
                p.wrong { (visit.look.fill(Text::CheckFinds, &[&number(self.found)])) }
                ol { @for finding in &self.findings { li { (finding) } } }
                @if self.found > self.findings.len() as u64 {
                    p.soft { (visit.look.fill(Text::ShownOf, &[&self.findings.len(), &number(self.found)])) }
                }
            }
            @if self.mends { (deed(visit, "/consistency/mend", Text::MendNow)) }
            @if !self.heat.is_empty() { (heat_map(visit, &self.heat)) }
        }
    }
}

/// The heat map of follows between groups of genes.
fn heat_map(visit: &Visit, cells: &[v1::HeatCell]) -> Markup {
    let differ = cells.iter().filter(|cell| !cell.agrees).count();
    let square = |cell: &v1::HeatCell| {
        let (subjects, objects) = (format!("{:x}", cell.subjects), format!("{:x}", cell.objects));
        let (forward, reverse) = (number(cell.forward), number(cell.reverse));
        let text = if cell.agrees { Text::HeatAgrees } else { Text::HeatDiffers };
        let words = if cell.agrees {
            visit.look.fill(text, &[&subjects, &objects, &forward])
        } else {
            visit.look.fill(text, &[&subjects, &objects, &forward, &reverse])
        };
        let (row, column) = (cell.subjects as usize, cell.objects as usize);
        Square { row, column, sides: (cell.forward, cell.reverse), agrees: cell.agrees, words }
    };
    let is_there = |cell: &&v1::HeatCell| cell.subjects.max(cell.objects) < HEAT_GROUPS as u32;
    let squares: Vec<Square> = cells.iter().filter(is_there).map(square).collect();
    let label = visit.look.fill(Text::HeatLabel, &[&squares.len(), &differ]);
    let words = HeatWords {
        label: &label,
        numbers: visit.say(Text::HeatNumbers),
        caption: visit.say(Text::HeatCaption),
    };
    html! {
        h3 { (visit.say(Text::HeatTitle)) }
        p { (label) }
        (heat(HEAT_GROUPS, &squares, &words))
    }
}

/// A difference between stored rows.
pub(super) fn difference(of: &v1::Difference) -> Markup {
    html! {
        code { (of.kind.as_known().map_or("", |kind| kind.proto_name())) }
        @for uid in [of.subject, of.object].into_iter().filter(|uid| *uid != 0) {
            " " a href={ "/user/" (uid) } { (uid) }
        }
        " " span dir="auto" { (of.detail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_findings_are_kept_than_are_shown_and_all_are_counted() {
        let mut tally = Tally::default();
        for _ in 0..=FINDINGS_MAX {
            tally.finds(|| html! { "x" });
        }
        assert_eq!((tally.found, tally.findings.len()), (FINDINGS_MAX as u64 + 1, FINDINGS_MAX));
    }

    #[test]
    fn what_a_difference_says_is_text() {
        let of = v1::Difference {
            kind: v1::difference::Kind::REVERSE_MISSING.into(),
            subject: 7,
            object: 0,
            detail: "<script>".to_owned(),
        };
        let drawn = difference(&of).into_string();
        assert!(drawn.contains("REVERSE_MISSING") && drawn.contains("href=\"/user/7\""), "{drawn}");
        assert!(!drawn.contains("<script>") && !drawn.contains("/user/0"), "{drawn}");
    }
}
