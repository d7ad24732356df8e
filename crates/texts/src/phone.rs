//! Phone numbers of E.164: which lengths they have, and that they are written in one way.

use std::sync::LazyLock;

/// Lines of comments, then a country code a line, which is described there.
const TABLE: &str = include_str!("phone_numbers.txt");

/// The numbers of one country code.
struct Code {
    digits: &'static str,
    /// A bit for each number of digits that may follow.
    lens: u16,
    /// Whether a 0 that follows is part of the number. Elsewhere it is a trunk prefix, which is dialled at home alone.
    keeps_zero: bool,
}

static CODES: LazyLock<Vec<Code>> =
    LazyLock::new(|| TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(Code::parse).collect());

impl Code {
    /// Reads `39 6-12 zero` or `229 8,10 zero` or `33 9`.
    fn parse(line: &'static str) -> Option<Self> {
        let mut words = line.split(' ');
        let (digits, ranges, zero) = (words.next()?, words.next()?, words.next());
        let mut lens = 0;
        for range in ranges.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            for len in first..=last {
                lens |= 1_u16.checked_shl(len)?;
            }
        }
        Some(Self { digits, lens, keeps_zero: zero == Some("zero") })
    }

    fn has(&self, national: &str) -> bool {
        let len = u32::try_from(national.len()).unwrap_or(u32::MAX);
        self.lens & 1_u16.checked_shl(len).unwrap_or_default() != 0
            && (self.keeps_zero || !national.starts_with('0'))
    }
}

/// Returns whether a text is `+`, a country code and a number that has a length of that code and no trunk prefix. So each
/// number is written in one way. Whether it is given out to anybody is not known here.
pub(crate) fn is_phone(given: &str) -> bool {
    let Some(digits) = given.strip_prefix('+') else { return false };
    let national = |code: &'static Code| Some((code, digits.strip_prefix(code.digits)?));
    // No code begins with another one.
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && CODES.iter().find_map(national).is_some_and(|(code, national)| code.has(national))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_code_and_none_begins_with_another() {
        assert_eq!(CODES.len(), TABLE.lines().filter(|line| !line.starts_with('#')).count());
        assert!(CODES.len() > 200);
        for code in CODES.iter() {
            assert!(code.lens != 0 && (1..=3).contains(&code.digits.len()), "{}", code.digits);
            let meets = |other: &Code| other.digits.starts_with(code.digits);
            assert_eq!(CODES.iter().filter(|other| meets(other)).count(), 1, "{}", code.digits);
            let longest = (u16::BITS - 1 - code.lens.leading_zeros()) as usize;
            assert!(code.digits.len() + longest <= 15, "{}", code.digits);
        }
    }

    /// One number has one form: the trunk prefix is refused where it is none of the number.
    #[test]
    fn a_number_has_a_length_of_its_code_and_no_trunk_prefix() {
        for (given, is) in [
            ("+4930123456", true),
            ("+49030123456", false),
            ("+4915123456789", true),
            ("+390612345678", true),
            ("+39312345678", true),
            ("+14155550100", true),
            ("+1415555010", false),
            ("+114155550100", false),
            ("+8613800138000", true),
            ("+86013800138000", false),
            ("+447911123456", true),
            ("+4407911123456", false),
            ("+79161234567", true),
            ("+789161234567", false),
            ("+2250123456789", true),
            ("+3780549123456", true),
            ("+210123456789", false),
            ("+999123456789", false),
            ("+49", false),
            ("+", false),
            ("4930123456", false),
            ("+49 30123456", false),
        ] {
            assert_eq!(is_phone(given), is, "{given}");
        }
    }
}
