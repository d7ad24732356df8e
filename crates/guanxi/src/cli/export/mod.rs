//! `guanxi export`: follows, blocks, mutes, posts, likes, users or requests, as import reads them; who is erased, for restore; or all that
//! is kept of one user.

mod left_out;
mod user;

use super::target::{Target, TargetArgs};
use super::{complain, print_json};
use crate::progress::{Unit, bar};
use clap::{Args, Subcommand};
use guanxi_api::admin_client::OperatorClient;
use guanxi_lists::form::{EDGE_COLUMNS, Ids, MUTE_COLUMNS, Stamped};
use guanxi_lists::input::STANDARD;
use guanxi_lists::named::WrittenIds;
use guanxi_lists::not_carried::NotCarried;
use guanxi_lists::output::{Existing, Output};
use guanxi_lists::{like, post, request, user as user_list};
use guanxi_model::post::ImportPost;
use guanxi_model::user::ImportUser;
use guanxi_model::{ImportRequest, RestrictionKind, Result, Uid};
use guanxi_ports::{ExportEdge, ExportLike};
use guanxi_server::config::Settings;
use guanxi_server::{Context, Failure, Outcome};
use indicatif::ProgressBar;
use left_out::LeftOutRows;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::slice;
use tokio::runtime::Handle;
use user::OneUser;

/// Erased users read at once; at most as many as one answer of the API holds.
const ERASED_CHUNK: usize = 10_000;

/// Exports what is in the graph.
#[derive(Debug, Args)]
pub(super) struct ExportCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Export follows as `subject TAB object TAB unix seconds`, ordered by subject and object
    Edges(List),
    /// Export blocks, in the form of follows
    Blocks(List),
    /// Export mutes, in the form of follows, each with its scope and its end
    Mutes(List),
    /// Export posts as lines of JSON, deleted ones too, each after the post that it refers to
    Posts(List),
    /// Export likes as lines of JSON, ordered by post and user
    Likes(List),
    /// Export users as lines of JSON, ordered by uid: accounts with the hashes of their passwords, and profiles
    Users(List),
    /// Export waiting requests as lines of JSON; requests that end first come first
    Requests(List),
    /// Export the erased users as `uid TAB unix seconds`, ordered by uid, for `guanxi restore --erased`
    Erased(List),
    /// Export all data of one user as lines of JSON; the last line says that the export is complete
    User(OneUser),
}

/// The kind of rows of a list.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Edges,
    Restrictions(RestrictionKind),
    Posts,
    Likes,
    Users,
    Requests,
    Erased,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Restrictions(RestrictionKind::Block) => "blocks",
            Self::Restrictions(RestrictionKind::Mute) => "mutes",
            Self::Posts => "posts",
            Self::Likes => "likes",
            Self::Users => "users",
            Self::Requests => "requests",
            Self::Erased => "erased",
        }
    }

    /// Returns the form of the rows, as the first line of a list that can be imported names it.
    const fn columns(self) -> Option<&'static str> {
        match self {
            Self::Edges | Self::Restrictions(RestrictionKind::Block) => Some(EDGE_COLUMNS),
            Self::Restrictions(RestrictionKind::Mute) => Some(MUTE_COLUMNS),
            Self::Posts | Self::Likes | Self::Users | Self::Requests => Some("a JSON object a line"),
            Self::Erased => None,
        }
    }
}

#[derive(Debug, Args)]
struct List {
    /// The file to write, compressed if it ends in .gz or .zst; - for standard output
    #[arg(value_name = "FILE", default_value = STANDARD)]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    /// The kind of ids in the list: uids, or ids of your own. Rows about users without such an id are left out (exit code 3)
    #[arg(long, value_name = "KIND", default_value = "uid")]
    ids: Ids,
    /// Replace a file that exists, once the list is complete
    #[arg(long)]
    force: bool,
    /// Print a report as JSON (when the export is written to a file)
    #[arg(long)]
    json: bool,
}

impl ExportCommand {
    /// The directory named by a flag.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        match self.list() {
            Ok((_, list)) => list.target.data.as_ref(),
            Err(user) => user.target.data.as_ref(),
        }
    }

    /// Writes what is meant.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        match self.list() {
            Ok((kind, list)) => list.run(kind, settings).await,
            Err(user) => user.run(settings).await,
        }
    }

    /// Returns the list that is meant, or else the one user.
    const fn list(&self) -> Result<(Kind, &List), &OneUser> {
        Ok(match &self.what {
            What::Edges(list) => (Kind::Edges, list),
            What::Blocks(list) => (Kind::Restrictions(RestrictionKind::Block), list),
            What::Mutes(list) => (Kind::Restrictions(RestrictionKind::Mute), list),
            What::Posts(list) => (Kind::Posts, list),
            What::Likes(list) => (Kind::Likes, list),
            What::Users(list) => (Kind::Users, list),
            What::Requests(list) => (Kind::Requests, list),
            What::Erased(list) => (Kind::Erased, list),
            What::User(user) => return Err(user),
        })
    }
}

