//! The long run, on request: `cargo xtask search-oracle`.

#![allow(clippy::print_stdout, reason = "figures are for people")]

use super::{Bug, Length, Tally, people, posts};

/// How long a history is.
const LENGTH: Length = Length { steps: 24, searches: 20 };
/// How many histories are played at once: they wait for the disk most of the time.
const AT_ONCE: u64 = 4;

fn number(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}: {value} is no number")))
}

/// One figure of a tally.
type Figure = fn(&Tally) -> u64;

/// A history of posts, and one of users.
async fn both(seed: u64) -> (u64, Result<[Tally; 2], String>) {
    let (posts, people) =
        tokio::join!(posts::play(seed, LENGTH, Bug::None), people::play(seed, LENGTH, Bug::None));
    (seed, posts.and_then(|posts| Ok([posts, people?])))
}

#[tokio::test]
#[ignore = "the long run of cargo xtask search-oracle"]
async fn searches_show_all_that_they_must_and_nothing_else() {
    let searches = number("GUANXI_TEST_SEARCHES", 1_000);
    let first = number("GUANXI_TEST_SEED", 1);
    let (mut tallies, mut seed) = ([Tally::default(); 2], first);
    while tallies.iter().map(|tally| tally.searches).sum::<u64>() < searches {
        // They are large, and are boxed.
        let [a, b, c, d] = [0, 1, 2, 3].map(|after| Box::pin(both(seed + after)));
        let some = tokio::join!(a, b, c, d);
        for (seed, played) in [some.0, some.1, some.2, some.3] {
            match played {
                Ok(played) => tallies.iter_mut().zip(played).for_each(|(all, one)| all.add(one)),
                Err(error) => {
                    print(first, seed - first, &tallies);
                    println!("FAIL at seed {seed}: {error}");
                    panic!("replay it: cargo xtask search-oracle --searches 1 --seed {seed}");
                }
            }
        }
        seed += AT_ONCE;
    }
    print(first, seed - first, &tallies);
    println!("ok: nothing is shown wrongly, and nothing is missing that the index had seen");
}

fn print(first: u64, histories: u64, tallies: &[Tally; 2]) {
    println!("{histories} histories of posts and as many of users, from seed {first} on");
    println!("{:34}{:>12}{:>12}", "", "posts", "users");
    let figures: [(&str, Figure); 8] = [
        ("searches", |tally| tally.searches),
        ("hits compared", |tally| tally.hits),
        ("searches of an index that was late", |tally| tally.late),
        ("changed between two pages", |tally| tally.between),
        ("steps with the index stopped", |tally| tally.stopped),
        ("crashes", |tally| tally.crashed),
        ("events that came again", |tally| tally.repeated),
        ("built anew", |tally| tally.rebuilt),
    ];
    for (name, figure) in figures {
        println!("{name:34}{:>12}{:>12}", figure(&tallies[0]), figure(&tallies[1]));
    }
}
