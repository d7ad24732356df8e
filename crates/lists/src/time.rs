//! Times as lists write them: Unix seconds, RFC 3339, and the forms of databases.

use guanxi_model::PostId;
use guanxi_model::limits::IMPORT_TIME_MAX_MS;
use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// The earliest time that a list of another program may have, that of posts: what is before is in another unit, or no
/// time.
pub(super) const EARLIEST_MS: u64 = PostId::EPOCH_MS;
/// Decimals of a number of seconds: milliseconds are what a list is ordered by.
const DECIMALS_MAX: usize = 3;

/// A time that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadTime {
    /// Unix milliseconds; a number of seconds that is too large to count reads as the largest.
    pub ms: u64,
    /// Whether it says of which zone it is; one without is of UTC.
    pub has_zone: bool,
}

/// Notes that are taken while lines are read, for the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Times that did not say of which zone they are.
    pub zoneless: u64,
}

impl Seen {
    /// Notes a time, and returns its milliseconds.
    pub(super) const fn time(&mut self, time: ReadTime) -> u64 {
        self.zoneless += !time.has_zone as u64;
        time.ms
    }
}

/// A time for people, in UTC.
pub fn utc(ms: u64) -> String {
    let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok();
    time.and_then(|time| time.format(&Rfc3339).ok()).unwrap_or_else(|| format!("{ms} ms after 1970"))
}

/// A time in one of the forms that lists may have, as in RFC 3339.
pub fn as_rfc3339(text: &str) -> Option<String> {
    text_time(text).map(|time| utc(time.ms))
}

/// The same in Unix milliseconds.
pub fn as_ms(text: &str) -> Option<u64> {
    text_time(text).map(|time| time.ms)
}

/// Why a time is none that a row of a list of another program has.
pub(super) fn out_of_range(ms: u64, any_time: bool) -> Option<&'static str> {
    if ms > IMPORT_TIME_MAX_MS {
        Some("the time is after the year 2100; seconds are meant, or a time such as 2024-05-01T12:30:00Z")
    } else if ms < EARLIEST_MS && !any_time {
        Some("the time is before the year 2000, as weights and numbers of rows read as times are")
    } else {
        None
    }
}

/// A time of a table: seconds, with up to three decimals, or as [`text_time`] reads it.
pub(super) fn field_time(text: &[u8]) -> Option<ReadTime> {
    let (seconds, decimals) = match text.iter().position(|byte| *byte == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &b"0"[..]),
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !digits(seconds) || !digits(decimals) || decimals.len() > DECIMALS_MAX {
        return text_time(str::from_utf8(text).ok()?);
    }
    let mut thousandths = decimal(decimals).unwrap_or(0);
    for _ in decimals.len()..DECIMALS_MAX {
        thousandths *= 10;
    }
    let seconds = decimal(seconds).unwrap_or(u64::MAX);
    Some(ReadTime { ms: seconds.saturating_mul(1_000).saturating_add(thousandths), has_zone: true })
}

/// A number of digits only; `None` when it is not one or does not fit.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// A time as in RFC 3339 (`2024-05-01T12:30:00.250+08:00`), or as databases write it: a space for the `T`, a zone of
/// `+08`, `+0800`, `UTC` or none, which means UTC; a date alone is its midnight. A leap second is the end of the one
/// before it. `None` for anything else, and for times before 1970.
pub(super) fn text_time(text: &str) -> Option<ReadTime> {
    let (time, has_zone) = match OffsetDateTime::parse(text, &Rfc3339) {
        Ok(time) => (time, true),
        Err(_) => database_time(text)?,
    };
    let ms = u64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).ok()?;
    Some(ReadTime { ms, has_zone })
}

/// A time as PostgreSQL, MySQL and others print it, and whether it has a zone.
fn database_time(text: &str) -> Option<(OffsetDateTime, bool)> {
    let (date, rest) = text.split_at_checked(10)?;
    let date = match *date.as_bytes() {
        [_, _, _, _, b'-', _, _, b'-', _, _] | [_, _, _, _, b'/', _, _, b'/', _, _] => {
            let month = Month::try_from(number::<u8>(&date[5..7])?).ok()?;
            Date::from_calendar_date(number(&date[..4])?, month, number(&date[8..])?).ok()?
        }
        _ => return None,
    };
    if rest.is_empty() {
        return Some((PrimitiveDateTime::new(date, Time::MIDNIGHT).assume_utc(), false));
    }
    let clock = rest.strip_prefix([' ', 'T', 't'])?;
    let end = clock.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.')).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at(end);
    let at = PrimitiveDateTime::new(date, time_of_day(clock)?);
    match zone.trim_start() {
        "" => Some((at.assume_utc(), false)),
        zone => Some((at.assume_offset(offset(zone)?), true)),
    }
}

