//! Pages of long lists: from memory where it holds them, else from the tables.

use super::PinnedView;
use crate::engine::{EngineResult, Snapshot};
use crate::rows::ListPart;
use guanxi_memory::cache::CacheKey;
use guanxi_memory::first_pages::{FILL_LEN, FirstPages, Held, ListPlace};
use guanxi_model::Result;

impl PinnedView {
    /// Returns up to `max` entries of a list after one. `standing` counts the entries of the whole list; `scan` reads a
    /// part of it from the tables.
    ///
    /// A removed entry costs a scan as much as a present one, since the engine walks its tombstones. So a first page is
    /// kept, and a scan that reached the end of the list notes where that is.
    pub(super) fn entries<K, P, I>(
        &self,
        list: &FirstPages<K, P>,
        of: K,
        (after, max): (Option<P>, usize),
        standing: impl FnOnce() -> Result<u64>,
        scan: impl Fn(&Snapshot, K, ListPart<P>) -> I,
    ) -> Result<Vec<P>>
    where
        K: CacheKey,
        P: ListPlace,
        I: Iterator<Item = EngineResult<P>>,
    {
        let view = self.view();
        let mut floor = match list.page(of, view, after, max) {
            Held::All(known) => return Ok(known),
            Held::Floor(floor) => floor,
        };
        let standing = usize::try_from(standing()?).unwrap_or(usize::MAX);
        if standing == 0 {
            return Ok(Vec::new());
        }
        // A larger page is worth keeping, too, if it is the whole list: the fan-out asks for such.
        if after.is_none() && (max <= FILL_LEN || standing <= FILL_LEN) {
            self.keep_first_page(list, of, &scan)?;
            floor = match list.page(of, view, after, max) {
                Held::All(known) => return Ok(known),
                Held::Floor(floor) => floor,
            };
        }
        if after.zip(floor).is_some_and(|(after, floor)| after <= floor) {
            return Ok(Vec::new());
        }
        let found = scan(&view.snapshot, of, ListPart { after, floor }).take(max.min(standing));
        let found: Vec<P> = found.collect::<EngineResult<_>>()?;
        if found.len() < max
            && let Some(last) = found.last().copied().or(after)
        {
            list.note_floor(of, view, last);
        }
        Ok(found)
    }

    /// Reads the newest entries at a fresh snapshot and keeps them for the next reader.
    fn keep_first_page<K, P, I>(
        &self,
        list: &FirstPages<K, P>,
        of: K,
        scan: &impl Fn(&Snapshot, K, ListPart<P>) -> I,
    ) -> Result<()>
    where
        K: CacheKey,
        P: ListPlace,
        I: Iterator<Item = EngineResult<P>>,
    {
        let fill = list.begin_fill(of);
        let snapshot = self.shared.engine.snapshot();
        let as_of = self.shared.committing.seq();
        let places = scan(&snapshot, of, ListPart::ALL).take(FILL_LEN + 1).collect::<EngineResult<_>>()?;
        fill.keep(places, as_of);
        Ok(())
    }
}
