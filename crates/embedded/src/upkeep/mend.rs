//! Mending what a comparison finds, while the store serves.
//!
//! A round compares all rows of one view, and has the writer derive the wrong ones anew, some at a time. Rounds go on until a comparison
//! names nothing that can be mended, or a round mends nothing.

use super::verify;
use crate::progress::ProgressMeter;
use crate::store::EmbeddedStore;
use crate::writer::MendTarget;
use guanxi_model::Result;
use guanxi_ports::{MendProgress, MendReport, MendStage, Progress, VerifyReport};

/// Rounds of one mend: each of them names up to [`TARGETS_MAX`](verify::TARGETS_MAX) rows.
const ROUNDS_MAX: u32 = 1_000;

/// What the writer does for one batch, counted in rows that it reads or writes at least.
const BATCH_COST: usize = 256;

/// What a user costs of whom all follows are read.
const USER_COST: usize = 32;

/// Mends all that can be mended.
pub(super) fn mend(store: &EmbeddedStore, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
    let (mut found, mut mended, mut round) = (None, 0, 0);
    loop {
        let (left, targets) = compare(store, mended, progress)?;
        let found = *found.get_or_insert(left.differences_total);
        round += 1;
        if targets.is_empty() || round == ROUNDS_MAX {
            return Ok(MendReport { found, mended, left });
        }
        let before = mended;
        let total = targets.len() as u64;
        let mut done = 0;
        for batch in batches(&targets) {
            mended += store.mend_rows(batch.to_vec())?;
            done += batch.len() as u64;
            progress(MendProgress { stage: MendStage::Mending, progress: Progress { done, total }, mended });
        }
        if mended == before {
            return Ok(MendReport { found, mended, left });
        }
    }
}

fn compare(
    store: &EmbeddedStore,
    mended: u64,
    progress: &mut dyn FnMut(MendProgress),
) -> Result<(VerifyReport, Vec<MendTarget>)> {
    let shared = store.shared();
    let view = shared.published.pin();
    let mut tell =
        |progress_now| progress(MendProgress { stage: MendStage::Comparing, progress: progress_now, mended });
    let mut meter = ProgressMeter::new(verify::expected_rows(&shared.engine), &mut tell);
    Ok(verify::verify(&view, shared.position(view.seq), &mut meter)?)
}

/// Cuts rows into batches of about the same cost. Rows of one user come together.
fn batches(mut targets: &[MendTarget]) -> impl Iterator<Item = &[MendTarget]> {
    std::iter::from_fn(move || {
        let (mut cost, mut last) = (0, None);
        let fits = targets.iter().take_while(|target| {
            let user = target.user();
            cost += if user.is_some() && user != last { USER_COST } else { 1 };
            last = user.or(last);
            cost <= BATCH_COST
        });
        let (batch, rest) = targets.split_at(fits.count());
        targets = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_all_rows_and_are_bounded_by_what_they_cost() {
        let marks = (1..=600).map(|n| MendTarget::mutual(7, n));
        let counters = (1..=20).map(|n| MendTarget::counters(n, (1, 0)));
        let targets: Vec<MendTarget> = marks.chain(counters).flatten().collect();
        let cut: Vec<&[MendTarget]> = batches(&targets).collect();
        assert_eq!(cut.concat(), targets);
        assert!(cut[0].len() == BATCH_COST - USER_COST + 1, "{}", cut[0].len());
        assert_eq!(cut.last().unwrap().len(), 2, "users are read whole, some at a time");
    }
}
