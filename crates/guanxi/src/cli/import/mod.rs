//! `guanxi import`: a list of follows, blocks, mutes, posts or likes into the graph.

mod bulk;
mod job;

pub(super) use bulk::bulk;
pub(super) use job::ImportRules;

use super::target::{Target, TargetArgs, data_dir};
use super::{complain, print, print_json};
use crate::config::{Settings, Uids};
use crate::failure::{Context, Failure, Outcome};
use crate::lists::input::{Input, STANDARD};
use crate::lists::named::{Ids, Named, NamedRow};
use crate::lists::refusals::Refusals;
use crate::lists::report::{Method, Report};
use crate::lists::row::{Header, Row};
use crate::wire;
use clap::{Args, Subcommand};
use guanxi_model::RestrictionKind;
use guanxi_model::limits::JOB_NAME_LEN_MAX;
use guanxi_model::post::{ImportLike, ImportPost};
use guanxi_model::user::ImportUser;
use job::{EdgeSink, Importer, LikeSink, NamedSink, PostSink, RestrictionSink, Sink, UserSink};
use std::path::PathBuf;

/// Imports into the graph.
#[derive(Debug, Args)]
pub(super) struct Import {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Import follows from lines of `source target [time]`
    Edges(Edges),
    /// Import blocks, in the form of follows; a block ends follows between the two
    Blocks(Restrictions),
    /// Import mutes, in the form of follows
    Mutes(Restrictions),
    /// Import posts from lines of JSON
    Posts(Posts),
    /// Import likes from lines of JSON
    Likes(Likes),
    /// Import users from lines of JSON: accounts with the hashes of their passwords, and profiles
    Users(Users),
}

/// What is said below the flags of edges.
const EDGES_HELP: &str = "\
Fields are separated by commas, semicolons, tabs or spaces, and may be in quotes. The time is in Unix seconds or as in \
RFC 3339; absent or empty means now. Blank lines, a header line and lines that begin with # are skipped. \
Importing again changes nothing, and an import that was interrupted goes on where it stood when the same command \
is run again. Into an empty directory the list is sorted and loaded at once; an interrupted load starts over. \
Refused lines are reported, the first twenty in full and all of them in a file that is named, and do not fail the \
import unless all are refused (exit code 3) or --max-refused or --strict says so.";

/// What is said below the flags of blocks and mutes.
const RESTRICTIONS_HELP: &str = "\
The lines are those of `guanxi import edges --help`. Importing again changes nothing: what is set keeps its time; what was \
taken off since is set again. An import that was interrupted goes on where it stood when the same command is run again.";

/// What is said below the flags of posts.
const POSTS_HELP: &str = "\
A line is an object such as {\"author\": 7, \"key\": \"a1\", \"time\": \"2024-05-01T12:30:00Z\", \"text\": \"hello\"}. \
`key` is your name of the post, unique among the author's; `time` is as in RFC 3339 or in Unix milliseconds. Optional \
are `visibility` (PUBLIC, FOLLOWERS, FRIENDS, GROUP with `group_id`, a group of the author that is there), `attachments` ([{\"kind\": \"IMAGE\", \"reference\": \"URL\"}]), and \
`reply_to` or `repost_of` ({\"author\": 8, \"key\": \"b2\"}), which name a post of an earlier line or import. Lines of \
`guanxi export posts` also have `post_id`, which the post keeps if it is free, and `deleted`. Blank lines \
and lines that begin with # are skipped. Importing again changes nothing, and an import that was interrupted goes on \
where it stood when the same command is run again. Refused lines are reported, the first twenty in full and all of them in a file that is named, and do not fail the \
import unless all are refused (exit code 3) or --max-refused or --strict says so.";

/// What is said below the flags of likes.
const LIKES_HELP: &str = "\
A line is an object such as {\"user\": 9, \"author\": 7, \"key\": \"a1\", \"time\": \"2024-05-01T12:31:00Z\"}, which \
names a post by its author and the key that it was imported with; `time` is as in RFC 3339 or in Unix milliseconds, and \
absent means now. Import posts first. Importing again changes nothing: what is liked keeps its time; a like that was taken \
back since is set again. An import that was interrupted goes on where it stood when the same command is run again.";

