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
use guanxi_api::admin_client::OperatorClient;
use guanxi_lists::form::{Decided, Form, Ids, Wish};
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
use job::{EdgeSink, Importer, NamedSink, Sink};
use layout::{decide_lines, decide_rows};
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
    /// Import mutes, in the form of follows, each with its scope and its end
    Mutes(Restrictions),
    /// Import posts from lines of JSON
    #[command(after_help = POSTS_HELP)]
    Posts(Source),
    /// Import likes from lines of JSON
    #[command(after_help = LIKES_HELP)]
    Likes(Source),
    /// Import users from lines of JSON: accounts with the hashes of their passwords, and profiles
    #[command(after_help = USERS_HELP)]
    Users(Source),
    /// Import waiting requests from lines of JSON: they are sent again
    #[command(after_help = REQUESTS_HELP)]
    Requests(Source),
}

/// The text below the flags of edges.
const EDGES_HELP: &str = "\
Fields are separated by commas, semicolons, tabs or spaces, and may be in quotes. Blank lines and lines that begin \
with # are skipped. The time is in Unix seconds, in RFC 3339, or as databases print it, in UTC if it has no zone. An \
absent or empty time and \\N mean now.\n\
\n\
The layout of the list is decided from its first 64 KiB, before anything is written. --dry-run shows it. A first line \
with names, such as follower_id,followee_id,created_at, names the columns, in any order. If the first line may be a \
row or a header, or a column has an unknown name, the list is refused until --header and --columns are given. A list \
of guanxi export has a first line that tells its layout. Give --subject for a list of the users whom one user follows, \
and --object for a list of the followers of one user.\n\
\n\
Importing again changes nothing. An interrupted import continues when the same command is run again on the same list. \
If the list was changed before that place, it is refused. Into an empty directory the list is sorted and loaded at \
once; an interrupted load starts over.\n\
\n\
Refused lines are reported: the first twenty in full, and all of them in a file that the report names. They fail the \
import only if all lines are refused (exit code 3), or with --max-refused or --strict.";

/// The text below the flags of blocks and mutes.
const RESTRICTIONS_HELP: &str = "\
The lines are those of `guanxi import edges --help`. A list of mutes may have two more columns: scope (all or reposts; \
empty means all), and until (the time at which the mute ends; empty means for ever). A mute that has ended is not \
written.\n\
\n\
Importing again changes nothing: a block or mute that exists keeps its time. A block or mute that was ended since the \
import is set again. An interrupted import continues when the same command is run again.";

/// The text below the flags of posts.
const POSTS_HELP: &str = "\
A line is an object such as {\"author\": 7, \"key\": \"a1\", \"time\": \"2024-05-01T12:30:00Z\", \"text\": \"hello\"}. \
`key` is your name of the post, unique among the author's posts. `time` is in RFC 3339 or in Unix milliseconds. Blank \
lines and lines that begin with # are skipped.\n\
\n\
Optional are `visibility` (PUBLIC, FOLLOWERS, FRIENDS, or GROUP with `group_id`, an existing group of the author), \
`attachments` ([{\"kind\": \"IMAGE\", \"reference\": \"URL\"}]), and `reply_to` or `repost_of` ({\"author\": 8, \
\"key\": \"b2\"}), which name a post of an earlier line or import. Lines of `guanxi export posts` also have `deleted` \
and `post_id`. The post keeps that id if it is free.\n\
\n\
Importing again changes nothing. An interrupted import continues when the same command is run again.\n\
\n\
Refused lines are reported: the first twenty in full, and all of them in a file that the report names. They fail the \
import only if all lines are refused (exit code 3), or with --max-refused or --strict.";

/// The text below the flags of likes.
const LIKES_HELP: &str = "\
A line is an object such as {\"user\": 9, \"author\": 7, \"key\": \"a1\", \"time\": \"2024-05-01T12:31:00Z\"}. It \
names a post by its author and the key that it was imported with. `time` is in RFC 3339 or in Unix milliseconds, and \
absent means now. Import posts first.\n\
\n\
Importing again changes nothing: a like that exists keeps its time. A like that was taken back since the import is set \
again. An interrupted import continues when the same command is run again.";

/// The text below the flags of users.
const USERS_HELP: &str = "\
A line is an object such as {\"login_name\": \"alice\", \"password_hash\": \"$2b$12$...\", \"nickname\": \"Alice\"}. \
`password_hash` is a PHC string of argon2 or a string of bcrypt, as other systems keep them. The next login hashes the \
password anew.\n\
\n\
`uid` is a number of yours. In a line with a login name leave it out: the uid then follows from the name. Otherwise \
its low 8 bits must be those of the hash of the name. A line without a login name is a profile, and needs a uid.\n\
\n\
Optional are:\n\
- `nickname`, `sex` (FEMALE, MALE, OTHER), `birth_year`, `bio`, `avatar` and `attributes` ({\"city\": \"Xi'an\"});\n\
- `register_time` of an account, in RFC 3339 or in Unix milliseconds; absent means now;\n\
- `phone` (E.164) and `email`, which you have verified;\n\
- `status` (ACTIVE, DEACTIVATED);\n\
- the privacy settings `discoverable` (true unless given), `locked`, `hides_following` and `hides_followers` (false \
unless given);\n\
- `external_id`, your id of a user without a login name.\n\
\n\
With --ids string lines have `external_id`, and neither `uid` nor `login_name`.\n\
\n\
Import users before all else. An account is refused if its uid has relations or posts already (UID_IN_USE). A user is \
refused if another user has its phone number or mail address (CONTACT_TAKEN).\n\
\n\
Importing again changes nothing: a user that exists stays as it is. An interrupted import continues when the same \
command is run again. The list and the file of refused lines hold hashes of passwords: protect both.";

