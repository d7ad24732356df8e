//! Plays random traces of homes: `guanxi-sim --traces N [--shape one-log|by-gene|delayed|disordered] [--seed S]
//! [--on-disk-every N] [--json]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a terminal is this program's interface")]

use guanxi_sim::campaign::{Plan, Report, Shape, run};
use std::process::ExitCode;
use std::time::Instant;

/// Traces between two lines of progress.
const PROGRESS: u64 = 1_000;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (plan, json) = match parse(&args) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("guanxi-sim: {message}");
            return ExitCode::FAILURE;
        }
    };
    let start = Instant::now();
    let report = run(plan, |done| {
        if done.is_multiple_of(PROGRESS) {
            eprintln!("{done} of {} traces in {:.0} s", plan.traces, start.elapsed().as_secs_f64());
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    print!("{}", if json { as_json(&report, plan, seconds) } else { as_text(&report, plan, seconds) });
    match report.finding {
        None => ExitCode::SUCCESS,
        Some(finding) => {
            eprintln!("{finding}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Result<(Plan, bool), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut plan = Plan { shape: Shape::OneLog, seed: 1, traces: 0, on_disk_every: 50, threads };
    let mut json = false;
    let mut rest = args.iter();
    while let Some(option) = rest.next() {
        if option == "--json" {
            json = true;
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("{option} needs a value"))?;
        if option == "--shape" {
            plan.shape = shape(value)?;
            continue;
        }
        let number: u64 = value.parse().map_err(|_| format!("{option} {value}: not a number"))?;
        match option.as_str() {
            "--traces" => plan.traces = number,
            "--seed" => plan.seed = number,
            "--on-disk-every" => plan.on_disk_every = number,
            _ => return Err(format!("no such option: {option}")),
        }
    }
    if plan.traces == 0 {
        return Err("say how many: --traces N".to_owned());
    }
    Ok((plan, json))
}

fn shape(name: &str) -> Result<Shape, String> {
    let names = || Shape::ALL.map(Shape::name).join(", ");
    let found = Shape::ALL.into_iter().find(|shape| shape.name() == name);
    found.ok_or_else(|| format!("--shape {name}: no such shape; there are {}", names()))
}

fn as_text(report: &Report, plan: Plan, seconds: f64) -> String {
    let rows: String = report
        .counts
        .rows()
        .iter()
        .map(|(name, value)| format!("{value:>14}  {}\n", name.replace('_', " ")))
        .collect();
    let shape = plan.shape.name();
    format!("{} traces of {shape} from seed {} in {seconds:.1} s\n{rows}", report.traces, plan.seed)
}

fn as_json(report: &Report, plan: Plan, seconds: f64) -> String {
    let rows: String =
        report.counts.rows().iter().map(|(name, value)| format!("  \"{name}\": {value},\n")).collect();
    let failed = report.finding.as_ref().map_or_else(|| "null".to_owned(), |f| f.trace.seed.to_string());
    let (traces, seed) = (report.traces, plan.seed);
    let shape = plan.shape.name();
    format!(
        "{{\n  \"shape\": \"{shape}\",\n  \"traces\": {traces},\n  \"seed\": {seed},\n  \"seconds\": {seconds:.1},\n{rows}  \
         \"failed_seed\": {failed}\n}}\n"
    )
}
