//! How the comparison runs.

use super::circles::{Circles, Kind};
use super::groups::Groups;
use crate::turns::Comparison;
use guanxi_load::graph::USERS_DEFAULT;

/// Degrees of the circles.
pub(crate) const DEGREES: [usize; 2] = [75, 300];
/// The least number of users of the world of groups beside the users who follow 500 and the followed ones.
const WORLD_MIN: u32 = 2_000;

/// How the comparison runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Viewers who follow 75 who follow 75
    #[arg(long, default_value_t = 100)]
    small_circles: usize,
    /// Viewers who follow 300 who follow 300
    #[arg(long, default_value_t = 8)]
    large_circles: usize,
    /// Viewers who follow 5,000, and have scores with 1,000
    #[arg(long, default_value_t = 20)]
    scored: usize,
    /// Users whom the circles follow, the popular ones most
    #[arg(long, default_value_t = 2_000_000)]
    circle_users: u32,
    /// Users of the graph in which suggestions are asked for
    #[arg(long, default_value_t = USERS_DEFAULT)]
    pub(crate) users: u32,
    /// Readers of homes and groups of 500
    #[arg(long, default_value_t = 200)]
    readers: u32,
    /// Users of their world
    #[arg(long, default_value_t = 20_000)]
    world_users: u32,
    /// Posts of their world
    #[arg(long, default_value_t = 1_000_000)]
    posts: u32,
    /// Different calls per question
    #[arg(long, default_value_t = 4_000)]
    pub(crate) calls: usize,
    /// Connections to each system, beside one alone
    #[arg(long, default_value_t = 16)]
    pub(crate) connections: usize,
    #[command(flatten)]
    pub(crate) comparison: Comparison,
}

impl Options {
    /// The options with what `--quick` changes. Circles, lists and groups stay as large as they are said to be.
    pub(crate) fn settled(&self) -> Self {
        let mut options = Self { comparison: self.comparison.settled(), ..self.clone() };
        if options.comparison.quick {
            options.small_circles = options.small_circles.min(4);
            options.large_circles = options.large_circles.min(1);
            options.scored = options.scored.min(2);
            options.circle_users = options.circle_users.min(100_000);
            options.users = options.users.min(5_000);
            options.readers = options.readers.min(10);
            options.world_users = options.world_users.min(4_000);
            options.posts = options.posts.min(40_000);
            options.calls = options.calls.min(200);
            // PostgreSQL takes a tenth of a second to count a large circle, and must answer while it is measured.
            options.connections = options.connections.min(2);
            options.comparison.seconds = self.comparison.seconds.min(0.6);
            options.comparison.rounds = 1;
        }
        options
    }

    /// The circles.
    pub(crate) fn circles(&self) -> Result<Circles, String> {
        let viewers = [self.small_circles, self.large_circles];
        let kinds = [0, 1].map(|kind| Kind { degree: DEGREES[kind], viewers: viewers[kind] });
        let listed: usize = kinds.iter().map(|kind| kind.viewers * (kind.degree + 1)).sum();
        if viewers.contains(&0) || self.scored == 0 {
            return Err("there must be viewers of every kind".to_owned());
        }
        if (self.circle_users as usize) < 4 * (listed + self.scored) {
            return Err(format!("{} users are too few for the circles", self.circle_users));
        }
        Ok(Circles::draw(&kinds, self.scored, self.circle_users, self.comparison.seed))
    }

    /// The world of groups.
    pub(crate) fn groups(&self) -> Result<Groups, String> {
        if self.readers == 0 || self.world_users < WORLD_MIN + self.readers {
            return Err(format!("{} users are too few for {} readers", self.world_users, self.readers));
        }
        Ok(Groups::draw(self.world_users, self.readers, self.posts, self.comparison.seed))
    }

    /// What the runs are of, for the report.
    pub(crate) fn configuration(&self) -> Vec<(String, String)> {
        let Self { small_circles, large_circles, scored, circle_users, .. } = self;
        let mut pairs = self.comparison.configuration("cores").to_vec();
        let named = |(name, value): (&str, String)| (name.to_owned(), value);
        let circles = format!(
            "{small_circles} viewers of 75 x 75 and {large_circles} of 300 x 300, who follow {circle_users} users by their \
             popularity, and {scored} who follow 5,000 and have scores with 900 of them and 100 others"
        );
        let world = format!(
            "{} users, {} posts, {} readers, 5 % of the items hidden; a group of those whom the reader follows, and one of as \
             many others",
            self.world_users, self.posts, self.readers
        );
        pairs.extend([("circles", circles), ("world of the groups", world)].map(named));
        let graph = format!("{} users with the statistics of seed 000", self.users);
        let checked =
            "every answer for errors, one in 64 for its content, and 200 of each kind before".to_owned();
        let seed = self.comparison.seed.to_string();
        pairs.extend([("graph", graph), ("seed", seed), ("checked", checked)].map(named));
        pairs
    }
}
