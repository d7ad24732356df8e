//! `guanxi import`: a list of follows, blocks, mutes, posts or likes into the graph.

mod bulk;
mod dry;
mod job;
mod layout;

pub(super) use bulk::bulk;
pub(super) use job::ImportRules;

use super::target::{Target, TargetArgs, data_dir};
use super::{complain, print, print_json};
use clap::{Args, Subcommand};
use dry::dry_run;
use guanxi_lists::form::{Decided, Form, Ids};
use guanxi_lists::input::{Input, STANDARD};
use guanxi_lists::named::{Named, NamedRow};
use guanxi_lists::not_carried::NotCarried;
use guanxi_lists::place::Place;
use guanxi_lists::refusals::Refusals;
use guanxi_lists::report::{Method, Report};
use guanxi_lists::row::Row;
use guanxi_model::limits::JOB_NAME_LEN_MAX;
use guanxi_model::post::{ImportLike, ImportPost};
use guanxi_model::user::ImportUser;
use guanxi_model::{ImportEdge, ImportRequest, RestrictionKind};
use guanxi_server::config::{Settings, Uids};
use guanxi_server::{Context, Failure, Outcome};
use job::{EdgeSink, Importer, LikeSink, NamedSink, PostSink, RequestSink, RestrictionSink, Sink, UserSink};
use layout::{ListLayout, decide_lines};
use std::hash::{Hash as _, Hasher as _};
use std::path::PathBuf;
use xxhash_rust::xxh3::Xxh3;

/// Imports into the graph.
#[derive(Debug, Args)]
pub(super) struct Import {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Import follows from lines of `source target [time]`, or of a table that names its columns
    Edges(Edges),
    /// Import blocks, in the form of follows; a block ends follows between the two
    Blocks(Restrictions),
    /// Import mutes, in the form of follows, with what each leaves out and when it ends
    Mutes(Restrictions),
    /// Import posts from lines of JSON
    Posts(Posts),
    /// Import likes from lines of JSON
    Likes(Likes),
    /// Import users from lines of JSON: accounts with the hashes of their passwords, and profiles
    Users(Users),
    /// Import requests that wait from lines of JSON: they are asked again
    Requests(Requests),
}

/// The text below the flags of edges.
const EDGES_HELP: &str = "\
Fields are separated by commas, semicolons, tabs or spaces, and may be in quotes. The time is in Unix seconds, as in \
RFC 3339, or as databases print it, where no zone means UTC; absent, empty or \\N means now. Blank lines and lines that begin \
with # are skipped. How the list is laid out is decided from its first 64 KiB before anything is written, and --dry-run shows it. \
A first line of names such as follower_id,followee_id,created_at says which column is which, in any order; what may be a row or \
not, and columns of unknown names, are refused until --header and --columns say what they are. Lists of guanxi export say \
themselves what they are. A list of whom one user follows takes --subject, of who follows one user --object. \
Importing again changes nothing, and an import that was interrupted goes on where it stood when the same command \
is run again on the same list; a list that was changed before that place is refused. Into an empty directory the list is sorted \
and loaded at once; an interrupted load starts over. \
Refused lines are reported, the first twenty in full and all of them in a file that is named, and do not fail the \
import unless all are refused (exit code 3) or --max-refused or --strict says so.";

/// The text below the flags of blocks and mutes.
const RESTRICTIONS_HELP: &str = "\
The lines are those of `guanxi import edges --help`. Of mutes columns named scope (all or reposts; empty means all) and until \
(a time; empty means for ever) say what is left out, and when that ends; one that is over is not set. Importing again changes nothing: what is set keeps its time; what was \
taken off since is set again. An import that was interrupted goes on where it stood when the same command is run again.";

