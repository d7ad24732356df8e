//! Worlds: users who follow and post, all of it drawn from a seed and computed when it is asked for, so that a world
//! of a hundred million edges takes no memory.
//!
//! Users are given by index. Low indexes are followed most: the follower counts of authors are a power law whose top
//! has about 0.4 % of all follows, as in the field. How many a user follows is log-normal, but for the users of a
//! [`Class`], who follow an exact number. The last users of all, the fans, follow only the celebrity.

use guanxi_model::random::{Rng, mix};
use guanxi_model::{PostId, Stamp, Uid};
use std::ops::Range;

/// The exponent of the authors' popularity: with a million users of 75 followees the top has 300,000 followers.
const POPULARITY: f64 = 2.5;
/// The spread of the log-normal number of followees.
pub(crate) const SIGMA: f64 = 1.2;
/// No user follows more; below the product's default limit of 5,000.
pub(crate) const FOLLOWEES_MAX: u32 = 2_000;
/// When the first follow and the first post came, in Unix milliseconds (November 2023).
pub(crate) const FIRST_FOLLOW_MS: u64 = 1_700_000_000_000;
/// See [`FIRST_FOLLOW_MS`]; May 2024.
const FIRST_POST_MS: u64 = 1_716_000_000_000;
/// The posts of the past spread over so many milliseconds: two years.
const POSTS_SPREAD_MS: u64 = 63_072_000_000;
/// One post in so many is deleted: 3.7 %.
const DELETED_ONE_IN: u64 = 27;
/// A reader of a class mutes one followee in so many: 1.3 %, which makes 5 % together with the deleted posts.
const MUTED_ONE_IN: usize = 75;
/// The longest text has this and half as many bytes.
const TEXT_BYTES: usize = 100;

/// The id of the user of an index: like ids that are minted, milliseconds above 22 spread bits, so that no system gains
/// from small or dense numbers.
pub(crate) const fn spread_id(index: u32) -> u64 {
    ((700_000_000_000 + index as u64 * 7_919) << 22) | (mix(index as u64) & 0x3f_ffff)
}

/// Readers who follow an exact number of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// How many readers.
    pub readers: u32,
    /// How many each of them follows.
    pub followees: u32,
}

/// A world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// Users who follow others and post, readers of classes included.
    pub users: u32,
    /// How many users a user follows on average, classes apart.
    pub followees: u32,
    /// Readers of exact classes: the last ones among the users, so they have nearly no followers.
    pub classes: Vec<Class>,
    /// Whether there is a celebrity whom every user follows.
    pub celebrity: bool,
    /// Users who follow the celebrity only.
    pub fans: u32,
    /// Posts of the past.
    pub posts: u32,
    /// Whether posts are deleted and followees muted: 5 % of the items of a reader of a class.
    pub rules: bool,
    /// What everything is drawn from.
    pub seed: u64,
}

/// A post of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastPost {
    /// Its place among the posts of the past, oldest first.
    pub number: u32,
    /// The author.
    pub author: u32,
    /// When, in Unix milliseconds; no two posts have the same.
    pub at_ms: u64,
    /// Whether it was deleted.
    pub deleted: bool,
}

impl World {
    /// A world of users who follow 75 others on average (Twitter, 2012) and posted four times, and of nothing else.
    pub const fn of_users(users: u32, seed: u64) -> Self {
        let classes = Vec::new();
        Self { users, followees: 75, classes, celebrity: false, fans: 0, posts: users * 4, rules: true, seed }
    }

    /// A world of so many residents, of whom some follow exactly 75, 500 and 2,000 others, and of a celebrity whom so many
    /// users follow, at least all residents.
    pub fn with_celebrity(residents: u32, followers: u32, seed: u64) -> Self {
        let readers = (residents / 100).min(1_000);
        let classes = [75, 500, 2_000].map(|followees| Class { readers, followees }).to_vec();
        Self { classes, celebrity: true, fans: followers - residents, ..Self::of_users(residents, seed) }
    }

    /// The id of a user.
    pub fn uid(&self, index: u32) -> Uid {
        Uid::new(spread_id(index)).expect("indexes are 32 bits wide, so ids stay below 2^63")
    }

    /// The celebrity's index: after all users and fans.
    pub const fn celebrity(&self) -> Option<u32> {
        if self.celebrity { Some(self.users + self.fans) } else { None }
    }

    /// The readers of a class, by its place in [`classes`](Self::classes).
    pub fn readers(&self, class: usize) -> Range<u32> {
        let before: u32 = self.classes[..class].iter().map(|class| class.readers).sum();
        let all: u32 = self.classes.iter().map(|class| class.readers).sum();
        let start = self.users - all + before;
        start..start + self.classes[class].readers
    }

    /// The users who are readers of no class.
    pub fn crowd(&self) -> Range<u32> {
        0..self.users - self.classes.iter().map(|class| class.readers).sum::<u32>()
    }

    /// Returns the users whom a user follows, ascending by index, the celebrity last.
    pub fn following(&self, user: u32) -> Vec<u32> {
        let mut followees = if user < self.users { self.drawn(user) } else { Vec::new() };
        followees.extend(self.celebrity().filter(|_| user < self.users + self.fans));
        followees
    }

    fn drawn(&self, user: u32) -> Vec<u32> {
        let mut rng = Rng::new(mix(self.seed ^ u64::from(user)));
        // Half of all users at most, since each draw must find somebody new.
        let wanted = self.degree(user, &mut rng).min(self.users / 2) as usize;
        let mut followees = Vec::with_capacity(wanted);
        while followees.len() < wanted {
            let missing = wanted - followees.len();
            followees.extend((0..missing).map(|_| self.popular(&mut rng)).filter(|&author| author != user));
            followees.sort_unstable();
            followees.dedup();
        }
        followees
    }

