//! `guanxi backup`: a consistent dump.

use super::target::{Target, TargetArgs};
use super::{complain, print_json};
use crate::progress::{Unit, bar, follow};
use clap::Args;
use guanxi_lists::output::{Existing, Output};
use guanxi_server::config::Settings;
use guanxi_server::{Context, Outcome};

/// Writes a consistent logical dump of all data of a directory or of a server. If neither is given, it dumps the cluster whose
/// `databases` the settings name. A server of this data keeps serving meanwhile.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// The file to write, or - for standard output; it has the name FILE.partial until it is complete
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Replace a file that exists, once the dump is complete
    #[arg(long)]
    force: bool,
    /// Print a report of the dump as JSON
    #[arg(long)]
    json: bool,
}

impl Backup {
    /// Writes the dump.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let existing = Existing::of_force(self.force);
        Output::check(&self.file, existing)?;
        let progress = bar("backup", Some(0), Unit::Rows);
        let dump = async |target: &Target| {
            let mut output = Output::create_plain(&self.file, existing)?;
            let dumped = target.operator.backup(&mut output, &mut |now| follow(&progress, now)).await;
            Ok((output, target.task(dumped, "cannot back up")?))
        };
        let (output, position) = self.target.with_reading(settings, dump).await?;
        let bytes = output.finish().context(format_args!("cannot write {}", self.file))?;
        progress.finish_and_clear();
        let token = position.to_token();
        // The dump itself may be on standard output.
        if self.json && self.file != guanxi_lists::input::STANDARD {
            print_json(&serde_json::json!({ "bytes": bytes, "token": token }))?;
        }
        complain(format_args!("wrote {} ({bytes} bytes), as of {token}", self.file));
        Ok(())
    }
}
