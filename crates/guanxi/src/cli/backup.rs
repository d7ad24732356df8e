//! `guanxi backup`: a consistent dump.

use super::target::{Target, TargetArgs};
use super::{complain, print_json};
use crate::config::Settings;
use crate::edges::output::Output;
use crate::failure::{Context, Outcome};
use crate::progress::{Unit, bar, follow};
use clap::Args;

/// Writes a consistent logical dump of everything. A server keeps serving meanwhile.
#[derive(Debug, Args)]
pub struct Backup {
    /// The file to write, or - for standard output; it has the name FILE.partial until it is complete
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

impl Backup {
    /// Writes the dump.
    pub async fn run(&self, settings: &Settings) -> Outcome {
        let target = self.target.open(settings).await?;
        let mut output = Output::create_plain(&self.file)?;
        let progress = bar("backup", Some(0), Unit::Rows);
        let position = match target {
            Target::Data(local) => {
                let moving = progress.clone();
                let dumped = local.dump(output, move |now| follow(&moving, now)).await;
                local.close().await?;
                let position;
                (output, position) = dumped?;
                position
            }
            Target::Server(remote) => remote.backup(&mut output, &mut |now| follow(&progress, now)).await?,
        };
        let bytes = output.finish().context(format_args!("cannot write {}", self.file))?;
        progress.finish_and_clear();
        let token = position.to_token();
        // The dump itself may be on standard output.
        if self.json && self.file != crate::edges::input::STANDARD {
            print_json(&serde_json::json!({ "bytes": bytes, "token": token }))?;
        }
        complain(format_args!("wrote {} ({bytes} bytes), as of {token}", self.file));
        Ok(())
    }
}