/// The text below the flags of posts.
const POSTS_HELP: &str = "\
A line is an object such as {\"author\": 7, \"key\": \"a1\", \"time\": \"2024-05-01T12:30:00Z\", \"text\": \"hello\"}. \
`key` is your name of the post, unique among the author's; `time` is as in RFC 3339 or in Unix milliseconds. Optional \
are `visibility` (PUBLIC, FOLLOWERS, FRIENDS, GROUP with `group_id`, a group of the author that is there), `attachments` ([{\"kind\": \"IMAGE\", \"reference\": \"URL\"}]), and \
`reply_to` or `repost_of` ({\"author\": 8, \"key\": \"b2\"}), which name a post of an earlier line or import. Lines of \
`guanxi export posts` also have `post_id`, which the post keeps if it is free, and `deleted`. Blank lines \
and lines that begin with # are skipped. Importing again changes nothing, and an import that was interrupted goes on \
where it stood when the same command is run again. Refused lines are reported, the first twenty in full and all of them in a file that is named, and do not fail the \
import unless all are refused (exit code 3) or --max-refused or --strict says so.";

/// The text below the flags of likes.
const LIKES_HELP: &str = "\
A line is an object such as {\"user\": 9, \"author\": 7, \"key\": \"a1\", \"time\": \"2024-05-01T12:31:00Z\"}, which \
names a post by its author and the key that it was imported with; `time` is as in RFC 3339 or in Unix milliseconds, and \
absent means now. Import posts first. Importing again changes nothing: what is liked keeps its time; a like that was taken \
back since is set again. An import that was interrupted goes on where it stood when the same command is run again.";

/// The text below the flags of users.
const USERS_HELP: &str = "\
A line is an object such as {\"login_name\": \"alice\", \"password_hash\": \"$2b$12$...\", \"nickname\": \"Alice\"}. \
`password_hash` is a PHC string of argon2 or a string of bcrypt, as other systems keep them; it is hashed anew at the next \
login. `uid` keeps a number of yours: of a line with a login name its low 8 bits must be those of the hash of the name, so \
leave it out there, and the uid follows from the name; of a line without one it is required, and the line is a profile. \
Optional are `nickname`, `sex` (FEMALE, MALE, OTHER), `birth_year`, `bio`, `avatar` and `attributes` ({\"city\": \"Xi'an\"}); \
`register_time` of an account, as in RFC 3339 or in Unix milliseconds, which is now if it is absent; `phone` (E.164) and `email`, \
which you have verified; `status` (ACTIVE, DEACTIVATED); what others may know: `discoverable` (true unless given), `locked`, \
`hides_following`, `hides_followers` (false unless given); and `external_id`, the id of yours that a user without a login name has. \
With --ids string lines have `external_id` and neither `uid` nor `login_name`. Import users first: an account is refused whose uid \
has relations or posts already (UID_IN_USE), and so is one whose phone number or mail address another user has (CONTACT_TAKEN). \
Importing again changes nothing: what is there stays as it is. An import that was interrupted goes on where it stood when \
the same command is run again. The list and the file of refused lines hold hashes of passwords: keep them as you keep those.";

/// The text below the flags of requests.
const REQUESTS_HELP: &str = "\
A line is an object such as {\"sender\": 9, \"receiver\": 7, \"kind\": \"FRIEND\", \"message\": \"hello\"}. `kind` is FRIEND or \
FOLLOW; a request to follow is for who is locked, so import users first, and follows before that. `message` is of friend requests; \
`expire_time`, as in RFC 3339 or in Unix milliseconds, is when a friend request ends by itself, 30 days from now if it is absent. \
A request is asked again: it waits since the import, and is refused where it would be refused now, as of who is blocked. \
Importing again changes nothing of what waits. An import that was interrupted goes on where it stood when the same command is run \
again.";

/// What is imported, and where to.
#[derive(Debug, Args)]
struct Source {
    /// A plain, gzip or zstd file, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    /// How the list names users: by uids, or by ids of your own, for which uids are made
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
    /// Say what the list is taken for and show its first three rows; nothing is written
    #[arg(long)]
    dry_run: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EDGES_HELP)]
struct Edges {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    layout: ListLayout,
    /// Bring follows back that were removed; without it they stay removed
    #[arg(long)]
    revive: bool,
}

