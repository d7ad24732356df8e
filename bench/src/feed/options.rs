//! How the comparison of feeds runs.

use crate::turns::Comparison;
use guanxi_load::in_process::Plan;
use guanxi_load::{Class, World};
use std::time::Duration;

/// How the comparison of feeds runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the world whose homes are read over the wire; at least 2,400 more than readers
    #[arg(long, default_value_t = 100_000)]
    users: u32,
    /// Readers of 75 followees: so many inboxes of 800 are in Redis
    #[arg(long, default_value_t = 10_000)]
    readers: u32,
    /// Posts of that world
    #[arg(long, default_value_t = 5_000_000)]
    posts: u32,
    /// Users of the world in process, each with a resident inbox
    #[arg(long, default_value_t = 1_000_000)]
    residents: u32,
    /// Followers of the celebrity in process
    #[arg(long, default_value_t = 10_000_000)]
    followers: u32,
    /// Posts per user of the world in process
    #[arg(long, default_value_t = 4)]
    posts_each: u32,
    /// Items of an inbox in process; new inboxes begin with 256, so that these are full
    #[arg(long, default_value_t = 256)]
    inbox: u32,
    /// Posts whose deliveries are measured in process
    #[arg(long, default_value_t = 100_000)]
    backlog: u32,
    /// Only the part over the wire
    #[arg(long)]
    pub(crate) no_in_process: bool,
    #[command(flatten)]
    pub(crate) comparison: Comparison,
}

/// Readers of exactly 500 and 2,000 followees.
const HEAVY_READERS: u32 = 200;

impl Options {
    /// The options with what `--quick` changes.
    pub(crate) fn settled(&self) -> Self {
        let mut options = Self { comparison: self.comparison.settled(), ..self.clone() };
        if options.comparison.quick {
            options.users = options.users.min(6_000);
            options.readers = options.readers.min(300);
            options.posts = options.posts.min(60_000);
            options.residents = options.residents.min(6_000);
            options.followers = options.followers.min(20_000);
            options.backlog = options.backlog.min(1_000);
        }
        options
    }

    /// The world whose homes are read over the wire: authors of 50 posts each, so that a reader of 75 has more items
    /// than an inbox of 800 holds.
    pub(crate) fn wire_world(&self) -> Result<World, String> {
        let classes = vec![
            Class { readers: self.readers, followees: 75 },
            Class { readers: HEAVY_READERS, followees: 500 },
            Class { readers: HEAVY_READERS, followees: 2_000 },
        ];
        let readers: u32 = classes.iter().map(|class| class.readers).sum();
        if self.users < (readers + 2_000).max(4_000) {
            return Err(format!("{} users are too few for {readers} readers of exact classes", self.users));
        }
        Ok(World {
            users: self.users,
            followees: 75,
            classes,
            celebrity: false,
            fans: 0,
            posts: self.posts,
            rules: true,
            seed: self.comparison.seed,
        })
    }

    /// The world in process: a million residents, and a celebrity whom they and nine million others follow.
    pub(crate) fn resident_world(&self) -> Result<World, String> {
        let readers = (self.residents / 100).min(1_000);
        if self.residents < 4_000 || self.followers < self.residents {
            return Err("at least 4,000 residents, and as many followers".to_owned());
        }
        Ok(World {
            users: self.residents,
            followees: 75,
            classes: [75, 500, 2_000].map(|followees| Class { readers, followees }).to_vec(),
            celebrity: true,
            fans: self.followers - self.residents,
            posts: self.residents * self.posts_each,
            rules: true,
            seed: self.comparison.seed + 1,
        })
    }

    /// The plan in process.
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            time: Duration::from_secs_f64(self.comparison.seconds * 2.0),
            check_every: 64,
            inbox_cap: self.inbox,
            backlog: self.backlog,
        }
    }
}
