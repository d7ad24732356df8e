//! Tokens of another issuer: the settings of JWTs.

use super::Settings;
use guanxi_api::JwksUrl;
use std::time::Duration;

impl Settings {
    /// How long a token of another issuer can be good, whenever it was issued: longer than its life by the leeway.
    pub(crate) const fn jwt_good_for(&self) -> Duration {
        Duration::from_secs(self.jwt_life_max_s + self.jwt_leeway_s)
    }

    /// Returns whether tokens of another issuer are let in.
    pub(crate) fn has_jwt(&self) -> bool {
        !self.jwt_key_files.is_empty() || self.jwt_secret_file.is_some() || self.jwt_jwks_url.is_some()
    }
}

/// Checks that what tokens are held against is whole: nothing of it is guessed.
pub(super) fn check_jwt(settings: &Settings) -> Result<(), (&'static str, String)> {
    let says = [
        ("jwt_issuer", settings.jwt_issuer.is_some(), "the `iss` of its tokens"),
        ("jwt_audience", settings.jwt_audience.is_some(), "the text that their `aud` must have"),
        (
            "jwt_subject",
            settings.jwt_subject.is_some(),
            "`uid` if their `sub` is a uid, `external` if it is an id of yours",
        ),
    ];
    if !settings.has_jwt() {
        let ca = ("jwt_jwks_ca", settings.jwt_jwks_ca.is_some(), "");
        return match says.iter().chain([&ca]).find(|(_, is_set, _)| *is_set) {
            None => Ok(()),
            Some((key, ..)) => Err((
                key,
                "is for tokens of an issuer whose keys are not named: set jwt_key_files, jwt_secret_file or \
                 jwt_jwks_url"
                    .to_owned(),
            )),
        };
    }
    for (key, is_set, what) in says {
        if !is_set {
            return Err((key, format!("is missing: keys for JWTs are set, so it must give {what}")));
        }
    }
    for (key, text) in [("jwt_issuer", &settings.jwt_issuer), ("jwt_audience", &settings.jwt_audience)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err((key, "must not be empty".to_owned()));
        }
    }
    if settings.no_auth {
        let why = "accepts calls without a token, so no JWT is checked: remove it, or the keys for JWTs";
        return Err(("no_auth", why.to_owned()));
    }
    match &settings.jwt_jwks_url {
        Some(url) => JwksUrl::check(url).map(drop).map_err(|error| ("jwt_jwks_url", error)),
        None if settings.jwt_jwks_ca.is_some() => {
            Err(("jwt_jwks_ca", "is for jwt_jwks_url, which is not set".to_owned()))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::JwtSubject;
    use super::*;

    fn right() -> Settings {
        Settings {
            jwt_key_files: vec!["keys.pem".into()],
            jwt_issuer: Some("https://issuer.example".into()),
            jwt_audience: Some("guanxi".into()),
            jwt_subject: Some(JwtSubject::Uid),
            ..Settings::default()
        }
    }

    #[test]
    fn what_tokens_are_held_against_is_whole_or_refused_with_what_to_do() {
        assert_eq!(check_jwt(&Settings::default()), Ok(()));
        assert_eq!(check_jwt(&right()), Ok(()));
        let external = Settings { jwt_subject: Some(JwtSubject::External), ..right() };
        assert_eq!(check_jwt(&external), Ok(()));
        let by_url = |url: &str| Settings { jwt_jwks_url: Some(url.into()), ..right() };
        assert_eq!(check_jwt(&by_url("https://issuer.example/jwks.json")), Ok(()));
        let cases = [
            (Settings { jwt_issuer: None, ..right() }, "jwt_issuer", "the `iss`"),
            (Settings { jwt_audience: None, ..right() }, "jwt_audience", "their `aud`"),
            (Settings { jwt_audience: Some(" ".into()), ..right() }, "jwt_audience", "empty"),
            (Settings { jwt_subject: None, ..right() }, "jwt_subject", "`sub`"),
            (Settings { jwt_key_files: Vec::new(), ..right() }, "jwt_issuer", "set jwt_key_files"),
            (Settings { no_auth: true, ..right() }, "no_auth", "remove it"),
            (Settings { jwt_jwks_ca: Some("ca.pem".into()), ..right() }, "jwt_jwks_ca", "jwt_jwks_url"),
            (by_url("http://issuer.example/jwks.json"), "jwt_jwks_url", "must be an https:// address"),
            (by_url("issuer"), "jwt_jwks_url", "must be an https:// address"),
        ];
        for (settings, key, why) in cases {
            let (named, told) = check_jwt(&settings).unwrap_err();
            assert!(named == key && told.contains(why), "{named}: {told}");
        }
    }
}
