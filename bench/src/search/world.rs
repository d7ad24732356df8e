//! Posts and people of a search: who writes what and for whom, who follows whom, and what people are called.

use super::dictionary::Dictionary;
use super::words::{PHRASE, Planted, holds, spelled, spelled_by_zipf};
use crate::calls::UserCall;
use guanxi_model::random::{Rng, mix};
use guanxi_model::{PostId, Uid};

/// When the first post came, in Unix milliseconds.
const FIRST_POST_MS: u64 = 1_716_000_000_000;
/// The posts spread over so many milliseconds: two years.
const SPREAD_MS: u64 = 63_072_000_000;
/// One post in so many is Chinese, and one name.
const CHINESE_ONE_IN: u64 = 3;
/// One post in so many is for followers only.
const RESTRICTED_ONE_IN: u64 = 4;
/// Posts for each author on average; few write most of them.
const POSTS_PER_AUTHOR: u64 = 20;
/// How many viewers search.
const VIEWERS: u64 = 200;
/// How many users each of them follows, if there are so many.
const FOLLOWED: u64 = 100;
/// Surnames, the most usual first.
const SURNAMES: [&str; 12] = ["王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙"];

/// A world; all of it is drawn from a seed when it is asked for.
pub(crate) struct World {
    /// How many posts.
    pub(crate) posts: u64,
    /// How many people; the first ones write, the last ones search.
    pub(crate) names: u64,
    seed: u64,
    /// The words of its Chinese texts.
    pub(crate) dictionary: Dictionary,
}

/// A post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DrawnPost {
    /// Its place, the oldest first.
    pub(crate) number: u64,
    /// The author.
    pub(crate) author: Uid,
    /// When, in Unix milliseconds.
    pub(crate) at_ms: u64,
    /// Whether everybody may see it, or followers of its author.
    pub(crate) is_public: bool,
    /// What it says.
    pub(crate) text: String,
}

impl DrawnPost {
    /// The id that an import gives it: the first of its millisecond, which it has for itself.
    pub(crate) fn id(&self) -> PostId {
        PostId::at_ms(self.author, self.at_ms).next().unwrap_or(PostId::MIN)
    }
}

impl World {
    /// A world of so many posts and people.
    ///
    /// # Errors
    /// When there are too few people.
    pub(crate) fn new(posts: u64, names: u64, seed: u64) -> Result<Self, String> {
        if posts == 0 || names < 2 * VIEWERS {
            return Err(format!("there must be posts, and {} people at least", 2 * VIEWERS));
        }
        Ok(Self { posts, names, seed, dictionary: Dictionary::read() })
    }

    fn rng(&self, what: u64, number: u64) -> Rng {
        Rng::new(mix(mix(self.seed ^ what << 32).wrapping_add(number)))
    }

    fn authors(&self) -> u64 {
        (self.posts / POSTS_PER_AUTHOR).clamp(10, self.names - VIEWERS)
    }

    /// One of the authors, the first ones far more often.
    fn author(&self, rng: &mut Rng) -> u64 {
        (self.authors() as f64 * rng.unit().powi(2)) as u64
    }

    /// A post.
    pub(crate) fn post(&self, number: u64) -> DrawnPost {
        let mut rng = self.rng(1, number);
        let author = UserCall::uid_of(self.author(&mut rng));
        let is_public = rng.below(RESTRICTED_ONE_IN as usize) > 0;
        let at_ms = FIRST_POST_MS + number * (SPREAD_MS / self.posts).max(1);
        DrawnPost { number, author, at_ms, is_public, text: self.text(number, &mut rng) }
    }

    fn text(&self, number: u64, rng: &mut Rng) -> String {
        let is_chinese = rng.below(CHINESE_ONE_IN as usize) == 0;
        let mut parts: Vec<String> = (0..8 + rng.below(17))
            .map(|_| if is_chinese { self.clause(rng) } else { spelled_by_zipf(rng) })
            .collect();
        let mut plant = |words: String| {
            let at = rng.below(parts.len() + 1);
            parts.insert(at, words);
        };
        for planted in Planted::ALL {
            let words = (0..planted.words()).filter(|n| planted.is_in(*n, number, self.seed));
            words.for_each(|n| plant(planted.word(n)));
        }
        let ([first, second], share) = PHRASE;
        if holds(self.seed ^ 0xf00d, number, share) {
            plant(format!("{first} {second}"));
        } else if holds(self.seed ^ 0xbeef, number, share * 10) {
            // The other way round they are no phrase, with any words between them.
            parts.insert(0, second.to_owned());
            parts.push(first.to_owned());
        }
        parts.join(" ")
    }

