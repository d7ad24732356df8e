//! The index of users against a plain look at all names.

use crate::world::{HISTORY, at, nobody, options, uid};
use guanxi_model::Uid;
use guanxi_model::random::mix;
use guanxi_model::user::LoginName;
use guanxi_ports::search::{ProvedIndex as _, UserState};
use guanxi_ports::{IndexChange, IndexStage, NameAsker, SearchIndex as _, UserAsk, UserDoc, UserSearch as _};
use guanxi_search::{StoreOptions, UserIndexStore};
use guanxi_text::{MatchKind, NameQuery};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const PARTS: [&str; 16] = [
    "Ann",
    "Anna",
    "Anne-Marie",
    "Smith",
    "smyth",
    "Zoë",
    "张伟",
    "章",
    "王小明",
    "ALEXANDER",
    "曾国藩",
    "单",
    "김철수",
    "👍🏽",
    "Иванов",
    "x9",
];

const QUERIES: [&str; 26] = [
    "a",
    "an",
    "ann",
    "anna",
    "ann s",
    "annn",
    "smiht",
    "smith an",
    "zoe",
    "z",
    "zw",
    "zhangw",
    "张",
    "明",
    "小明",
    "王",
    "alexsandar",
    "alex",
    "zengguofan",
    "shan",
    "철",
    "👍",
    "иванав",
    "x",
    "x9",
    "smith x9",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = mix(self.0);
        (self.0 % n as u64) as usize
    }

    fn name(&mut self) -> String {
        let parts: Vec<&str> = (0..=self.below(2)).map(|_| PARTS[self.below(PARTS.len())]).collect();
        parts.join(if self.below(4) == 0 { "" } else { " " })
    }

    fn doc(&mut self) -> UserDoc {
        let nickname = if self.below(8) == 0 { String::new() } else { self.name() };
        let login = self.name();
        let login_name =
            (self.below(2) == 0).then(|| LoginName::new(login.to_lowercase().replace(' ', "."), login));
        let (uid, is_active) = (uid(1 + self.below(40) as u64), self.below(5) > 0);
        let state = if is_active { UserState::Active } else { UserState::Deactivated };
        UserDoc { state, nickname, login_name, digest: mix(self.0), ..nobody(uid) }
    }
}

/// Returns the users of all that fit, by a look at each.
fn fitting(docs: &BTreeMap<Uid, UserDoc>, ask: &UserAsk<'_>) -> Vec<Uid> {
    let fits = |doc: &UserDoc| -> Option<(MatchKind, Uid)> {
        let is_service = ask.asks == NameAsker::Service;
        let is_asked = is_service || doc.state == UserState::Active;
        let login = doc.login_name.as_ref().and_then(|name| {
            let typed = name.is_typed(ask.typed).then_some(MatchKind::Exact);
            typed.or_else(|| is_service.then(|| ask.query.matches(name.shown())).flatten())
        });
        let kind = ask.query.matches(&doc.nickname).into_iter().chain(login).min()?;
        is_asked.then_some((kind, doc.uid))
    };
    let mut found: Vec<(MatchKind, Uid)> = docs.values().filter_map(fits).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, uid)| uid).collect()
}

fn open(dir: &Path) -> UserIndexStore {
    let (commit_every, commit_hurried) = (Duration::from_hours(1), Duration::ZERO);
    let options = StoreOptions { commit_every, commit_hurried, ..StoreOptions::new(options()) };
    UserIndexStore::open(dir, options, HISTORY, guanxi_model::Logs::One).unwrap()
}

async fn compare(store: &UserIndexStore, docs: &BTreeMap<Uid, UserDoc>, dice: &mut Dice) -> usize {
    let among: Vec<Uid> = (1..=40).filter(|_| dice.below(3) == 0).map(uid).collect();
    let mut found = 0;
    for typed in QUERIES {
        let query = NameQuery::parse(typed).unwrap();
        for asks in [NameAsker::EndUser, NameAsker::Service] {
            let whole = UserAsk { query: &query, typed, asks, among: None, max: 100 };
            let all = fitting(docs, &whole);
            found += all.len();
            for (among, max) in [(None, 100), (None, 3), (Some(&among[..]), 100), (Some(&[][..]), 100)] {
                let is_asked = |uid: &&Uid| among.is_none_or(|among| among.contains(uid));
                let expected: Vec<Uid> = all.iter().filter(is_asked).copied().take(max).collect();
                let ask = UserAsk { among, max, ..whole };
                assert_eq!(store.search_users(ask).await.unwrap().uids, expected, "{ask:?}");
            }
        }
    }
    found
}

