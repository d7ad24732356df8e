//! Searching users.

use super::IndexStore;
use crate::UserDocs;
use guanxi_model::{Result, Uid};
use guanxi_ports::search::{FoundRows, UserColumn, UserRowAsk, UserTable};
use guanxi_ports::{BoxFuture, FoundUsers, UserAsk, UserSearch};

impl UserSearch for IndexStore<UserDocs> {
    fn search_users<'a>(&'a self, ask: UserAsk<'a>) -> BoxFuture<'a, Result<FoundUsers>> {
        let UserAsk { query, typed, asks, among, max } = ask;
        let (query, typed) = (query.clone(), typed.to_owned());
        let among: Option<Vec<Uid>> = among.map(<[Uid]>::to_vec);
        Box::pin(self.asked(move |index| {
            let among = among.as_deref();
            index.search(&UserAsk { query: &query, typed: &typed, asks, among, max })
        }))
    }
}

impl UserTable for IndexStore<UserDocs> {
    fn user_rows(&self, walk: Option<u64>, ask: UserRowAsk) -> BoxFuture<'_, Result<FoundRows<UserColumn>>> {
        Box::pin(self.rows_of(walk, ask, |index, _, texts| Ok(index.row_query(texts))))
    }
}