    fn degree(&self, user: u32, rng: &mut Rng) -> u32 {
        let class = (0..self.classes.len()).find(|&class| self.readers(class).contains(&user));
        if let Some(class) = class {
            return self.classes[class].followees;
        }
        // The mean of e^(sigma z) is e^(sigma^2 / 2).
        let degree = f64::from(self.followees) * (SIGMA * rng.normal() - SIGMA * SIGMA / 2.0).exp();
        degree.round().clamp(1.0, f64::from(FOLLOWEES_MAX)) as u32
    }

    fn popular(&self, rng: &mut Rng) -> u32 {
        let index = f64::from(self.users) * rng.unit().powf(POPULARITY);
        (index as u32).min(self.users - 1)
    }

    /// Returns the users whom a user mutes: only readers of classes do, and only in a world with rules.
    pub fn muted(&self, user: u32) -> Vec<u32> {
        if !self.rules || self.crowd().contains(&user) || user >= self.users {
            return Vec::new();
        }
        // From the middle on: the most popular stay.
        self.drawn(user).into_iter().skip(MUTED_ONE_IN / 2).step_by(MUTED_ONE_IN).collect()
    }

    /// All follows, by subject.
    pub fn edges(&self) -> impl Iterator<Item = (Uid, Uid, Stamp)> + '_ {
        (0..self.users + self.fans).flat_map(move |user| {
            let at = Stamp::from_ms(FIRST_FOLLOW_MS + u64::from(user));
            let subject = self.uid(user);
            self.following(user).into_iter().map(move |object| (subject, self.uid(object), at))
        })
    }

    /// A post of the past. All users post alike, since it is followers that are skewed in the field's figures.
    pub fn post(&self, number: u32) -> PastPost {
        let dice = mix(self.seed.rotate_left(32) ^ u64::from(number));
        let step = (POSTS_SPREAD_MS / u64::from(self.posts.max(1))).max(1);
        PastPost {
            number,
            author: ((u128::from(dice) * u128::from(self.users)) >> 64) as u32,
            at_ms: FIRST_POST_MS + u64::from(number) * step,
            deleted: self.rules && mix(dice).is_multiple_of(DELETED_ONE_IN),
        }
    }

    /// The id of a post of the past: the first of its millisecond, which it has for itself.
    pub fn post_id(&self, post: &PastPost) -> PostId {
        let first = PostId::at_ms(self.uid(post.author), post.at_ms).next();
        first.expect("the times of a world lie in the range of ids")
    }

    /// Returns what a post says: 50 to 150 characters.
    pub fn text(&self, number: u32) -> String {
        let mut text = format!("{number}");
        let len = TEXT_BYTES / 2 + mix(u64::from(number)) as usize % TEXT_BYTES;
        while text.len() < len {
            text.push_str(" the quick brown fox jumps over the lazy dog");
        }
        text.truncate(len);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    fn world() -> World {
        World {
            users: 4_000,
            followees: 40,
            classes: vec![Class { readers: 3, followees: 75 }, Class { readers: 2, followees: 500 }],
            celebrity: true,
            fans: 1_000,
            posts: 20_000,
            rules: true,
            seed: 7,
        }
    }

    #[test]
    fn degrees_are_as_said_and_popularity_is_skewed() {
        let world = world();
        let mut followers: HashMap<u32, u32> = HashMap::new();
        let mut total = 0;
        for user in world.crowd() {
            let drawn = world.drawn(user);
            assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && !drawn.contains(&user));
            total += drawn.len();
            drawn.iter().for_each(|author| *followers.entry(*author).or_default() += 1);
        }
        let mean = total as f64 / world.crowd().len() as f64;
        assert!((35.0..45.0).contains(&mean), "{mean}");
        let top = followers.values().max().copied().unwrap_or(0);
        assert!(f64::from(top) > 10.0 * mean, "{top}");
        for (class, followees) in [(0, 75), (1, 500)] {
            assert!(world.readers(class).all(|reader| world.drawn(reader).len() == followees));
        }
        assert_eq!(world.readers(1).end, world.users);
    }

    #[test]
    fn everybody_follows_the_celebrity_and_nobody_itself() {
        let world = world();
        let celebrity = world.uid(world.celebrity().unwrap());
        let edges: Vec<(Uid, Uid, Stamp)> = world.edges().collect();
        assert!(edges.iter().all(|(subject, object, _)| subject != object));
        assert_eq!(edges.iter().filter(|edge| edge.1 == celebrity).count(), 5_000);
        let pairs: HashSet<(Uid, Uid)> = edges.iter().map(|edge| (edge.0, edge.1)).collect();
        assert_eq!(pairs.len(), edges.len());
    }

    #[test]
    fn a_twentieth_of_what_a_reader_of_a_class_may_see_is_hidden() {
        let world = world();
        let reader = world.readers(1).start;
        let (all, muted) = (world.drawn(reader), world.muted(reader));
        let posts: Vec<PastPost> = (0..world.posts).map(|number| world.post(number)).collect();
        let of = posts.iter().filter(|post| all.contains(&post.author));
        let hidden = of.clone().filter(|post| post.deleted || muted.contains(&post.author)).count();
        let share = hidden as f64 / of.count() as f64;
        assert!((0.035..0.065).contains(&share), "{share}");
        assert!(posts.windows(2).all(|pair| world.post_id(&pair[0]) < world.post_id(&pair[1])));
    }
}