/// The text below the flags of requests.
const REQUESTS_HELP: &str = "\
A line is an object such as {\"sender\": 9, \"receiver\": 7, \"kind\": \"FRIEND\", \"message\": \"hello\"}. `kind` is \
FRIEND or FOLLOW. A request to follow needs a receiver that is locked. So import users and follows first. Only friend \
requests have `message` and `expire_time`, the time at which the request ends by itself, in RFC 3339 or in Unix \
milliseconds; absent means 30 days from now.\n\
\n\
The import sends each request again. The request waits from the time of the import. It is refused in the same cases as \
a new request, for example if one user blocks the other.\n\
\n\
Importing again changes no request that waits. An interrupted import continues when the same command is run again.";

/// What is imported, and where to.
#[derive(Debug, Args)]
struct Source {
    /// A plain, gzip or zstd file, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    /// The kind of ids in the list: uids, or ids of your own, for which uids are made
    #[arg(long, value_name = "KIND", default_value = "uid")]
    ids: Ids,
    /// The name by which an interrupted import continues [default: made of the file's path, size and beginning]
    #[arg(long, value_name = "NAME", value_parser = job)]
    job: Option<String>,
    /// Stop with exit code 3 when more than this number of lines are refused. The lines written before stay
    #[arg(long, value_name = "N")]
    max_refused: Option<u64>,
    /// Stop at the first refused line, as with --max-refused 0
    #[arg(long, conflicts_with = "max_refused")]
    strict: bool,
    /// Print the layout of the list and its first three rows, and write nothing
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
    layout: Wish,
    /// Restore follows that were removed. Without it they stay removed
    #[arg(long)]
    revive: bool,
}

#[derive(Debug, Args)]
#[command(after_help = RESTRICTIONS_HELP)]
struct Restrictions {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    layout: Wish,
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
            What::Posts(source) | What::Likes(source) | What::Users(source) | What::Requests(source) => {
                source
            }
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
        let layout = match &self.what {
            What::Edges(edges) => &edges.layout,
            What::Blocks(restrictions) | What::Mutes(restrictions) => &restrictions.layout,
            What::Posts(_) | What::Likes(_) | What::Users(_) | What::Requests(_) => {
                return decide_lines(input, kind, ids);
            }
        };
        decide_rows(input, &Wish { kind, ids, ..layout.clone() })
    }

    /// Shows what the list is taken for.
    fn show(&self, input: Input, decided: Decided) -> Outcome {
        let source = self.source();
        match self.what {
            What::Edges(_) => source.show::<ImportEdge>(input, decided, "follows"),
            What::Blocks(_) => source.show::<ImportEdge>(input, decided, "blocks"),
            What::Mutes(_) => source.show::<ImportEdge>(input, decided, "mutes"),
            What::Posts(_) => source.show::<ImportPost>(input, decided, ""),
            What::Likes(_) => source.show::<ImportLike>(input, decided, ""),
            What::Users(_) => source.show::<ImportUser>(input, decided, ""),
            What::Requests(_) => source.show::<ImportRequest>(input, decided, ""),
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
            What::Posts(_) => source.import::<ImportPost>(list, settings).await,
            What::Likes(_) => source.import::<ImportLike>(list, settings).await,
            What::Users(_) => source.import::<ImportUser>(list, settings).await,
            What::Requests(_) => source.import::<ImportRequest>(list, settings).await,
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
            let sink = EdgeSink { operator: target.operator.clone(), kind: None, revive: self.revive };
            self.source.run(sink, target, list).await
        };
        if empty { target.with_new(settings, work).await } else { target.with(settings, work).await }
    }
}

impl Restrictions {
    async fn import(&self, kind: RestrictionKind, list: List, settings: &Settings) -> Outcome<Report> {
        let work = async |target: &Target| {
            let sink = EdgeSink { operator: target.operator.clone(), kind: Some(kind), revive: false };
            self.source.run(sink, target, list).await
        };
        self.source.target.with_new(settings, work).await
    }
}

impl Source {
    /// Shows what a list of such rows is taken for.
    fn show<R: NamedRow>(&self, input: Input, decided: Decided, verb: &str) -> Outcome {
        match self.ids {
            Ids::Uid => dry_run::<R>(&self.file, input, decided, verb, self.json),
            Ids::String => dry_run::<Named<R>>(&self.file, input, decided, verb, self.json),
        }
    }

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

    /// Imports rows of a kind that needs nothing but the rows.
    async fn import<R: NamedRow>(&self, list: List, settings: &Settings) -> Outcome<Report>
    where
        OperatorClient: Sink<R>,
    {
        let work = async |target: &Target| self.run::<R>(target.operator.clone(), target, list).await;
        self.target.with_new(settings, work).await
    }

    /// Runs a job of rows with uids, or with the ids that users have elsewhere.
    async fn run<R: NamedRow>(&self, sink: impl Sink<R>, target: &Target, list: List) -> Outcome<Report> {
        match self.ids {
            Ids::Uid => self.run_rows(sink, target, list).await,
            Ids::String => {
                let sink = NamedSink::new(target.operator.clone(), sink);
                self.run_rows::<Named<R>>(sink, target, list).await
            }
        }
    }

    /// Runs a job, or runs it once more from the beginning when it had come to its end: every line is counted
    /// again, and changes nothing.
    async fn run_rows<R: Row>(&self, sink: impl Sink<R>, target: &Target, list: List) -> Outcome<Report> {
        let List { input, job, rules } = list;
        let method = if target.is_server { Method::Server } else { Method::Batches };
        let done = job::stored_place(&target.operator, job.as_deref()).await?;
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
