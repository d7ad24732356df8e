//! Searching posts.

use super::IndexStore;
use crate::{Expr, PostDocs};
use guanxi_model::Result;
use guanxi_ports::{BoxFuture, Circle, FoundPosts, PostAsk, PostSearch};

impl PostSearch for IndexStore<PostDocs> {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        let PostAsk { query, author, replies, from, below, circle, max } = ask;
        let query = Expr::from(query);
        let (authors, is_all) = match circle {
            Circle::Public => (None, false),
            Circle::Of(authors) => (Some(authors.to_vec()), false),
            Circle::All => (None, true),
        };
        Box::pin(self.asked(move |index| {
            let circle = match &authors {
                Some(authors) => Circle::Of(authors),
                None if is_all => Circle::All,
                None => Circle::Public,
            };
            index.search(&PostAsk { query, author, replies, from, below, circle, max })
        }))
    }
}
