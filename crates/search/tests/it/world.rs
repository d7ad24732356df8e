//! Documents in a map, and what they say by a plain look at their words.

use guanxi_model::post::PostStats;
use guanxi_model::user::Sex;
use guanxi_model::{Counts, HistoryId, Position, PostId, Uid};
use guanxi_ports::search::{Audience, PostForm, PostState, UserState};
use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc, UserDoc};
use guanxi_search::{DocToken, DocTokens, Expr, IndexOptions, Pace, PostIndex};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub const HISTORY: HistoryId = HistoryId(77);

pub fn at(seq: u64) -> Position {
    Position::one(HISTORY, seq)
}

pub fn options() -> IndexOptions {
    IndexOptions {
        analyser: 3,
        memory_bytes: 0,
        reserve_bytes: 0,
        free_bytes: Arc::new(|| Ok(u64::MAX)),
        pace: Pace::unbounded(),
    }
}

pub fn post(id: u64) -> PostId {
    PostId::new(id).unwrap()
}

pub fn uid(uid: u64) -> Uid {
    Uid::new(uid).unwrap()
}

/// A public post of user 1 with the words of a text.
pub fn doc(id: u64, text: &str) -> PostDoc<DocTokens> {
    let words = text.split_whitespace().zip(0..);
    PostDoc {
        id: post(id),
        author: uid(1),
        form: PostForm::Post,
        audience: Audience::Public,
        state: PostState::Live,
        created_ms: 0,
        stats: PostStats::default(),
        revision: 0,
        digest: id,
        text: words.map(|(word, position)| DocToken { word: word.to_owned(), position }).collect(),
    }
}

/// An active user of whom nothing is kept.
pub fn nobody(uid: Uid) -> UserDoc {
    UserDoc {
        uid,
        state: UserState::Active,
        nickname: String::new(),
        login_name: None,
        attributes: BTreeMap::new(),
        sex: Sex::Unspecified,
        birth_year: None,
        registered_ms: None,
        login_day: None,
        counts: Counts::default(),
        posts: 0,
        digest: 0,
    }
}

pub fn word(word: &str) -> Expr {
    Expr::Word(word.to_owned())
}

pub fn phrase(text: &str) -> Expr {
    Expr::Phrase((0..).zip(text.split_whitespace().map(str::to_owned)).collect())
}

pub fn ask(query: Expr) -> PostAsk<'static, Expr> {
    PostAsk { query, author: None, replies: None, from: None, below: None, circle: Circle::All, max: 1_000 }
}

/// Every page of an ask, put together; each but the last one is as long as it was asked for.
pub fn walk(index: &PostIndex, ask: &PostAsk<'_, Expr>) -> Vec<u64> {
    let mut ids = Vec::new();
    let mut page = ask.clone();
    loop {
        let found = index.search(&page).unwrap();
        ids.extend(found.ids.iter().map(|id| id.get()));
        assert!(found.ids.len() <= ask.max);
        if found.next.is_none() {
            return ids;
        }
        assert_eq!(found.ids.len(), ask.max, "a page that is not the last one is full");
        page.below = found.next;
    }
}

/// How many segments stand in a directory.
pub fn segments(dir: &Path) -> usize {
    let files = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "fast")).count()
}

/// The documents.
#[derive(Clone, Debug, Default)]
pub struct Model(pub BTreeMap<PostId, PostDoc<DocTokens>>);

impl Model {
    pub fn apply(&mut self, change: IndexChange<PostDoc<DocTokens>>) {
        match change {
            IndexChange::Put(doc) => {
                self.0.insert(doc.id, doc);
            }
            IndexChange::Remove(id) | IndexChange::Erase(id) => {
                self.0.remove(&id);
            }
        }
    }

    pub fn found(&self, ask: &PostAsk<'_, Expr>) -> Vec<u64> {
        self.0.values().rev().filter(|doc| fits(doc, ask)).map(|doc| doc.id.get()).collect()
    }

    pub fn docs(&self) -> Vec<PostDoc<DocTokens>> {
        self.0.values().cloned().collect()
    }
}

fn fits(doc: &PostDoc<DocTokens>, ask: &PostAsk<'_, Expr>) -> bool {
    let is_public = doc.audience == Audience::Public && doc.state == PostState::Live;
    let circle = ask.circle.takes(doc.author, is_public);
    circle
        && ask.author.is_none_or(|author| author == doc.author)
        && ask.replies.is_none_or(|replies| replies == (doc.form == PostForm::Reply))
        && doc.state != PostState::Deleted
        && ask.from.is_none_or(|from| doc.id >= from)
        && ask.below.is_none_or(|below| doc.id < below)
        && says(doc, &ask.query)
}

fn says(doc: &PostDoc<DocTokens>, expr: &Expr) -> bool {
    let stands = |word: &str, position: u32| {
        doc.text.iter().any(|token| token.word == word && token.position == position)
    };
    match expr {
        Expr::All(exprs) => exprs.iter().all(|expr| says(doc, expr)),
        Expr::Not(expr) => !says(doc, expr),
        Expr::Word(word) => doc.text.iter().any(|token| token.word == *word),
        Expr::Prefix(prefix) => doc.text.iter().any(|token| token.word.starts_with(prefix)),
        Expr::Phrase(words) => doc
            .text
            .iter()
            .any(|first| words.iter().all(|(offset, word)| stands(word, first.position + offset))),
    }
}