/// What is said below the flags of users.
const USERS_HELP: &str = "\
A line is an object such as {\"login_name\": \"alice\", \"password_hash\": \"$2b$12$...\", \"nickname\": \"Alice\"}. \
`password_hash` is a PHC string of argon2 or a string of bcrypt, as other systems keep them; it is hashed anew at the next \
login. `uid` keeps a number of yours: of a line with a login name its low 8 bits must be those of the hash of the name, so \
leave it out there, and the uid follows from the name; of a line without one it is required, and the line is a profile. \
Optional are `nickname`, `sex` (FEMALE, MALE, OTHER), `birth_year`, `bio`, `avatar` and `attributes` ({\"city\": \"Xi'an\"}). \
Importing again changes nothing: what is there stays as it is. An import that was interrupted goes on where it stood when \
the same command is run again. The list and the file of refused lines hold hashes of passwords: keep them as you keep those.";

/// What is imported, and where to.
#[derive(Debug, Args)]
struct Source {
    /// A plain, gzip or zstd file, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    /// What stands for users: uids, or ids of your own, for which uids are made
    #[arg(long, value_name = "KIND", default_value = "uid")]
    ids: Ids,
    /// The name under which an interrupted import goes on [default: made of the file's path, size and beginning]
    #[arg(long, value_name = "NAME", value_parser = job)]
    job: Option<String>,
    /// Give up, with exit code 3, when more than so many lines are refused; what was written before stays
    #[arg(long, value_name = "N")]
    max_refused: Option<u64>,
    /// Give up at the first refused line, as --max-refused 0
    #[arg(long, conflicts_with = "max_refused")]
    strict: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EDGES_HELP)]
struct Edges {
    #[command(flatten)]
    source: Source,
    /// Whether the first line names the columns
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    header: Header,
    /// Bring follows back that were removed; without it they stay removed
    #[arg(long)]
    revive: bool,
}

#[derive(Debug, Args)]
#[command(after_help = RESTRICTIONS_HELP)]
struct Restrictions {
    #[command(flatten)]
    source: Source,
    /// Whether the first line names the columns
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    header: Header,
}

#[derive(Debug, Args)]
#[command(after_help = POSTS_HELP)]
struct Posts {
    #[command(flatten)]
    source: Source,
}

#[derive(Debug, Args)]
#[command(after_help = LIKES_HELP)]
struct Likes {
    #[command(flatten)]
    source: Source,
}

#[derive(Debug, Args)]
#[command(after_help = USERS_HELP)]
struct Users {
    #[command(flatten)]
    source: Source,
}

impl Import {
    /// The directory named by a flag.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        self.source().target.data.as_ref()
    }

    const fn source(&self) -> &Source {
        match &self.what {
            What::Edges(edges) => &edges.source,
            What::Blocks(restrictions) | What::Mutes(restrictions) => &restrictions.source,
            What::Posts(posts) => &posts.source,
            What::Likes(likes) => &likes.source,
            What::Users(users) => &users.source,
        }
    }

    /// Imports and reports.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let source = self.source();
        let input = Input::open(&source.file)?;
        let own = match &self.what {
            What::Edges(_) | What::Posts(_) | What::Likes(_) | What::Users(_) => "import",
            // One file may be imported as both.
            What::Blocks(_) => "import-blocks",
            What::Mutes(_) => "import-mutes",
        };
        // One file may hold the ids of yours, or by mistake uids.
        let of_ids = if source.ids == Ids::String { "-string" } else { "" };
        let job = |hash| format!("{own}{of_ids}-{hash:016x}");
        let job = source.job.clone().or_else(|| input.fingerprint.map(job));
        let report = match &self.what {
            What::Edges(edges) => edges.import(input, job, settings).await,
            What::Blocks(restrictions) => {
                restrictions.import(RestrictionKind::Block, input, job, settings).await
            }
            What::Mutes(restrictions) => {
                restrictions.import(RestrictionKind::Mute, input, job, settings).await
            }
            What::Posts(posts) => posts.import(input, job, settings).await,
            What::Likes(likes) => likes.import(input, job, settings).await,
            What::Users(users) => users.import(input, job, settings).await,
        };
        let report = report.context(format_args!("import of {}", source.file))?;
        if let Some(warning) = report.skew() {
            complain(format_args!("warning: {warning}"));
        }
        if source.json {
            print_json(&report)?;
        } else {
            print(&report)?;
        }
        source.judge(&report)
    }
}

impl Edges {
    async fn import(&self, input: Input, job: Option<String>, settings: &Settings) -> Outcome<Report> {
        let target = &self.source.target;
        let of_directory = target.server.is_none() && !target.is_cluster(settings)?;
        let empty = of_directory && wire::loadable(data_dir(settings)?);
        // What is loaded at once has uids, any of them.
        let any_uids = self.source.ids == Ids::Uid && settings.uids.is_none_or(Uids::admit_all);
        if empty && any_uids {
            return bulk(input, job, settings, self.source.rules(self.header)).await;
        }
        let work = async |target: &Target| {
            let sink = EdgeSink { target, revive: self.revive };
            self.source.run(sink, target, input, job, self.header).await
        };
        if empty { target.with_new(settings, work).await } else { target.with(settings, work).await }
    }
}

