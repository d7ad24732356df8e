//! The users whom many users follow: put together from their lists, since the API answers only what is made of that.

use super::view::RemoteView;
use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::{List, Page, PageStart, Result, Uid};
use guanxi_ports::{FollowedCounts, FollowsAsk};
use std::collections::BTreeMap;

impl RemoteView {
    pub(crate) async fn followed_by(
        &self,
        ask: FollowsAsk<'_>,
        follows_max: usize,
    ) -> Result<FollowedCounts> {
        let (mut counts, mut looked_at, mut subjects) = (BTreeMap::<Uid, u32>::new(), 0, 0);
        for subject in ask.subjects {
            let followed = self.newest_followed(*subject, ask.newest).await?;
            looked_at += followed.len();
            if looked_at > follows_max {
                break;
            }
            followed.into_iter().for_each(|uid| *counts.entry(uid).or_default() += 1);
            subjects += 1;
        }
        Ok(FollowedCounts { users: counts.into_iter().collect(), subjects })
    }

    pub(crate) async fn followers_among(
        &self,
        ask: FollowsAsk<'_>,
        objects: &[Uid],
    ) -> Result<Vec<Vec<u32>>> {
        let mut found = vec![Vec::new(); objects.len()];
        for (place, subject) in (0..).zip(ask.subjects) {
            let followed = self.newest_followed(*subject, ask.newest).await?;
            let all = objects.iter().zip(&mut found);
            all.filter(|(object, _)| followed.contains(object)).for_each(|(_, found)| found.push(place));
        }
        Ok(found)
    }

    /// Returns the users whom a user follows, of the newest so many.
    async fn newest_followed(&self, uid: Uid, newest: usize) -> Result<Vec<Uid>> {
        let (mut followed, mut start) = (Vec::new(), PageStart::Newest);
        loop {
            let page = Page::new(start, i32::try_from(PAGE_SIZE_MAX).unwrap_or(i32::MAX))?;
            let page = self.list_of(uid, List::Following, page).await?;
            followed.extend(page.items.iter().map(|edge| edge.uid));
            match page.next {
                Some(next) if followed.len() < newest => start = PageStart::After(next),
                _ => break,
            }
        }
        followed.truncate(newest);
        Ok(followed)
    }
}
