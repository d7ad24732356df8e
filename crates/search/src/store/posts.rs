//! Searching posts.

use super::IndexStore;
use crate::{Expr, PostDocs};
use guanxi_model::{Result, Uid};
use guanxi_ports::search::{FoundRows, PostColumn, PostRowAsk, PostTable};
use guanxi_ports::{BoxFuture, Circle, FoundPosts, PostAsk, PostSearch};

impl PostSearch for IndexStore<PostDocs> {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        let ask = OwnAsk::of(&ask);
        Box::pin(self.asked(move |index| index.search(&ask.borrowed())))
    }

    fn best<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        let ask = OwnAsk::of(&ask);
        Box::pin(self.asked(move |index| {
            let best = index.search_best(&ask.borrowed(), ask.ask.max)?;
            let ids = best.hits.into_iter().map(|(_, id)| id).collect();
            Ok(FoundPosts { ids, next: None, looked: best.looked, as_of: best.as_of })
        }))
    }
}

impl PostTable for IndexStore<PostDocs> {
    fn post_rows(&self, walk: Option<u64>, ask: PostRowAsk) -> BoxFuture<'_, Result<FoundRows<PostColumn>>> {
        Box::pin(self.rows_of(walk, ask, |index, pinned, texts| {
            texts.as_ref().map(|texts| index.row_query(pinned, &Expr::from(texts))).transpose()
        }))
    }
}

/// A question that another thread answers.
struct OwnAsk {
    /// Its circle is [`Circle::Public`] where there are authors.
    ask: PostAsk<'static, Expr>,
    authors: Option<Vec<Uid>>,
}

impl OwnAsk {
    fn of(ask: &PostAsk<'_>) -> Self {
        let PostAsk { query, author, replies, from, below, circle, max } = *ask;
        let (circle, authors) = match circle {
            Circle::Public => (Circle::Public, None),
            Circle::Of(authors) => (Circle::Public, Some(authors.to_vec())),
            Circle::All => (Circle::All, None),
        };
        let query = Expr::from(query);
        Self { ask: PostAsk { query, author, replies, from, below, circle, max }, authors }
    }

    fn borrowed(&self) -> PostAsk<'_, Expr> {
        let circle = self.authors.as_deref().map_or(self.ask.circle, Circle::Of);
        PostAsk { circle, ..self.ask.clone() }
    }
}