#[derive(Debug, Args)]
#[command(after_help = RESTRICTIONS_HELP)]
struct Restrictions {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    layout: ListLayout,
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

#[derive(Debug, Args)]
#[command(after_help = REQUESTS_HELP)]
struct Requests {
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
            What::Requests(requests) => &requests.source,
        }
    }

    /// Returns the kind of rows in the list.
    const fn kind(&self) -> &'static str {
        match self.what {
            What::Edges(_) => "edges",
            What::Blocks(_) => "blocks",
            What::Mutes(_) => "mutes",
            What::Posts(_) => "posts",
            What::Likes(_) => "likes",
            What::Users(_) => "users",
            What::Requests(_) => "requests",
        }
    }

    /// How the list is laid out, before anything is written.
    fn decide(&self, input: &Input) -> Outcome<Decided> {
        let (kind, ids) = (self.kind(), self.source().ids);
        match &self.what {
            What::Edges(edges) => edges.layout.decide(input, kind, ids),
            What::Blocks(restrictions) | What::Mutes(restrictions) => {
                restrictions.layout.decide(input, kind, ids)
            }
            What::Posts(_) | What::Likes(_) | What::Users(_) | What::Requests(_) => {
                decide_lines(input, kind, ids)
            }
        }
    }

    /// Shows what the list is taken for.
    fn show(&self, input: Input, decided: Decided) -> Outcome {
        let Source { file, json, ids, .. } = self.source();
        let verb = match self.what {
            What::Blocks(_) => "blocks",
            What::Mutes(_) => "mutes",
            _ => "follows",
        };
        match (&self.what, ids) {
            (What::Users(_), Ids::Uid) => dry_run::<ImportUser>(file, input, decided, verb, *json),
            (What::Users(_), Ids::String) => dry_run::<Named<ImportUser>>(file, input, decided, verb, *json),
            (What::Requests(_), Ids::Uid) => dry_run::<ImportRequest>(file, input, decided, verb, *json),
            (What::Requests(_), Ids::String) => {
                dry_run::<Named<ImportRequest>>(file, input, decided, verb, *json)
            }
            (What::Posts(_), Ids::Uid) => dry_run::<ImportPost>(file, input, decided, verb, *json),
            (What::Posts(_), Ids::String) => dry_run::<Named<ImportPost>>(file, input, decided, verb, *json),
            (What::Likes(_), Ids::Uid) => dry_run::<ImportLike>(file, input, decided, verb, *json),
            (What::Likes(_), Ids::String) => dry_run::<Named<ImportLike>>(file, input, decided, verb, *json),
            (_, Ids::Uid) => dry_run::<ImportEdge>(file, input, decided, verb, *json),
            (_, Ids::String) => dry_run::<Named<ImportEdge>>(file, input, decided, verb, *json),
        }
    }

    /// The name under which an interrupted import goes on. The same file read otherwise is another import.
    fn job(&self, input: &Input, form: &Form) -> Option<String> {
        // One file may be imported as follows, blocks and mutes, and hold uids by mistake.
        let own = match self.what {
            What::Blocks(_) => "import-blocks",
            What::Mutes(_) => "import-mutes",
            _ => "import",
        };
        let of_ids = if self.source().ids == Ids::String { "-string" } else { "" };
        let name = |fingerprint: u64| {
            let mut hash = Xxh3::new();
            (fingerprint, form).hash(&mut hash);
            format!("{own}{of_ids}-{:016x}", hash.finish())
        };
        self.source().job.clone().or_else(|| input.fingerprint.map(name))
    }

    /// Imports and reports.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let source = self.source();
        let input = Input::open(&source.file)?;
        let decided = self.decide(&input).context(format_args!("cannot import {}", source.file))?;
        if source.dry_run {
            return self.show(input, decided);
        }
        let (job, is_export) = (self.job(&input, &decided.form), decided.facts.is_export);
        let list = List { input, job, rules: source.rules(decided.form) };
        let report = match &self.what {
            What::Edges(edges) => edges.import(list, settings).await,
            What::Blocks(restrictions) => restrictions.import(RestrictionKind::Block, list, settings).await,
            What::Mutes(restrictions) => restrictions.import(RestrictionKind::Mute, list, settings).await,
            What::Posts(posts) => posts.import(list, settings).await,
            What::Likes(likes) => likes.import(list, settings).await,
            What::Users(users) => users.import(list, settings).await,
            What::Requests(requests) => requests.import(list, settings).await,
        };
        let report = report.context(format_args!("import of {}", source.file))?;
        if let Some(warning) = report.skew() {
            complain(format_args!("warning: {warning}"));
        }
        if is_export {
            complain(NotCarried);
        }
        if source.json {
            print_json(&report)?;
        } else {
            print(&report)?;
        }
        source.judge(&report)
    }
}