impl Restrictions {
    async fn import(
        &self,
        kind: RestrictionKind,
        input: Input,
        job: Option<String>,
        settings: &Settings,
    ) -> Outcome<Report> {
        let work = async |target: &Target| {
            self.source.run(RestrictionSink { target, kind }, target, input, job, self.header).await
        };
        self.source.target.with_new(settings, work).await
    }
}

impl Posts {
    async fn import(&self, input: Input, job: Option<String>, settings: &Settings) -> Outcome<Report> {
        let work = async |target: &Target| {
            self.source.run::<ImportPost>(PostSink { target }, target, input, job, Header::No).await
        };
        self.source.target.with_new(settings, work).await
    }
}

impl Likes {
    async fn import(&self, input: Input, job: Option<String>, settings: &Settings) -> Outcome<Report> {
        let work = async |target: &Target| {
            self.source.run::<ImportLike>(LikeSink { target }, target, input, job, Header::No).await
        };
        self.source.target.with_new(settings, work).await
    }
}

impl Users {
    async fn import(&self, input: Input, job: Option<String>, settings: &Settings) -> Outcome<Report> {
        if self.source.ids != Ids::Uid {
            return Err(Failure::usage(
                "users are imported by uid or login name; ids of your own get uids with the lists that name them",
            ));
        }
        let work = async |target: &Target| {
            self.source.run_rows::<ImportUser>(UserSink { target }, target, input, job, Header::No).await
        };
        self.source.target.with_new(settings, work).await
    }
}

impl Source {
    fn rules(&self, header: Header) -> ImportRules {
        let refused = if self.file == STANDARD { "standard-input" } else { &self.file };
        let max_refused = if self.strict { Some(0) } else { self.max_refused };
        ImportRules { header, max_refused, refused: Some(refused.into()) }
    }

    /// Whether what was refused fails the import.
    fn judge(&self, report: &Report) -> Outcome {
        if let Some(why) = &report.refusals.failed {
            complain(format_args!("warning: not all refused lines could be written to a file: {why}"));
        }
        let (name, refused) = (report.name, report.refused_total);
        if report.gave_up {
            let left = match report.method {
                Method::Bulk if report.accepted == 0 => "nothing was imported",
                _ => "what was written before stays",
            };
            return Err(Failure::refused(format_args!(
                "{refused} {name} were refused, more than may be; {left}, and the same import can be run again"
            )));
        }
        if report.took_nothing() {
            return Err(Failure::refused(format_args!(
                "none of the {refused} {name} in {} was accepted; the report says why",
                self.file
            )));
        }
        Ok(())
    }

    /// Runs a job of rows with uids, or with the ids that users have elsewhere.
    async fn run<R: NamedRow>(
        &self,
        sink: impl Sink<R>,
        target: &Target,
        input: Input,
        job: Option<String>,
        header: Header,
    ) -> Outcome<Report> {
        match self.ids {
            Ids::Uid => self.run_rows(sink, target, input, job, header).await,
            Ids::String => {
                let sink = NamedSink::new(target, sink);
                self.run_rows::<Named<R>>(sink, target, input, job, header).await
            }
        }
    }

    /// Runs a job, or runs it once more from the beginning when it had come to its end: every line is counted
    /// again, and changes nothing.
    async fn run_rows<R: Row>(
        &self,
        sink: impl Sink<R>,
        target: &Target,
        input: Input,
        job: Option<String>,
        header: Header,
    ) -> Outcome<Report> {
        let method = match target {
            Target::Data(_) => Method::Batches,
            Target::Server(_) => Method::Server,
        };
        let done = job::stored_position(target, job.as_deref()).await?;
        let importer = Importer { sink, method, job, rules: self.rules(header) };
        let report = importer.run(input, done).await?;
        if report.lines > 0 || report.resumed_at_line == 0 {
            return Ok(report);
        }
        if self.file == STANDARD {
            let job = report.job.unwrap_or_default();
            complain(format_args!("job {job} was imported before; give another --job to import more"));
            return Ok(Report::new::<R>(Some(job), method, report.resumed_at_line, Refusals::default()));
        }
        let again = Importer { job: None, ..importer };
        let mut report_again = again.run(Input::open(&self.file)?, 0).await?;
        report_again.job = report.job;
        Ok(report_again)
    }
}

fn job(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > JOB_NAME_LEN_MAX as usize {
        return Err(format!("a job's name has 1 to {JOB_NAME_LEN_MAX} bytes"));
    }
    Ok(text.to_owned())
}
