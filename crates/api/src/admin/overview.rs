//! How the process that answers does, and what is wrong.

use buffa::{EnumValue, MessageField};
use guanxi_model::{Error, Reason, Result, Stamp};
use guanxi_proto::v1::{self, get_overview_response::Backend, overview_problem};

use super::AdminApi;
use crate::convert::time;
use crate::overview::{Overview, OverviewProblem, OverviewSeries, Severity};

pub(super) async fn get_overview(
    api: &AdminApi,
    request: &v1::GetOverviewRequestView<'_>,
) -> Result<v1::GetOverviewResponse> {
    let samples = usize::try_from(request.samples).unwrap_or(usize::MAX);
    let source = api.overview.as_ref().ok_or(Error::new(Reason::NotServed))?;
    let Overview { is_of_cluster, roles, times_ms, series, problems } = source.overview(samples);
    let backend = if is_of_cluster { Backend::CLUSTER } else { Backend::DIRECTORY };
    Ok(v1::GetOverviewResponse {
        version: api.version.to_owned(),
        start_time: MessageField::some(time(Stamp::from_ms(api.operator.started_ms()))),
        backend: EnumValue::from(backend),
        roles: roles.into_iter().map(str::to_owned).collect(),
        sample_times: times_ms.into_iter().map(|at_ms| time(Stamp::from_ms(at_ms))).collect(),
        series: series.into_iter().map(series_shown).collect(),
        problems: problems.into_iter().map(problem_shown).collect(),
    })
}

fn series_shown(series: OverviewSeries) -> v1::OverviewSeries {
    let OverviewSeries { name, unit, values, maximum } = series;
    let values = values.into_iter().map(|value| v1::OverviewValue { value });
    v1::OverviewSeries { name: name.to_owned(), unit: unit.to_owned(), values: values.collect(), maximum }
}

fn problem_shown(problem: OverviewProblem) -> v1::OverviewProblem {
    let OverviewProblem { severity, name, text, remedy } = problem;
    let severity = match severity {
        Severity::Warning => overview_problem::Severity::WARNING,
        Severity::Critical => overview_problem::Severity::CRITICAL,
    };
    v1::OverviewProblem {
        severity: EnumValue::from(severity),
        name: name.to_owned(),
        text,
        remedy: remedy.to_owned(),
    }
}
