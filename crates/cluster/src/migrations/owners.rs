//! Each table of a cluster keeps rows of kinds that the layout knows, whose terms say what erasure, exports and lists do with
//! them; or it is of the work of the cluster, and holds nothing of anybody.

use super::MIGRATIONS;
use guanxi_rows::{RecordKind as Kind, RowKind};
use std::collections::BTreeSet;

/// What a table holds.
enum Holds {
    /// Follows, beside records of some kinds.
    Follows(&'static [Kind]),
    /// Posts, beside records of some kinds.
    Posts(&'static [Kind]),
    /// Records of some kinds.
    Records(&'static [Kind]),
    /// Events: numbers alone, until they are trimmed.
    Events,
    /// How far work is, and who does it: numbers of shards, processes and checks.
    Work,
}

use Holds::{Events, Follows, Posts, Records, Work};

const TABLES: &[(&str, Holds)] = &[
    ("account", Records(&[Kind::User])),
    ("affinity", Records(&[Kind::Affinity, Kind::ScoredBy])),
    ("affinity_half_life", Records(&[Kind::Affinity])),
    ("answer", Records(&[Kind::Answer, Kind::AnswerTime])),
    ("applied", Work),
    ("audit", Records(&[Kind::Audit])),
    ("author", Records(&[Kind::Author])),
    ("block", Records(&[Kind::Block])),
    ("blocked_by", Records(&[Kind::MarkedBy])),
    ("check_run", Work),
    ("checked", Work),
    ("contact_claim", Records(&[Kind::Claim])),
    ("credential", Records(&[Kind::Credential])),
    ("credential_state", Work),
    ("data_key", Work),
    ("database", Work),
    ("digest", Work),
    ("dismissed", Records(&[Kind::Dismissed, Kind::DismissedBy])),
    ("duty", Work),
    ("erased_id", Records(&[Kind::ErasedId])),
    ("erased_id_key", Records(&[Kind::ErasedIdKey])),
    ("external_id", Records(&[Kind::ExternalUid, Kind::ExternalId])),
    ("fan", Follows(&[Kind::MarkedBy])),
    ("fanout_policy", Records(&[Kind::Policy])),
    ("follow", Follows(&[Kind::Tombstone])),
    ("forgotten_sign_out", Records(&[Kind::SignedOut])),
    ("group_member", Records(&[Kind::GroupMember, Kind::MemberOf])),
    ("group_number", Records(&[Kind::GroupNumber])),
    ("held", Work),
    ("housekeeper", Work),
    ("import_job", Records(&[Kind::Job])),
    ("lane", Work),
    ("liked", Records(&[Kind::LikeOfUser])),
    ("liker", Records(&[Kind::Like, Kind::LikeTime])),
    ("load", Work),
    ("loaded_answer", Records(&[Kind::Answer, Kind::AnswerTime])),
    ("log", Events),
    ("login_name", Records(&[Kind::LoginName])),
    ("migration", Records(&[Kind::Upgrade])),
    ("mute", Records(&[Kind::Mute, Kind::MarkedBy, Kind::PairEnd])),
    ("password", Records(&[Kind::Password])),
    ("post", Posts(&[Kind::DeletedPost])),
    ("post_ref", Records(&[Kind::RepostOf, Kind::Reposted])),
    ("post_revision", Records(&[Kind::Revision])),
    ("post_source", Records(&[Kind::Source, Kind::Name])),
    ("post_stats", Records(&[Kind::PostStats])),
    ("rebuild", Work),
    ("request", Records(&[Kind::Request, Kind::Cooldown, Kind::PairEnd])),
    ("seen", Records(&[Kind::Seen])),
    ("sent", Records(&[Kind::SentRequest, Kind::Cooldown])),
    ("serving", Work),
    ("session", Records(&[Kind::Session, Kind::SessionOfUser, Kind::SessionEnd])),
    ("setting_answer", Records(&[Kind::Answer, Kind::AnswerTime])),
    ("shard", Records(&[Kind::State, Kind::PostHigh, Kind::RelationsSince])),
    ("signed_out", Records(&[Kind::SignedOut])),
    ("standing", Records(&[Kind::Standing, Kind::DeletedUser, Kind::ErasedUser])),
    ("uid_policy", Records(&[Kind::Uids])),
    ("unlocking", Records(&[Kind::Unlocking])),
    ("user_group", Records(&[Kind::Group])),
    ("user_state", Records(&[Kind::Counters, Kind::RequestsSeen])),
];

/// The tables of a schema that texts of migrations make.
fn made() -> BTreeSet<String> {
    let texts = MIGRATIONS.0.iter();
    let lines: Vec<&str> = texts.flat_map(|text| text.split("create table gx.").skip(1)).collect();
    let name = |text: &&str| text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
    lines.iter().map(name).collect()
}

#[test]
fn each_table_keeps_rows_of_known_kinds() {
    let mut made = made();
    // Those that each database has before the first version.
    made.extend(["database".to_owned(), "migration".to_owned()]);
    let listed: BTreeSet<String> = TABLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed, made, "each table has a row in this list, and each row a table");
    let mut kept = BTreeSet::new();
    for (_, holds) in TABLES {
        let (kind, records): (_, &[Kind]) = match holds {
            Follows(records) => (Some(RowKind::Follow), records),
            Posts(records) => (Some(RowKind::Post), records),
            Records(records) => (None, records),
            Events | Work => (None, &[]),
        };
        kept.extend(kind);
        kept.extend(records.iter().copied().map(RowKind::Record));
    }
    let all = Kind::ALL.iter().copied().map(RowKind::Record).chain([RowKind::Follow, RowKind::Post]);
    assert_eq!(kept, all.collect(), "each kind has a table");
}
