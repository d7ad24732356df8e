//! Follows, blocks, mutes and their counters: one pass user by user, and naming the wrong rows of cells that differ. The
//! list of users that have set marks on a user is compared apart ([`marks`]).

mod by_user;
pub(super) mod marks;
mod naming;

use super::cells::FollowCells;
use super::findings::Findings;
use crate::engine::EngineResult;
use crate::progress::ProgressMeter;
use crate::view::View;
use guanxi_ports::HeatCell;
use naming::Mending;

/// How many rows were compared.
#[derive(Clone, Copy, Default)]
pub(super) struct ComparedRelations {
    pub forward: u64,
    pub reverse: u64,
    pub counters: u64,
    pub mutual: u64,
    pub marks: u64,
}

/// Checks all relations of a view: compares the tables that speak of the same edges. It also returns the heat map of follows.
pub(super) fn check(
    view: &View,
    seed: u64,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<(ComparedRelations, Vec<HeatCell>, Findings)> {
    let mut cells = FollowCells::new(seed);
    let (compared, mut findings) = by_user::compare(view, &Mending::default(), Some(&mut cells), meter)?;
    let (heat, cells) = (cells.heat(), cells.cells);
    let wrong = cells.differing();
    if wrong.is_empty() {
        return Ok((compared, heat, findings));
    }
    let (named, mending) = naming::name(view, &cells, &wrong, meter)?;
    let mut findings = match mending {
        Some(mending) if !mending.is_empty() => {
            meter.expect(compared.forward + compared.reverse);
            by_user::compare(view, &mending, None, meter)?.1
        }
        Some(_) => findings,
        // With so much damage nothing but the reverse table is known to be wrong: counters and marks were compared with that.
        None => {
            findings.mends_nothing();
            findings
        }
    };
    findings.append(named);
    Ok((compared, heat, findings))
}