/// An opened list, of which is known how it is read.
struct List {
    input: Input,
    job: Option<String>,
    rules: ImportRules,
}

impl Edges {
    async fn import(&self, list: List, settings: &Settings) -> Outcome<Report> {
        let target = &self.source.target;
        let of_directory = target.server.is_none() && !target.is_cluster(settings)?;
        let empty = of_directory && guanxi_server::loadable(data_dir(settings)?);
        // What is loaded at once has uids, any of them.
        let any_uids = self.source.ids == Ids::Uid && settings.uids.is_none_or(Uids::admit_all);
        if empty && any_uids {
            return bulk(list.input, list.job, settings, list.rules).await;
        }
        let work = async |target: &Target| {
            let sink = EdgeSink { target, revive: self.revive };
            self.source.run(sink, target, list).await
        };
        if empty { target.with_new(settings, work).await } else { target.with(settings, work).await }
    }
}

impl Restrictions {
    async fn import(&self, kind: RestrictionKind, list: List, settings: &Settings) -> Outcome<Report> {
        let work =
            async |target: &Target| self.source.run(RestrictionSink { target, kind }, target, list).await;
        self.source.target.with_new(settings, work).await
    }
}

impl Posts {
    async fn import(&self, list: List, settings: &Settings) -> Outcome<Report> {
        let work =
            async |target: &Target| self.source.run::<ImportPost>(PostSink { target }, target, list).await;
        self.source.target.with_new(settings, work).await
    }
}

impl Likes {
    async fn import(&self, list: List, settings: &Settings) -> Outcome<Report> {
        let work =
            async |target: &Target| self.source.run::<ImportLike>(LikeSink { target }, target, list).await;
        self.source.target.with_new(settings, work).await
    }
}

impl Users {
    async fn import(&self, list: List, settings: &Settings) -> Outcome<Report> {
        let work =
            async |target: &Target| self.source.run::<ImportUser>(UserSink { target }, target, list).await;
        self.source.target.with_new(settings, work).await
    }
}

impl Requests {
    async fn import(&self, list: List, settings: &Settings) -> Outcome<Report> {
        let work = async |target: &Target| {
            self.source.run::<ImportRequest>(RequestSink { target }, target, list).await
        };
        self.source.target.with_new(settings, work).await
    }
}

impl Source {
    fn rules(&self, form: Form) -> ImportRules {
        let refused = if self.file == STANDARD { "standard-input" } else { &self.file };
        let max_refused = if self.strict { Some(0) } else { self.max_refused };
        ImportRules { form, max_refused, refused: Some(refused.into()) }
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
    async fn run<R: NamedRow>(&self, sink: impl Sink<R>, target: &Target, list: List) -> Outcome<Report> {
        match self.ids {
            Ids::Uid => self.run_rows(sink, target, list).await,
            Ids::String => {
                let sink = NamedSink::new(target, sink);
                self.run_rows::<Named<R>>(sink, target, list).await
            }
        }
    }

    /// Runs a job, or runs it once more from the beginning when it had come to its end: every line is counted
    /// again, and changes nothing.
    async fn run_rows<R: Row>(&self, sink: impl Sink<R>, target: &Target, list: List) -> Outcome<Report> {
        let List { input, job, rules } = list;
        let method = match target {
            Target::Data(_) => Method::Batches,
            Target::Server(_) => Method::Server,
        };
        let done = job::stored_place(target, job.as_deref()).await?;
        let importer = Importer { sink, method, job, rules };
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
        let mut report_again = again.run(Input::open(&self.file)?, Place::default()).await?;
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