impl List {
    async fn run(&self, kind: Kind, settings: &Settings) -> Outcome {
        let existing = Existing::of_force(self.force);
        Output::check(&self.file, existing)?;
        let export = async |target: &Target| {
            let progress = bar("export", None, Unit::Rows);
            // A file with hashes of passwords is readable for its owner alone.
            let mut output = match kind {
                Kind::Users => Output::create_private(&self.file, existing)?,
                _ => Output::create(&self.file, existing)?,
            };
            if let Some(columns) = kind.columns() {
                writeln!(output, "{}", Stamped::line(kind.name(), self.ids, columns))
                    .context(format_args!("cannot export to {}", self.file))?;
            }
            let mut sink = Sink::new(output, progress);
            let written = self.write(kind, target, &mut sink).await;
            Ok((sink.written(written), sink))
        };
        let (written, sink) = self.target.with_reading(settings, export).await?;
        sink.progress.finish_and_clear();
        let Sink { output, rows, closed, left_out, .. } = sink;
        let written = written.and_then(|deleted| output.finish().map(|_| deleted).map_err(Into::into));
        if closed {
            complain("the reader of the export went away");
            return Ok(());
        }
        let deleted = written.context(format_args!("cannot export to {}", self.file))?;
        self.tell(kind, rows, deleted, left_out.rows)?;
        if left_out.rows > 0 {
            return Err(Failure::refused(left_out).hint("without --ids all rows are exported, with uids"));
        }
        Ok(())
    }

    /// Writes all rows. Answers how many of deleted users were left out.
    async fn write(&self, kind: Kind, target: &Target, sink: &mut Sink) -> Result<u64> {
        let (operator, ids) = (&target.operator, |uids| self.ids(target, uids));
        match kind {
            Kind::Edges | Kind::Restrictions(_) => {
                let kind = if let Kind::Restrictions(kind) = kind { Some(kind) } else { None };
                let mut put =
                    |edges: &[ExportEdge]| sink.put(edges, ids(edge_users(edges)), edge_users, edge);
                operator.export_edges(kind, None, None, None, &mut put).await
            }
            Kind::Posts => {
                let mut put =
                    |posts: &[ImportPost]| sink.put(posts, ids(post_users(posts)), post_users, post::write);
                operator.export_posts(None, &mut put).await
            }
            Kind::Likes => {
                let mut put =
                    |likes: &[ExportLike]| sink.put(likes, ids(like_users(likes)), like_users, like::write);
                operator.export_likes(None, None, None, &mut put).await
            }
            Kind::Users => {
                let mut put =
                    |users: &[ImportUser]| sink.put(users, ids(uids(users)), uids, user_list::write);
                operator.export_users(&mut put).await
            }
            Kind::Requests => {
                let mut put = |requests: &[ImportRequest]| {
                    sink.put(requests, ids(request_users(requests)), request_users, request::write)
                };
                operator.export_requests(&mut put).await
            }
            Kind::Erased => sink.put_erased(operator).await.map(|()| 0),
        }
    }

    /// Says what was written, how many rows of deleted users and of users without an id were left out, and what no list carries.
    fn tell(&self, kind: Kind, rows: u64, deleted: u64, left_out: u64) -> Outcome {
        let what = kind.name();
        if self.json && self.file != STANDARD {
            let mut told = serde_json::json!({ what: rows });
            if kind.columns().is_some() {
                told["of_deleted_users"] = deleted.into();
            }
            if self.ids == Ids::String {
                told["left_out"] = left_out.into();
            }
            print_json(&told)?;
        }
        complain(format_args!("exported {rows} {what}"));
        if deleted > 0 {
            complain(format_args!(
                "left out {deleted} {what} of deleted users, or that depend on their posts"
            ));
        }
        if kind.columns().is_some() {
            complain(NotCarried);
        }
        Ok(())
    }

