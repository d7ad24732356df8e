//! A wrapper that refuses writes, and rows of imports, about uids that the policy does not admit.
//!
//! [`UidPolicy`] says which uids this server mints and which ones callers may choose. It is stored with the data and agreed when
//! the data is opened. The check is arithmetic alone and reads nothing; the usual policy needs no check.

use crate::{Applied, BoxFuture, Facts, ListAnswer, ListAsk, Store, StoreView};
use guanxi_model::user::UidPolicy;
use guanxi_model::{EventAt, Position, Relation, Result, Uid, Write};
use std::future::ready;

/// A port whose writes name only uids that a policy admits: see [`Write::admitted`]. It asks no store, and of a policy that
/// admits all nothing at all.
pub struct CheckedUids<P> {
    inner: P,
    policy: UidPolicy,
}

impl<P> CheckedUids<P> {
    /// Checks the writes of a port.
    pub const fn new(inner: P, policy: UidPolicy) -> Self {
        Self { inner, policy }
    }
}

impl<P: Facts> Facts for CheckedUids<P> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        match write.admitted(self.policy) {
            Ok((write, left_out)) if left_out.is_empty() => self.inner.apply(write),
            Ok((write, left_out)) => Box::pin(async move {
                let Applied { position, outcomes } = self.inner.apply(write).await?;
                Ok(Applied { position, outcomes: left_out.put_back(outcomes) })
            }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }
}

impl<P: Store> Store for CheckedUids<P> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.inner.view(at_least)
    }

    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.inner.page_view(at_least)
    }

    fn relations<'a>(
        &'a self,
        subject: Uid,
        objects: &'a [Uid],
        at_least: Option<&'a Position>,
    ) -> BoxFuture<'a, Result<(Vec<Relation>, Position)>> {
        self.inner.relations(subject, objects, at_least)
    }

    fn list<'a>(&'a self, ask: ListAsk, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<ListAnswer>> {
        self.inner.list(ask, at_least)
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.inner.is_applied(uid, at)
    }
}
