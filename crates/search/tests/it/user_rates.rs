//! How fast the index of users is, on request: `cargo test --release -p guanxi-search --test it user_rates -- --ignored --nocapture`.

#![allow(
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "figures are for people, and drawn from a unit"
)]

use crate::world::{HISTORY, at, nobody, options, segments, uid};
use guanxi_model::random::mix;
use guanxi_model::user::LoginName;
use guanxi_model::{Logs, Uid};
use guanxi_ports::{IndexChange, NameAsker, SearchIndex as _, UserAsk, UserDoc, UserSearch as _};
use guanxi_search::{IndexOptions, StoreOptions, UserIndexStore};
use guanxi_text::NameQuery;
use std::path::Path;
use std::time::Instant;

const USERS: u64 = 1_000_000;

/// Among which this name is once.
const FIRST: &str = "Wilhelmina";

struct Dice(u64);

impl Dice {
    /// One of `n`, the first ones far more often.
    fn skewed(&mut self, n: u64) -> u64 {
        self.0 = mix(self.0);
        let unit = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        (n as f64).powf(unit) as u64 - 1
    }
}

/// A word of so many syllables, of a number.
fn word(mut n: u64, syllables: u64) -> String {
    let (heads, tails) = (
        ["b", "d", "f", "j", "k", "l", "m", "n", "r", "s", "t", "w", "z"],
        ["a", "e", "i", "o", "u", "an", "er"],
    );
    let mut word = String::new();
    for _ in 0..syllables {
        n = mix(n + 1);
        word += heads[n as usize % heads.len()];
        word += tails[(n >> 8) as usize % tails.len()];
    }
    word
}

fn user(n: u64, dice: &mut Dice) -> UserDoc {
    let chinese = |n: u64| char::from_u32(0x4e00 + (mix(n) % 4_000) as u32).unwrap();
    let nickname = match n % 3 {
        0 => {
            let surname =
                ["王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴"][dice.skewed(10) as usize];
            format!("{surname}{}{}", chinese(dice.skewed(2_000)), chinese(dice.skewed(2_000)))
        }
        _ => format!("{} {}", word(dice.skewed(5_000), 2), word(7_000 + dice.skewed(50_000), 3)),
    };
    let nickname = if n == 1 { FIRST.to_owned() } else { nickname };
    let login = format!("{}{n}", word(dice.skewed(100_000), 3));
    let login_name = Some(LoginName::new(login.clone(), login));
    UserDoc { nickname, login_name, digest: n, ..nobody(uid(n)) }
}

async fn fill(dir: &Path, batch: u64) -> UserIndexStore {
    let index = IndexOptions { memory_bytes: 64_000_000, ..options() };
    let store = UserIndexStore::open(dir, StoreOptions::new(index), HISTORY, Logs::One).unwrap();
    let mut indexing = store.indexing().await.unwrap();
    indexing.begin_anew(at(0)).await.unwrap();
    indexing.finish().await.unwrap();
    let mut dice = Dice(1);
    for from in (1..=USERS).step_by(batch as usize) {
        let changes = (from..from + batch).map(|n| IndexChange::Put(user(n, &mut dice))).collect();
        indexing.apply(changes, at(from), None).await.unwrap();
        store.wait(&at(from)).await.unwrap();
    }
    store
}

async fn time(store: &UserIndexStore, typed: &str, among: Option<&[Uid]>, max: usize) {
    let query = NameQuery::parse(typed).unwrap();
    let ask = UserAsk { query: &query, typed, asks: NameAsker::EndUser, among, max };
    let found = store.search_users(ask).await.unwrap().uids.len();
    let mut micros = Vec::new();
    for _ in 0..300 {
        let start = Instant::now();
        std::hint::black_box(store.search_users(ask).await.unwrap());
        micros.push(start.elapsed().as_secs_f64() * 1e6);
    }
    micros.sort_by(f64::total_cmp);
    let among = among.map_or(0, <[Uid]>::len);
    println!(
        "{typed:?}, {among} followed: {found} of {max}, p50 {:.0} µs, p99 {:.0} µs",
        micros[150], micros[297]
    );
}

#[tokio::test]
#[ignore = "measures; wants a release build and a quiet machine"]
async fn rates_of_users() {
    for batch in [200_000, 10_000] {
        let dir = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let store = fill(dir.path(), batch).await;
        let path = dir.path().join("users/index-1");
        let files = std::fs::read_dir(&path).unwrap();
        let bytes: u64 = files.map(|file| file.unwrap().metadata().map_or(0, |file| file.len())).sum();
        println!(
            "commits of {batch}: {:.0} users/s, {} segments, {:.1} bytes/user",
            USERS as f64 / start.elapsed().as_secs_f64(),
            segments(&path),
            bytes as f64 / USERS as f64
        );
        let followed: Vec<Uid> = (1..=5_000).map(|n| uid(n * 199)).collect();
        let queries = [
            "a",
            "z",
            "王",
            "zh",
            "za",
            "zhangw",
            "wang",
            "lx",
            "bader",
            "badir",
            "wilhelmina",
            "wilhemlina",
            "bade ruwanz",
            "badeserer molajire ruwanzero kolenazu",
            "badeser mola",
            "x",
        ];
        for typed in queries {
            for max in [256, 1_000] {
                time(&store, typed, None, max).await;
            }
            time(&store, typed, Some(&followed), 1_000).await;
        }
    }
}