    /// A few words of Chinese in a row.
    fn clause(&self, rng: &mut Rng) -> String {
        (0..=rng.below(3)).map(|_| self.dictionary.draw(rng)).collect()
    }

    /// Returns the viewers that search.
    pub(crate) fn viewers(&self) -> Vec<Uid> {
        (self.names - VIEWERS..self.names).map(UserCall::uid_of).collect()
    }

    /// Returns the users whom a viewer follows.
    pub(crate) fn followed(&self, viewer: usize) -> Vec<Uid> {
        let mut rng = self.rng(2, viewer as u64);
        let mut authors: Vec<u64> = Vec::new();
        let wanted = FOLLOWED.min(self.authors() / 2) as usize;
        while authors.len() < wanted {
            let author = self.author(&mut rng);
            if !authors.contains(&author) {
                authors.push(author);
            }
        }
        authors.into_iter().map(UserCall::uid_of).collect()
    }

    /// All follows.
    pub(crate) fn follows(&self) -> Vec<(Uid, Uid)> {
        let viewers = self.viewers();
        let of = |(at, viewer): (usize, &Uid)| {
            let viewer = *viewer;
            self.followed(at).into_iter().map(move |author| (viewer, author)).collect::<Vec<_>>()
        };
        viewers.iter().enumerate().flat_map(of).collect()
    }

    /// What somebody is called.
    pub(crate) fn name(&self, number: u64) -> String {
        let mut rng = self.rng(3, number);
        let mut skewed = |n: f64| n.powf(rng.unit()) as u64 - 1;
        if number.is_multiple_of(CHINESE_ONE_IN) {
            let surname = SURNAMES[skewed(SURNAMES.len() as f64) as usize];
            let mut given = |n| char::from_u32(0x4e00 + (mix(skewed(n)) % 4_000) as u32).unwrap_or('明');
            let (one, other) = (given(2_000.0), given(2_000.0));
            format!("{surname}{one}{other}")
        } else {
            format!("{} {}", spelled(skewed(5_000.0), 2), spelled(7_000 + skewed(50_000.0), 3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_words_are_as_frequent_as_they_are_said_to_be() {
        let world = World::new(30_000, 1_000, 7).unwrap();
        let texts: Vec<String> = (0..world.posts).map(|number| world.post(number).text).collect();
        // Words stand between spaces.
        let texts: Vec<String> = texts.into_iter().map(|text| format!(" {text} ")).collect();
        let count = |words: &str| {
            let words = format!(" {words} ");
            texts.iter().filter(|text| text.contains(&words)).count() as f64
        };
        let share = |query: &str| count(query) / world.posts as f64;
        assert!((0.09..0.11).contains(&share("qoften0")), "{}", share("qoften0"));
        assert!((0.008..0.012).contains(&share("qsome1")), "{}", share("qsome1"));
        let rare: f64 = (0..Planted::Rare.words()).map(|n| count(&Planted::Rare.word(n))).sum();
        assert!((35.0..85.0).contains(&rare), "{rare} instead of 60");
        assert!((0.0005..0.0015).contains(&share("qgreen qtea")), "{}", share("qgreen qtea"));
        assert!((0.009..0.013).contains(&share("qgreen")), "{}", share("qgreen"));
    }

    #[test]
    fn a_third_is_chinese_and_a_quarter_for_followers() {
        let world = World::new(6_000, 1_000, 7).unwrap();
        let posts: Vec<DrawnPost> = (0..world.posts).map(|number| world.post(number)).collect();
        let share = |is: &dyn Fn(&DrawnPost) -> bool| {
            posts.iter().filter(|post| is(post)).count() as f64 / posts.len() as f64
        };
        let chinese = share(&|post| !post.text.is_ascii());
        assert!((0.30..0.37).contains(&chinese), "{chinese}");
        let restricted = share(&|post| !post.is_public);
        assert!((0.22..0.28).contains(&restricted), "{restricted}");
        let first_half = share(&|post| post.author < UserCall::uid_of(world.authors() / 2));
        assert!(first_half > 0.6, "{first_half}");
        assert_eq!(posts[17], world.post(17), "the same seed draws the same");
        assert!(posts.is_sorted_by_key(|post| post.at_ms));
    }

    #[test]
    fn viewers_follow_authors_and_people_have_names() {
        let world = World::new(6_000, 1_000, 7).unwrap();
        let follows = world.follows();
        assert_eq!(follows.len(), VIEWERS as usize * 100);
        let authors: Vec<Uid> = (0..world.authors()).map(UserCall::uid_of).collect();
        assert!(follows.iter().all(|(viewer, author)| viewer != author && authors.contains(author)));
        assert!(world.name(3).chars().count() == 3 && world.name(4).contains(' '));
        assert!(World::new(1, 10, 7).is_err());
    }
}
