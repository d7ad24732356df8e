//! The on-disk layout: keys and values of every row.
//!
//! Keys are fixed-width big-endian so that byte order is list order; values begin with a version or flag byte.
//! Golden bytes in the tests keep files readable: a change here is a new format version.
//!
//! | table | key | holds |
//! |---|---|---|
//! | forward | `subject object` | an active follow |
//! | reverse | `object !at !subject` | the same follow, newest first |
//! | log | `seq` | an event |
//! | posts | `post` | a post: author, kind, visibility, whether deleted, content |
//! | outbox | `author !post` | a post of the author, newest first, deleted ones too |
//! | records `2` | `uid viewer` | the same as `z`, by who is dismissed |
//! | records `3` | `uid actor` | that there is a row `W` of the two |
//! | records `4` | `gene hash` | that an external id with this keyed hash led to a user who is erased |
//! | records `5` | | the key of these hashes |
//! | records `0` | `member owner group` | the same member, by who it is |
//! | records `A` | `author` | the newest of an author's outbox, when it last changed, and where its created posts begin |
//! | records `B` | `subject object` | a block |
//! | records `C` | `uid` | a user's counters, own follow limit, and when its relations last changed |
//! | records `D` | `ms post` | a post that is deleted, since when; missing when nothing is left of it |
//! | records `E` | `uid` | since when a user has been unlocking itself, with others who may wait to follow it |
//! | records `F` | | how home timelines are pushed |
//! | records `G` | `owner group` | a group: name, revision, how many members |
//! | records `H` | `id` | a session |
//! | records `I` | `hash` | a remembered answer |
//! | records `J` | `job` | an import job's position |
//! | records `K` | `name` | a credential |
//! | records `L` | `post user` | a like, with its time |
//! | records `M` | `subject object` | a mute, with its terms if it has some |
//! | records `N` | `author name` | an imported post, by the source's name for it |
//! | records `O` | `owner` | the last number of a group that an owner has given |
//! | records `P` | | where post ids go on |
//! | records `Q` | `sender receiver` | a request: its kind, since when, and when it ends |
//! | records `R` | `post !revision` | an earlier revision of a post |
//! | records `S` | `post` | a post's likes, replies and reposts; missing when all are zero |
//! | records `T` | `subject object` | a removed follow |
//! | records `U` | `uid !created id` | the same session, newest first |
//! | records `V` | | the last commit of which `C` does not say when relations changed: the end of what a bulk load or restore brought |
//! | records `W` | `actor` | in which time the scores of a user halve |
//! | records `W` | `actor uid` | the score of a user with another |
//! | records `X` | | the state of the whole store |
//! | records `Y` | `!at !nonce` | what an operator did, newest first |
//! | records `Z` | | up to where the step of an upgrade under way has come; missing when none is |
//! | records `a` | `uid` | a user: login name, profile, privacy, contacts |
//! | records `b` | `uid` | when a user signed out everywhere |
//! | records `b` | | the last of those times that was forgotten |
//! | records `c` | `kind text` | who has reserved a phone number or mail address, or has it |
//! | records `d` | `uid` | how a user stands who does not stand as the default says |
//! | records `e` | `expires id` | when the same session expires, if it does |
//! | records `f` | `original !post` | a repost or quote of a post, newest first, while it is not deleted |
//! | records `g` | `ms uid` | a user who is to be erased, by when |
//! | records `h` | `uid` | a user who is erased, and since when |
//! | records `i` | `ms hash` | when a remembered answer may be forgotten |
//! | records `j` | `owner other` | until when the other, whom the owner rejected, may not ask again |
//! | records `k` | `user post` | the same like, by user, with its time |
//! | records `l` | `post !at !user` | the same like, newest first |
//! | records `m` | `object kind subject` | the same block, mute or removed follow, by the other user; kind is `B`, `M` or `T` |
//! | records `n` | `post` | the name that an imported post came with |
//! | records `n` | `post name` | nothing: another name under which a post that stood already was imported |
//! | records `o` | `name` | whose a login name is |
//! | records `p` | `uid` | up to where a user has seen the requests to it |
//! | records `q` | `receiver kind !at !sender` | the same request, newest first, with its message |
//! | records `r` | `user original` | the user's plain reposts of an original that stand |
//! | records `s` | `uid` | up to which event a user has seen its home |
//! | records `t` | `ms kind owner other` | a request, rejection or mute that ends by itself, by when |
//! | records `u` | | whose numbers uids are; without it, both minted and foreign ones |
//! | records `v` | `owner group member` | a member of a group, with the time of that |
//! | records `w` | `uid` | a user's password, as a hash |
//! | records `x` | `id` | whose an external id is |
//! | records `y` | `uid` | the external id of a user |
//! | records `z` | `viewer uid` | a user that another has dismissed from its suggestions, since when |
//!
//! `!x` is the complement of x, which turns ascending keys into descending order.
//!
//! - The version of a forward row is the stamp of the commit that last wrote the row, its mutual mark included.
//! - Removed follows live under their own prefix, so that churn never slows a list.
//! - A remembered answer (`request_id`) is in the same commit as what it answers.
//! - The place where post ids go on is stored with every commit that mints one. An id above it does not exist in that view.

mod answers;
mod audit;
mod contacts;
mod erased_ids;
mod external_ids;
mod keys;
mod log;
mod parts;
mod posts;
mod relations;
mod sessions;
mod settings;
mod suggestions;
mod user_groups;
mod users;
mod values;
mod waiting;

pub use answers::{AnswerValue, answer_hash};
pub use audit::*;
pub use contacts::*;
pub use erased_ids::*;
pub use external_ids::*;
pub use keys::*;
pub use log::*;
pub use posts::*;
pub use relations::*;
pub use sessions::*;
pub use settings::*;
pub use suggestions::*;
pub use user_groups::*;
pub use users::*;
pub use values::*;
pub use waiting::*;

/// The first version of this layout. The numbers below it are of programs that were never released, and are never given again.
pub const FIRST_FORMAT: u32 = 8;

/// The version of this layout, written into the data directory's marker. A change of any byte raises it, and comes with a step
/// that brings directories and dumps of the version before up to it; until the first release it replaces the golden files instead.
pub const FORMAT_VERSION: u32 = 9;

#[cfg(test)]
mod tests;
