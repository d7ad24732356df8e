//! Tokens of another issuer: what verifies them, by the settings.

use crate::clock::SystemClock;
use crate::config::{JwtSubject, Settings};
use crate::failure::{Failure, Outcome};
use guanxi_api::{ExternalSubjects, JwksUrl, Jwt, JwtRules, JwtSources, SubjectUids, Subjects};
use guanxi_centers::user::ExternalIdCenter;
use guanxi_ports::EndedUsers;
use std::sync::Arc;
use std::time::Duration;

/// Returns the verifier of tokens, if the settings name keys and callers are asked for tokens.
pub(super) fn verifier(
    settings: &Settings,
    ended: Arc<dyn EndedUsers>,
    external_ids: ExternalIdCenter,
) -> Outcome<Option<Arc<Jwt>>> {
    let (Some(issuer), Some(audience)) = (&settings.jwt_issuer, &settings.jwt_audience) else {
        return Ok(None);
    };
    if settings.no_auth || !settings.has_jwt() {
        return Ok(None);
    }
    let every = Duration::from_secs(settings.jwt_jwks_every_s);
    let url = settings.jwt_jwks_url.as_ref();
    let url = url.map(|url| JwksUrl::new(url, settings.jwt_jwks_ca.as_deref(), every)).transpose();
    let sources = JwtSources {
        files: settings.jwt_key_files.clone(),
        secret: settings.jwt_secret_file.clone(),
        url: url.map_err(Failure::usage)?,
    };
    let subjects: Arc<dyn Subjects> = match settings.jwt_subject {
        Some(JwtSubject::External) => Arc::new(ExternalSubjects::new(external_ids, ended.clone())),
        Some(JwtSubject::Uid) | None => Arc::new(SubjectUids),
    };
    let rules = JwtRules {
        issuer: issuer.clone(),
        audience: audience.clone(),
        subjects,
        leeway: Duration::from_secs(settings.jwt_leeway_s),
        life_max: Duration::from_secs(settings.jwt_life_max_s),
    };
    let jwt = Jwt::read(sources, rules, Arc::new(SystemClock), ended);
    let jwt = jwt.map_err(|error| Failure::from(error).while_doing("cannot verify JWTs"))?;
    Ok(Some(Arc::new(jwt)))
}
