//! Posts without their content.

use crate::engine::EngineResult;
use crate::rows;
use crate::shared::Shared;
use crate::view::View;
use guanxi_memory::headers::KnownHeaders;
use guanxi_model::{PostHeader, PostId};

impl Shared {
    /// Each post as of a view, in order; `None` for one that does not exist there. Only what memory cannot tell is read from
    /// the table.
    pub(crate) fn headers_at(&self, ids: &[PostId], view: &View) -> EngineResult<Vec<Option<PostHeader>>> {
        let KnownHeaders { mut headers, unknown, mut newer } = self.headers.at(ids, view);
        if !unknown.is_empty() {
            let asked: Vec<PostId> = unknown.iter().map(|index| ids[*index]).collect();
            for (index, loaded) in unknown.into_iter().zip(self.fill_headers(&asked)?) {
                match loaded {
                    Some((header, changed)) if changed <= view.seq => headers[index] = Some(header),
                    Some(_) => newer.push(index),
                    // Posts are never removed, so an older view has it as little.
                    None => {}
                }
            }
        }
        for index in newer {
            headers[index] = rows::posts::header(&view.snapshot, ids[index])?.map(|(header, _)| header);
        }
        Ok(headers)
    }

    /// Reads headers at one fresh snapshot, with the event that last changed each, and keeps them.
    fn fill_headers(&self, ids: &[PostId]) -> EngineResult<Vec<Option<(PostHeader, u64)>>> {
        let fills = self.headers.begin_fills(ids);
        let snapshot = self.engine.snapshot();
        let read: Vec<Option<(PostHeader, u64)>> =
            ids.iter().map(|id| rows::posts::header(&snapshot, *id)).collect::<EngineResult<_>>()?;
        fills.keep(&read);
        Ok(read)
    }
}
