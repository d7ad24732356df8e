//! The databases, shards and processes of a cluster.

use guanxi_proto::v1;
use maud::{Markup, html};

use crate::parts::number;
use crate::picture::{GeneSquare, genes};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let request = v1::GetShardMapRequest::default();
    let map = visit.calls.admin.admin().get_shard_map(request).await?.into_owned();
    let body = if map.cluster {
        shown(visit, &map)
    } else {
        html! { p { (visit.say(Text::OneMachine)) } }
    };
    Ok(visit.page(visit.say(Text::Cluster), &body))
}

fn shown(visit: &Visit, map: &v1::GetShardMapResponse) -> Markup {
    let away = map.databases.iter().filter(|database| !database.answer_time.is_set());
    html! {
        @for database in away { p.problem { (visit.look.fill(Text::DatabaseAway, &[&database.name])) } }
        h2 { (visit.say(Text::Databases)) }
        (databases(visit, map))
        h2 { (visit.say(Text::Genes)) }
        p.soft { (visit.say(Text::GenesHint)) }
        (picture(visit, map))
        (groups(visit, map))
        h2 { (visit.say(Text::Processes)) }
        p.soft { (visit.say(Text::ProcessesHint)) }
        (processes(visit, map))
    }
}

fn head(visit: &Visit, texts: &[Text]) -> Markup {
    html! { thead { tr { @for text in texts { th scope="col" { (visit.say(*text)) } } } } }
}

fn databases(visit: &Visit, map: &v1::GetShardMapResponse) -> Markup {
    let columns = [Text::Number, Text::Database, Text::State, Text::AnswerTime, Text::Behind, Text::Genes];
    html! {
        div.scroll tabindex="0" { table {
            (head(visit, &columns))
            tbody { @for (place, database) in map.databases.iter().enumerate() { tr {
                td { (place + 1) }
                td { (database.name) }
                @if let Some(took) = database.answer_time.as_option() {
                    td { span.badge.good { (visit.say(Text::Answers)) } }
                    td { (took.seconds * 1_000 + i64::from(took.nanos / 1_000_000)) " ms" }
                } @else {
                    td { span.badge.bad { (visit.say(Text::Away)) } }
                    td { "-" }
                }
                td { (or_dash(database.behind)) }
                td { (database.genes.unwrap_or_default()) }
            } } }
        } }
    }
}

fn or_dash(count: Option<u64>) -> String {
    count.map_or_else(|| "-".to_owned(), number)
}

/// Which database has each gene.
fn picture(visit: &Visit, map: &v1::GetShardMapResponse) -> Markup {
    let index =
        |name: &str| map.databases.iter().position(|database| database.name == name).unwrap_or_default();
    let square = |shard: &v1::Shard| GeneSquare {
        database: index(&shard.database),
        is_moving: shard.state.as_known() == Some(v1::shard::State::MOVING),
        title: visit.look.fill(
            Text::GeneTitle,
            &[&shard.gene.unwrap_or_default(), &shard.database, &shard.epoch, &or_dash(shard.events)],
        ),
    };
    let squares: Vec<GeneSquare> = map.shards.iter().map(square).collect();
    genes(&squares, visit.say(Text::Genes))
}

/// Genes that are alike in database, epoch and state.
struct Group<'a> {
    first: &'a v1::Shard,
    genes: Vec<u32>,
    events: Option<u64>,
}

/// The same as the picture, in words: a row for genes that are alike.
fn groups(visit: &Visit, map: &v1::GetShardMapResponse) -> Markup {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for shard in &map.shards {
        let is_alike = |group: &&mut Group<'_>| {
            (&group.first.database, group.first.epoch, group.first.state)
                == (&shard.database, shard.epoch, shard.state)
        };
        let gene = shard.gene.unwrap_or_default();
        match groups.iter_mut().find(is_alike) {
            Some(group) => {
                group.genes.push(gene);
                group.events = group.events.zip(shard.events).map(|(events, more)| events + more);
            }
            None => groups.push(Group { first: shard, genes: vec![gene], events: shard.events }),
        }
    }
    html! {
        div.scroll tabindex="0" { table {
            (head(visit, &[Text::Database, Text::Epoch, Text::State, Text::EventsOfLogs, Text::Genes]))
            tbody { @for group in &groups { tr {
                td { (group.first.database) }
                td { (group.first.epoch) }
                td { (visit.say(state(group.first))) }
                td { (or_dash(group.events)) }
                td { (ranges(&group.genes)) }
            } } }
        } }
    }
}

fn state(shard: &v1::Shard) -> Text {
    match shard.state.as_known() {
        Some(v1::shard::State::OPEN) => Text::ShardOpen,
        Some(v1::shard::State::MOVING) => Text::ShardMoving,
        _ => Text::ShardUnknown,
    }
}

/// Genes in order, those that follow each other as a range.
fn ranges(genes: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for gene in genes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *gene => *last = *gene,
            _ => ranges.push((*gene, *gene)),
        }
    }
    let written = ranges.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    written.collect::<Vec<_>>().join(" ")
}

fn processes(visit: &Visit, map: &v1::GetShardMapResponse) -> Markup {
    let columns = [Text::Number, Text::Machine, Text::Pid, Text::Version, Text::Roles, Text::ClockAhead];
    html! {
        div.scroll tabindex="0" { table {
            (head(visit, &columns))
            tbody { @for process in &map.processes { tr {
                td { (process.number) }
                td { (process.host) }
                td { (process.pid) }
                td { (process.version) }
                td { (process.roles.join(", ")) }
                td { (process.clock_ahead_ms) " ms" }
            } } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genes_that_follow_each_other_are_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2 5 7-8");
        assert_eq!(ranges(&[]), "");
    }
}
