//! Times as lists write them: RFC 3339.

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// Unix milliseconds of a time such as `2024-05-01T12:30:00.250+08:00`. Digits below the millisecond are cut off;
/// `None` for anything else, and for times before 1970.
pub(super) fn rfc3339_ms(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let marks = [(4, b"-"), (7, b"-"), (10, b"Tt "), (13, b":"), (16, b":")] as [(usize, &[u8]); 5];
    if !text.is_ascii()
        || marks.iter().any(|(at, any)| !bytes.get(*at).is_some_and(|byte| any.contains(byte)))
    {
        return None;
    }
    let field = |from: usize, to: usize| number(text.get(from..to)?);
    let (year, month, day) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
    let (hour, minute, second) = (field(11, 13)?, field(14, 16)?, field(17, 19)?);
    // A leap second is the one after it, as in Unix time.
    if !(1..=12).contains(&month)
        || day == 0
        || day > days_of(year, month)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let (ms, zone) = fraction(text.get(19..)?)?;
    let day_ms = ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
    let local = days_before(year, month)?.checked_add(day - 1)?.checked_mul(DAY_MS)?.checked_add(day_ms)?;
    local.checked_add_signed(-offset_ms(zone)?)
}

/// Milliseconds of a fraction such as `.25`, and what comes after it.
fn fraction(text: &str) -> Option<(u64, &str)> {
    let Some(rest) = text.strip_prefix('.') else { return Some((0, text)) };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, zone) = rest.split_at(digits);
    let thousandths = digits.bytes().chain([b'0'; 3]).take(3);
    let ms = thousandths.fold(0, |ms, digit| ms * 10 + u64::from(digit - b'0'));
    (!digits.is_empty()).then_some((ms, zone))
}

/// How far a zone, `Z` or `+08:00`, is ahead of UTC.
fn offset_ms(zone: &str) -> Option<i64> {
    if zone == "Z" || zone == "z" {
        return Some(0);
    }
    let sign = match zone.as_bytes() {
        [b'+', _, _, b':', _, _] => 1,
        [b'-', _, _, b':', _, _] => -1,
        _ => return None,
    };
    let (hours, minutes) = (number(zone.get(1..3)?)?, number(zone.get(4..6)?)?);
    let ms = i64::try_from((hours * 60 + minutes) * 60_000).ok()?;
    (hours < 24 && minutes < 60).then_some(sign * ms)
}

/// A number of digits only.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to the first of a month; `None` before 1970.
fn days_before(year: u64, month: u64) -> Option<u64> {
    let since = year.checked_sub(1970)?;
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let days = since * 365 + leaps(year - 1) - leaps(1969);
    Some(days + (1..month).map(|month| days_of(year, month)).sum::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_zone_and_their_milliseconds() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-01-01T00:00:00Z", 946_684_800_000),
            ("2000-02-29T23:59:59Z", 951_868_799_000),
            ("2000-03-01T00:00:00Z", 951_868_800_000),
            ("2024-05-01T12:30:00Z", 1_714_566_600_000),
            ("2024-05-01t12:30:00z", 1_714_566_600_000),
            ("2024-05-01 12:30:00Z", 1_714_566_600_000),
            ("2024-05-01T20:30:00+08:00", 1_714_566_600_000),
            ("2024-05-01T08:00:00-04:30", 1_714_566_600_000),
            ("2024-05-01T12:30:00.25Z", 1_714_566_600_250),
            ("2024-05-01T12:30:00.123456789Z", 1_714_566_600_123),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000),
        ];
        for (text, ms) in cases {
            assert_eq!(rfc3339_ms(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let cases = [
            "",
            "2024",
            "2024-05-01",
            "2024-05-01T12:30:00",
            "2024-05-01T12:30Z",
            "2024-13-01T12:30:00Z",
            "2023-02-29T12:30:00Z",
            "2024-04-31T12:30:00Z",
            "2024-05-00T12:30:00Z",
            "2024-05-01T24:00:00Z",
            "2024-05-01T12:60:00Z",
            "2024-05-01T12:30:00.Z",
            "2024-05-01T12:30:00+0800",
            "2024-05-01T12:30:00+24:00",
            "+024-05-01T12:30:00Z",
            "1969-12-31T23:59:59Z",
            "二零二四年五月一日",
        ];
        for text in cases {
            assert_eq!(rfc3339_ms(text), None, "{text}");
        }
    }
}