/// Documents come, change and go, and now and then what was not kept is lost.
async fn play(seed: u64) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let mut dice = Dice(mix(seed));
    let mut store = open(dir.path());
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(0)).await.unwrap();
    indexing.finish().await.unwrap();
    let (mut docs, mut found): (BTreeMap<Uid, UserDoc>, usize) = (BTreeMap::new(), 0);
    for seq in 1..6 {
        let change = |dice: &mut Dice| match dice.doc() {
            doc if dice.below(6) == 0 => IndexChange::Remove(doc.uid),
            doc => IndexChange::Put(doc),
        };
        let changes: Vec<IndexChange<UserDoc>> = (0..dice.below(24)).map(|_| change(&mut dice)).collect();
        indexing.apply(changes.clone(), at(seq), None).await.unwrap();
        let at = at(seq);
        if dice.below(4) == 0 {
            drop(store);
            store = open(dir.path());
            indexing = store.indexing().await.unwrap();
        } else {
            // A commit that fails fails the test, and does not hang it.
            let kept = tokio::time::timeout(Duration::from_secs(30), store.wait(&at));
            kept.await.unwrap().unwrap();
        }
        if store.as_of().unwrap() == at {
            for change in changes {
                match change {
                    IndexChange::Put(doc) => drop(docs.insert(doc.uid, doc)),
                    IndexChange::Remove(uid) | IndexChange::Erase(uid) => drop(docs.remove(&uid)),
                }
            }
        }
        assert_eq!(indexing.stage(), IndexStage::Whole);
        found += compare(&store, &docs, &mut dice).await;
    }
    let wanted: Vec<UserDoc> = docs.values().cloned().collect();
    let proved = store.compare((None, None), wanted.clone()).await.unwrap();
    assert_eq!((proved.differing, proved.reached), (Vec::new(), None));
    let (after, some) = (uid(20), wanted.into_iter().filter(|doc| doc.uid > uid(20)).collect());
    assert_eq!(store.compare((Some(after), None), some).await.unwrap().differing, []);
    store.close().await.unwrap();
    let path = dir.path().join("users/index-1");
    guanxi_search::UserIndexWriter::check(&path).unwrap();
    found
}

#[tokio::test]
async fn the_index_proposes_whom_a_look_at_all_names_finds() {
    let mut found = 0;
    for seed in 0..3 {
        found += play(seed).await;
    }
    assert!(found > 300, "{found}");
}

/// A name goes on where the terms of it end; the caller compares the rest.
#[tokio::test]
async fn of_a_long_query_its_beginning_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(1)).await.unwrap();
    let names = ["Alexander the Great", "Alexander thinks", "Alexandra"];
    let doc = |(uid, name): (Uid, &str)| {
        let (nickname, login_name) = (name.to_owned(), None);
        IndexChange::Put(UserDoc { nickname, login_name, ..nobody(uid) })
    };
    indexing.apply((1..).map(uid).zip(names).map(doc).collect(), at(1), None).await.unwrap();
    indexing.finish().await.unwrap();
    for (typed, found) in [("alexander the gr", &[1, 2][..]), ("alexander tiny", &[]), ("Great", &[1])] {
        let query = NameQuery::parse(typed).unwrap();
        let ask = UserAsk { query: &query, typed, asks: NameAsker::EndUser, among: None, max: 9 };
        let uids = store.search_users(ask).await.unwrap().uids;
        assert_eq!(uids, found.iter().map(|n| uid(*n)).collect::<Vec<_>>(), "{typed}");
    }
}

/// The automaton that walks the dictionary, and the distance that names are compared by, are of different authors.
#[tokio::test]
async fn words_are_nearly_the_same_to_the_index_and_to_a_comparison() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(1)).await.unwrap();
    let mut dice = Dice(7);
    let word = |dice: &mut Dice| {
        let length = 3 + dice.below(8);
        (0..length).map(|_| ['a', 'b', 'я', 'd'][dice.below(4)]).collect::<String>()
    };
    let doc = |n: u64, nickname: String| UserDoc { nickname, digest: n, ..nobody(uid(n)) };
    let docs: Vec<UserDoc> = (1..=400).map(|n| doc(n, word(&mut dice))).collect();
    indexing.apply(docs.iter().cloned().map(IndexChange::Put).collect(), at(1), None).await.unwrap();
    indexing.finish().await.unwrap();
    let docs: BTreeMap<Uid, UserDoc> = docs.into_iter().map(|doc| (doc.uid, doc)).collect();
    let mut found = 0;
    for _ in 0..100 {
        let typed = word(&mut dice);
        let query = NameQuery::parse(&typed).unwrap();
        let ask = UserAsk { query: &query, typed: &typed, asks: NameAsker::EndUser, among: None, max: 1_000 };
        let uids = store.search_users(ask).await.unwrap().uids;
        assert_eq!(uids, fitting(&docs, &ask), "{typed}");
        found += uids.len();
    }
    assert!(found > 100, "{found}");
}