    /// Returns the ids to write for some users. The store is asked while a part of the list waits to be written.
    fn ids(&self, target: &Target, mut uids: Vec<Uid>) -> io::Result<WrittenIds> {
        if self.ids == Ids::Uid {
            return Ok(WrittenIds::default());
        }
        uids.sort_unstable();
        uids.dedup();
        let ask = target.operator.external_ids(&uids);
        let found =
            tokio::task::block_in_place(|| Handle::current().block_on(ask)).map_err(io::Error::other)?;
        let found = uids.iter().copied().zip(found).filter_map(|(uid, id)| Some((uid, id?)));
        Ok(WrittenIds::own(found.collect()))
    }
}

fn edge_users(edges: &[ExportEdge]) -> Vec<Uid> {
    edges.iter().flat_map(|edge| [edge.subject, edge.object]).collect()
}

fn post_users(posts: &[ImportPost]) -> Vec<Uid> {
    let named = |post: &ImportPost| {
        let of = [&post.reply_to, &post.repost_of].map(|of| of.as_ref().map(|(author, _)| *author));
        std::iter::once(post.author).chain(of.into_iter().flatten())
    };
    posts.iter().flat_map(named).collect()
}

fn like_users(likes: &[ExportLike]) -> Vec<Uid> {
    likes.iter().flat_map(|like| [like.like.uid, like.author]).collect()
}

fn uids(users: &[ImportUser]) -> Vec<Uid> {
    users.iter().map(|user| user.uid).collect()
}

fn request_users(requests: &[ImportRequest]) -> Vec<Uid> {
    requests.iter().flat_map(|request| [request.sender, request.receiver]).collect()
}

fn erased((uid, at_ms): &(Uid, u64), _ids: &WrittenIds, output: &mut Output) -> io::Result<()> {
    writeln!(output, "{uid}\t{}", at_ms / 1_000)
}

fn edge(edge: &ExportEdge, ids: &WrittenIds, output: &mut Output) -> io::Result<()> {
    output.edge(edge, ids)
}

struct Sink {
    output: Output,
    progress: ProgressBar,
    rows: u64,
    /// The reader of standard output has closed it, as `head` does.
    closed: bool,
    /// What failed, when a row could not be written.
    failed: Option<io::Error>,
    left_out: LeftOutRows,
}

impl Sink {
    fn new(output: Output, progress: ProgressBar) -> Self {
        Self { output, progress, rows: 0, closed: false, failed: None, left_out: LeftOutRows::default() }
    }

    /// Returns why the list was not written: what failed here, or else what the reading of it answers.
    fn written<T>(&mut self, read: Result<T>) -> Outcome<T> {
        match self.failed.take() {
            Some(error) => Err(error.into()),
            None => Ok(read?),
        }
    }

    /// Writes the erased users, in the order of uids.
    async fn put_erased(&mut self, operator: &OperatorClient) -> Result<()> {
        let mut after = None;
        loop {
            let users = operator.erased_users(after, ERASED_CHUNK).await?;
            // An erased user has no id of its own any more.
            let written = self.put(&users, Ok(WrittenIds::default()), |_| Vec::new(), erased);
            after = users.last().map(|(uid, _)| *uid);
            if written.is_err() || users.len() < ERASED_CHUNK {
                return Ok(());
            }
        }
    }

    /// Writes rows as [`Self::write`], by the ids that were found for them, and keeps what fails.
    fn put<T>(
        &mut self,
        rows: &[T],
        ids: io::Result<WrittenIds>,
        users: fn(&[T]) -> Vec<Uid>,
        write: fn(&T, &WrittenIds, &mut Output) -> io::Result<()>,
    ) -> io::Result<()> {
        ids.and_then(|ids| self.write(rows, &ids, users, write)).map_err(|error| {
            let kind = error.kind();
            self.closed = kind == io::ErrorKind::BrokenPipe;
            self.failed = Some(error);
            kind.into()
        })
    }

    /// Writes rows, but for those about users that have not the id that they are to be written by.
    fn write<T>(
        &mut self,
        rows: &[T],
        ids: &WrittenIds,
        users: fn(&[T]) -> Vec<Uid>,
        write: fn(&T, &WrittenIds, &mut Output) -> io::Result<()>,
    ) -> io::Result<()> {
        for row in rows {
            if ids.are_own() {
                let mut missing =
                    users(slice::from_ref(row)).into_iter().filter(|uid| ids.user(*uid).is_err()).peekable();
                if missing.peek().is_some() {
                    self.left_out.add(missing);
                    continue;
                }
            }
            write(row, ids, &mut self.output)?;
            self.rows += 1;
        }
        self.progress.set_position(self.rows);
        Ok(())
    }
}
