//! `guanxi export`: follows, blocks or mutes, as import reads them.

use super::target::{Target, TargetArgs};
use super::{complain, print_json};
use crate::config::Settings;
use crate::failure::{Context, Outcome};
use crate::lists::input::STANDARD;
use crate::lists::output::{Existing, Output};
use crate::progress::{Unit, bar};
use clap::{Args, Subcommand};
use guanxi_model::RestrictionKind;
use guanxi_ports::ExportEdge;
use indicatif::ProgressBar;
use std::io;
use std::path::PathBuf;

/// Exports what is in the graph.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Export follows as `subject TAB object TAB unix seconds`, ordered by subject and object
    Edges(Edges),
    /// Export blocks, in the form of follows
    Blocks(Edges),
    /// Export mutes, in the form of follows
    Mutes(Edges),
}

#[derive(Debug, Args)]
struct Edges {
    /// The file to write, compressed if it ends in .gz or .zst; - for standard output
    #[arg(value_name = "FILE", default_value = STANDARD)]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    /// Replace a file that exists, once the list is complete
    #[arg(long)]
    force: bool,
    /// Print what was written as JSON (when it is written to a file)
    #[arg(long)]
    json: bool,
}

impl Export {
    /// The directory named by a flag.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        self.edges().1.target.data.as_ref()
    }

    /// What is exported, and how.
    const fn edges(&self) -> (Option<RestrictionKind>, &Edges) {
        match &self.what {
            What::Edges(edges) => (None, edges),
            What::Blocks(edges) => (Some(RestrictionKind::Block), edges),
            What::Mutes(edges) => (Some(RestrictionKind::Mute), edges),
        }
    }

    /// Writes the list.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let (kind, edges) = self.edges();
        edges.run(kind, settings).await
    }
}

impl Edges {
    async fn run(&self, kind: Option<RestrictionKind>, settings: &Settings) -> Outcome {
        let what = match kind {
            None => "edges",
            Some(RestrictionKind::Block) => "blocks",
            Some(RestrictionKind::Mute) => "mutes",
        };
        let existing = Existing::of_force(self.force);
        Output::check(&self.file, existing)?;
        let export = async |target: &Target| {
            let progress = bar("export", None, Unit::Rows);
            let mut sink =
                Sink { output: Output::create(&self.file, existing)?, progress, edges: 0, closed: false };
            let written = target.export(kind, &mut |edges| sink.put(edges)).await;
            Ok((sink, written))
        };
        let (sink, written) = self.target.with_reading(settings, export).await?;
        sink.progress.finish_and_clear();
        let Sink { output, edges, closed, .. } = sink;
        let written = written.and_then(|()| output.finish().map(drop).map_err(Into::into));
        if closed {
            complain("the reader of the export went away");
            return Ok(());
        }
        written.context(format_args!("cannot export to {}", self.file))?;
        if self.json && self.file != STANDARD {
            print_json(&serde_json::json!({ what: edges }))?;
        }
        complain(format_args!("exported {edges} {what}"));
        Ok(())
    }
}

struct Sink {
    output: Output,
    progress: ProgressBar,
    edges: u64,
    /// Whoever reads standard output has had enough, as `head` does.
    closed: bool,
}

impl Sink {
    fn put(&mut self, edges: &[ExportEdge]) -> io::Result<()> {
        for edge in edges {
            self.output
                .edge(edge)
                .inspect_err(|error| self.closed = error.kind() == io::ErrorKind::BrokenPipe)?;
        }
        self.edges += edges.len() as u64;
        self.progress.set_position(self.edges);
        Ok(())
    }
}
