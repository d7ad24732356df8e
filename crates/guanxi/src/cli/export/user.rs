//! `guanxi export user`: everything that is kept of one user, as lines of JSON.

use super::super::target::{Target, TargetArgs};
use super::super::token::uid;
use super::super::{complain, print_json};
use super::Sink;
use crate::progress::{Unit, bar};
use clap::Args;
use guanxi_api::ExportLine;
use guanxi_lists::input::STANDARD;
use guanxi_lists::named::WrittenIds;
use guanxi_lists::output::{Existing, Output};
use guanxi_model::Uid;
use guanxi_server::config::Settings;
use guanxi_server::{Context, Failure, Outcome};
use std::io::Write as _;
use std::slice;

#[derive(Debug, Args)]
pub(super) struct OneUser {
    /// The user
    #[arg(value_parser = uid)]
    uid: Uid,
    /// The file to write, compressed if it ends in .gz or .zst; - for standard output
    #[arg(value_name = "FILE", default_value = STANDARD)]
    file: String,
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Replace a file that exists, once the export is complete
    #[arg(long)]
    force: bool,
    /// Print a report as JSON (when the export is written to a file)
    #[arg(long)]
    json: bool,
}

impl OneUser {
    /// Writes the records, the last of which says that nothing is missing.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let existing = Existing::of_force(self.force);
        Output::check(&self.file, existing)?;
        let export = async |target: &Target| {
            let output = Output::create(&self.file, existing)?;
            let mut sink = Sink::new(output, bar("export", None, Unit::Rows));
            let mut ended = false;
            let mut each = |line: &ExportLine| {
                ended = line.is_end;
                let write = |line: &ExportLine, _: &WrittenIds, output: &mut Output| {
                    writeln!(output, "{}", line.json)
                };
                sink.put(slice::from_ref(line), Ok(WrittenIds::default()), |_| Vec::new(), write)
            };
            let written = target.operator.export_user(self.uid, &mut each).await;
            Ok((sink.written(written), sink, ended))
        };
        let (written, sink, ended) = self.target.with_reading(settings, export).await?;
        sink.progress.finish_and_clear();
        let Sink { output, rows, closed, .. } = sink;
        if closed {
            complain("the reader of the export went away");
            return Ok(());
        }
        let cut = || Failure::new("the export ended before its last record: export the user again");
        let written = written.and_then(|()| if ended { Ok(()) } else { Err(cut()) });
        let written = written.and_then(|()| output.finish().map(drop).map_err(Into::into));
        written.context(format_args!("cannot export user {} to {}", self.uid, self.file))?;
        if self.json && self.file != STANDARD {
            print_json(&serde_json::json!({ "records": rows }))?;
        }
        complain(format_args!("exported {rows} records of user {}", self.uid));
        Ok(())
    }
}