/// A time of the day: `12:30`, `12:30:00`, `12:30:00.123456`.
fn time_of_day(text: &str) -> Option<Time> {
    let (clock, decimals) =
        text.split_once('.').map_or((text, None), |(clock, decimals)| (clock, Some(decimals)));
    let mut parts = clock.split(':');
    let (hour, minute) = (two_digits(parts.next()?)?, two_digits(parts.next()?)?);
    let second = parts.next().map(two_digits);
    if parts.next().is_some() || (decimals.is_some() && second.is_none()) {
        return None;
    }
    let decimals = decimals.unwrap_or("0");
    if decimals.is_empty() || decimals.len() > 9 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos = decimals.parse::<u32>().ok()? * 10_u32.pow(9 - decimals.len() as u32);
    match second {
        None => Time::from_hms(hour, minute, 0).ok(),
        Some(second) => Time::from_hms_nano(hour, minute, second?, nanos).ok(),
    }
}

/// A zone: `Z`, `UTC`, `GMT`, `+08`, `+0800`, `+08:00`.
fn offset(text: &str) -> Option<UtcOffset> {
    if ["z", "utc", "gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some(UtcOffset::UTC);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = &text[1..];
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "00"),
    };
    let (hours, minutes) = (two_digits(hours)?.cast_signed(), two_digits(minutes)?.cast_signed());
    // `from_hms` knows how many hours a zone has; the minutes are those of an hour.
    if minutes > 59 || hours > 23 {
        return None;
    }
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
}

/// A number without a sign.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn two_digits(text: &str) -> Option<u8> {
    (text.len() == 2).then(|| number(text))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_zone_and_their_milliseconds() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-01-01T00:00:00Z", EARLIEST_MS),
            ("2000-02-29T23:59:59Z", 951_868_799_000),
            ("2000-03-01T00:00:00Z", 951_868_800_000),
            ("2024-05-01T12:30:00Z", 1_714_566_600_000),
            ("2024-05-01t12:30:00z", 1_714_566_600_000),
            ("2024-05-01 12:30:00Z", 1_714_566_600_000),
            ("2024-05-01T12:30:00+08:00", 1_714_537_800_000),
            ("2024-05-01T12:30:00.250-00:30", 1_714_568_400_250),
            ("2016-12-31T23:59:60Z", 1_483_228_799_999),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000),
            // PostgreSQL: timestamptz, with and without parts of a second and of an hour.
            ("2024-05-01 12:30:00+00", 1_714_566_600_000),
            ("2024-05-01 12:30:00.25+08", 1_714_537_800_250),
            ("2024-05-01 12:30:00.123456+05:30", 1_714_546_800_123),
            // Ruby, strftime's %z, and Go.
            ("2024-05-01 12:30:00 UTC", 1_714_566_600_000),
            ("2024-05-01 12:30:00 +0000", 1_714_566_600_000),
            ("2024-05-01T12:30:00+0800", 1_714_537_800_000),
            ("2024-05-01T12:30Z", 1_714_566_600_000),
        ];
        for (text, ms) in cases {
            assert_eq!(text_time(text), Some(ReadTime { ms, has_zone: true }), "{text}");
        }
        let zoneless = [
            ("2024-05-01 12:30:00", 1_714_566_600_000),
            ("2024-05-01 12:30:00.000000", 1_714_566_600_000),
            ("2024-05-01T12:30:00.250", 1_714_566_600_250),
            ("2024/05/01 12:30", 1_714_566_600_000),
            ("2024-05-01", 1_714_521_600_000),
        ];
        for (text, ms) in zoneless {
            assert_eq!(text_time(text), Some(ReadTime { ms, has_zone: false }), "{text}");
        }
        let mut seen = Seen::default();
        for (text, ms) in zoneless {
            assert_eq!(seen.time(text_time(text).unwrap()), ms);
        }
        assert_eq!(seen.zoneless, 5);
        assert_eq!(field_time(b"1714566600.25"), Some(ReadTime { ms: 1_714_566_600_250, has_zone: true }));
    }

    #[test]
    fn anything_else_is_refused() {
        let cases = [
            "",
            "2024",
            "2024-05",
            "2024-05/01",
            "2024-13-01T12:30:00Z",
            "2023-02-29T12:30:00Z",
            "2024-04-31T12:30:00Z",
            "2024-05-00T12:30:00Z",
            "2024-05-01T24:00:00Z",
            "2024-05-01T12:60:00Z",
            "2024-05-01T12:30:00.Z",
            "2024-05-01 12:30:00.",
            "2024-05-01 12:30.5",
            "2024-05-01 12",
            "2024-05-01 1:30:00",
            "2024-05-01 12:30:00:00",
            "2024-05-01T12:30:00+24:00",
            "2024-05-01 12:30:00+8",
            "2024-05-01 12:30:00+08:75",
            "2024-05-01 12:30:00 CEST",
            "2024-05-01x12:30:00",
            "+024-05-01T12:30:00Z",
            "+024-05-01 12:30:00",
            "0000-00-00 00:00:00",
            "1969-12-31T23:59:59Z",
            "1969-12-31 23:59:59",
            "二零二四年五月一日",
        ];
        for text in cases {
            assert_eq!(text_time(text), None, "{text}");
        }
    }
}
