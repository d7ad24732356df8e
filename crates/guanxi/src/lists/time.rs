//! Times as lists write them: RFC 3339.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Unix milliseconds of a time such as `2024-05-01T12:30:00.250+08:00`; a leap second is the end of the one before it.
/// `None` for anything else, and for times before 1970.
pub(super) fn rfc3339_ms(text: &str) -> Option<u64> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
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
            ("2016-12-31T23:59:60Z", 1_483_228_799_999),
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
