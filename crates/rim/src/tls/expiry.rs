//! Until when a certificate is good: what its owner wants to be told before its callers are.

use time::{Date, Month, PrimitiveDateTime, Time};
use tokio_rustls::rustls::pki_types::CertificateDer;

use crate::der::{GENERALIZED_TIME, INTEGER, SEQUENCE, UTC_TIME, VERSION, only, take};

/// When a certificate ends, in Unix seconds; `None` for one that cannot be read so far.
pub(super) fn expiry(certificate: &CertificateDer<'_>) -> Option<i64> {
    let mut whole = only(certificate, SEQUENCE)?;
    let mut fields = take(&mut whole, SEQUENCE)?;
    // A certificate of the first version does not say so.
    let _version = take(&mut fields, VERSION);
    take(&mut fields, INTEGER)?;
    let (_algorithm, _issuer) = (take(&mut fields, SEQUENCE)?, take(&mut fields, SEQUENCE)?);
    let mut validity = take(&mut fields, SEQUENCE)?;
    let _from = time(&mut validity)?;
    time(&mut validity)
}

/// Takes a time: `YYMMDDHHMMSSZ` from 1950 to 2049, or the same with four digits of the year (RFC 5280).
fn time(input: &mut &[u8]) -> Option<i64> {
    if let Some(text) = take(input, UTC_TIME) {
        let (year, rest) = number(text, 2)?;
        return seconds(if year < 50 { 2_000 + year } else { 1_900 + year }, rest);
    }
    let (year, rest) = number(take(input, GENERALIZED_TIME)?, 4)?;
    seconds(year, rest)
}

/// The number in so many digits, at most four, and what follows them.
fn number(text: &[u8], digits: usize) -> Option<(u16, &[u8])> {
    let (number, rest) = text.split_at_checked(digits)?;
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    let number = number.iter().map(digit).try_fold(0, |number, digit| Some(number * 10 + digit?));
    Some((number?, rest))
}

fn seconds(year: u16, mut rest: &[u8]) -> Option<i64> {
    let mut next = || {
        let (part, after) = number(rest, 2)?;
        rest = after;
        u8::try_from(part).ok()
    };
    let (month, day) = (Month::try_from(next()?).ok()?, next()?);
    let time = Time::from_hms(next()?, next()?, next()?).ok()?;
    let date = Date::from_calendar_date(year.into(), month, day).ok()?;
    (rest == b"Z").then(|| PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tag: u8, text: &str) -> Option<i64> {
        let mut value = vec![tag, u8::try_from(text.len()).unwrap()];
        value.extend_from_slice(text.as_bytes());
        time(&mut &value[..])
    }

    #[test]
    fn both_forms_of_time_are_unix_seconds() {
        for (tag, text, expected) in [
            (UTC_TIME, "700101000000Z", Some(0)),
            (UTC_TIME, "000229120000Z", Some(951_825_600)),
            (UTC_TIME, "491231235959Z", Some(2_524_607_999)),
            (UTC_TIME, "500101000000Z", Some(-631_152_000)),
            (GENERALIZED_TIME, "20261125175500Z", Some(1_795_629_300)),
            (GENERALIZED_TIME, "40960101000000Z", Some(67_090_118_400)),
            (GENERALIZED_TIME, "20261325175500Z", None),
            (GENERALIZED_TIME, "20261125175500", None),
            (GENERALIZED_TIME, "20260229000000Z", None),
            (UTC_TIME, "7001010000Z", None),
            (UTC_TIME, "70010100000xZ", None),
            (INTEGER, "700101000000Z", None),
        ] {
            assert_eq!(of(tag, text), expected, "{text}");
        }
    }
}
